import { deletePeople } from '../domain/accounts/delete-people.ts'
import { upsertPeople } from '../domain/accounts/upsert-people.ts'
import { requiredBody } from '../http/operation.ts'
import { PersonId, personIdFault } from './ids.ts'
import {
  nameTaken,
  notASandboxPerson,
  PERSON_EXAMPLE,
  type PlaceOf,
  personJson,
  SAID_EXAMPLE,
} from './person-answer.ts'
import { BatchPerson, PeopleAnswer } from './person-schemas.ts'
import type { PlatformOperation } from './platform-call.ts'
import { batchOf, readBatch, readIds } from './read-batch.ts'
import { readBatchPerson } from './read-person.ts'

/** POST /people/batch */
export const batchUpsertPeople: PlatformOperation = {
  method: 'POST',
  path: '/people/batch',
  id: 'batchUpsertPeople',
  tag: 'People',
  summary: 'Create or update up to 500 people',
  description:
    'Each as in the operation for one person, with its `id`. All or nobody: what is wrong with one of them changes none, and `errors` says where it stands. Two people of a batch may exchange their names.',
  body: { schema: batchOf(BatchPerson), example: [{ id: PERSON_EXAMPLE.id, ...SAID_EXAMPLE }] },
  answers: {
    200: {
      description: 'The people as they are now, in the order they came.',
      schema: PeopleAnswer,
      example: { data: [PERSON_EXAMPLE] },
    },
  },
  problems: ['not_a_sandbox_person', 'email_taken', 'username_taken'],
  run: async (call) => {
    const people = readBatch(requiredBody(call), readBatchPerson, { keyOf: ({ id }) => id, keyAt: '/id' })
    const placeOf = placesIn(people.map(({ id }) => id))
    const { environment } = call.key
    const upserted = await upsertPeople(call.db, environment, people)
    switch (upserted.outcome) {
      case 'not-yours':
        throw notASandboxPerson(upserted.ids, placeOf)
      case 'taken':
        throw nameTaken(upserted.names, environment, placeOf)
      case 'done':
        return { status: 200, body: { data: upserted.people.map(({ person }) => personJson(person)) } }
    }
  },
}

/** POST /people/batch-delete */
export const batchDeletePeople: PlatformOperation = {
  method: 'POST',
  path: '/people/batch-delete',
  id: 'batchDeletePeople',
  tag: 'People',
  summary: 'Delete up to 500 people',
  description: 'Each as in the operation for one person. All or nobody; who is not there is no error.',
  body: { schema: batchOf(PersonId), example: [PERSON_EXAMPLE.id] },
  answers: { 204: { description: 'None of them is there any more.' } },
  problems: ['not_a_sandbox_person'],
  run: async (call) => {
    const ids = readIds(requiredBody(call), personIdFault)
    const deleted = await deletePeople(call.db, call.key.environment, ids)
    if (deleted.outcome === 'not-yours') throw notASandboxPerson(deleted.ids, placesIn(ids))
    return { status: 204 }
  },
}

function placesIn(ids: readonly string[]): PlaceOf {
  const positions = new Map(ids.map((id, position) => [id, position]))
  return (id) => `/${positions.get(id)}`
}
