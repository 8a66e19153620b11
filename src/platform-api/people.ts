import { deletePeople } from '../domain/accounts/delete-people.ts'
import { upsertPeople } from '../domain/accounts/upsert-people.ts'
import { mayChange } from '../domain/users/person.ts'
import { findPeople } from '../domain/users/person-upsert-store.ts'
import { type Parameter, requiredBody } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'
import { PersonId, pathId, personIdFault } from './ids.ts'
import { nameTaken, notASandboxPerson, PERSON_EXAMPLE, personJson, SAID_EXAMPLE } from './person-answer.ts'
import { PersonAnswer, PersonFields } from './person-schemas.ts'
import type { PlatformOperation } from './platform-call.ts'
import { readPersonFields } from './read-person.ts'

const USER_ID: Record<string, Parameter> = {
  userId: { description: 'The marketplace’s own id of the person.', schema: PersonId },
}

const alone = () => ''

/** PUT /people/:userId */
export const upsertPerson: PlatformOperation = {
  method: 'PUT',
  path: '/people/:userId',
  id: 'upsertPerson',
  tag: 'People',
  summary: 'Create or update a person',
  description: `People exist once, for both environments. What is left out stays as it is, \`null\` empties it. A new person has no password and sets one by the link that the sign-in page mails.

Whoever held an account whose e-mail address was not verified keeps nothing of it: password, one-time codes, sessions, tokens and consents end. So do those of a sandbox person whom a production key takes over. Another e-mail address ends links for a new password that are on their way.

A sandbox key creates people, and reads and changes only those that a sandbox key made.`,
  parameters: USER_ID,
  body: { schema: PersonFields, example: SAID_EXAMPLE },
  answers: {
    200: { description: 'The person as they are now.', schema: PersonAnswer, example: { data: PERSON_EXAMPLE } },
    201: { description: 'The person is new.', schema: PersonAnswer, example: { data: PERSON_EXAMPLE } },
  },
  problems: ['not_a_sandbox_person', 'email_taken', 'username_taken'],
  run: async (call) => {
    const id = pathId(call, 'userId', personIdFault)
    const read = readPersonFields(id, requiredBody(call))
    if ('faults' in read) throw wrongFields(read.faults)
    const { environment } = call.key
    const upserted = await upsertPeople(call.db, environment, [read.value])
    switch (upserted.outcome) {
      case 'not-yours':
        throw notASandboxPerson(upserted.ids, alone)
      case 'taken':
        throw nameTaken(upserted.names, environment, alone)
      case 'done': {
        const [one] = upserted.people
        return { status: one?.isNew ? 201 : 200, body: { data: one && personJson(one.person) } }
      }
    }
  },
}

/** GET /people/:userId */
export const readPerson: PlatformOperation = {
  method: 'GET',
  path: '/people/:userId',
  id: 'readPerson',
  tag: 'People',
  summary: 'Read a person',
  description: 'The person as Handover knows them, blocked or not.',
  parameters: USER_ID,
  answers: { 200: { description: 'The person.', schema: PersonAnswer, example: { data: PERSON_EXAMPLE } } },
  problems: ['not_a_sandbox_person', 'not_found'],
  run: async (call) => {
    const id = pathId(call, 'userId', personIdFault)
    const person = (await findPeople(call.db, [id])).get(id)
    if (person === undefined) throw new Problem(404, 'not_found', 'Not found', 'There is no person with this id.')
    if (!mayChange(call.key.environment, person.madeIn)) throw notASandboxPerson([id], alone)
    return { status: 200, body: { data: personJson(person) } }
  },
}

/** DELETE /people/:userId */
export const deletePerson: PlatformOperation = {
  method: 'DELETE',
  path: '/people/:userId',
  id: 'deletePerson',
  tag: 'People',
  summary: 'Delete a person',
  description:
    'With the person go their sessions, tokens, consents, access to facilities and webhooks; tokens that are out are refused within a second. Deleting somebody who is not there is no error.',
  parameters: USER_ID,
  answers: { 204: { description: 'There is no such person any more.' } },
  problems: ['not_a_sandbox_person'],
  run: async (call) => {
    const id = pathId(call, 'userId', personIdFault)
    const deleted = await deletePeople(call.db, call.key.environment, [id])
    if (deleted.outcome === 'not-yours') throw notASandboxPerson(deleted.ids, alone)
    return { status: 204 }
  },
}
