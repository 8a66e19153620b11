import { Type } from 'typebox'
import type { SaidPerson } from '../domain/users/person.ts'
import { ROLES } from '../domain/users/user.ts'
import { PersonId } from './ids.ts'

const text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })
const moment = Type.String({ format: 'date-time' })

const said = {
  role: Type.Enum([...ROLES], { type: 'string' }),
  email: Type.String({
    description: 'At most 254 ASCII characters. No two people have the same one, in whatever case.',
  }),
  emailVerified: Type.Optional(
    Type.Boolean({ default: true, description: 'Say `false` only when nobody has proven that the address is theirs.' }),
  ),
  username: Type.Optional(text('3 to 32 letters, digits, dots, dashes or underscores. Unique in whatever case.')),
  name: Type.String({ description: 'At most 100 characters.' }),
  nickname: Type.Optional(text('At most 50 characters.')),
  picture: Type.Optional(text('The https address of a picture, at most 1000 characters.')),
  phoneNumber: Type.Optional(text('7 to 15 digits, with a + in front; spaces, dots, dashes and brackets are dropped.')),
  phoneNumberVerified: Type.Optional(
    Type.Boolean({ description: 'Left out: as it is; `false` for a number that is another one than before.' }),
  ),
  city: Type.Optional(text('At most 100 characters.')),
  state: Type.Optional(text('At most 50 characters.')),
  blocked: Type.Optional(
    Type.Boolean({
      description:
        'Whoever is blocked cannot sign in, and everything that was given for them is revoked within a second. Unblocking gives nothing of it back.',
    }),
  ),
}

const strict = { additionalProperties: false }

export const PersonFields = Type.Object(said, strict)
export const BatchPerson = Type.Object({ id: PersonId, ...said }, strict)

/** The fields of either body. */
export type PersonBody = Omit<SaidPerson, 'emailVerified'> & { emailVerified?: boolean }

export const Person = Type.Object({
  id: PersonId,
  role: said.role,
  email: Type.String(),
  emailVerified: Type.Boolean(),
  username: text('A name to sign in with beside the e-mail address.'),
  name: Type.String(),
  nickname: text('What the person is called.'),
  picture: text('The https address of a picture.'),
  phoneNumber: text('Digits, perhaps with a + in front.'),
  phoneNumberVerified: Type.Boolean(),
  city: text('Where the person lives.'),
  state: text('The state of that city.'),
  blocked: Type.Boolean(),
  madeIn: Type.Unsafe<string | null>({
    enum: ['production', 'sandbox', null],
    description: 'The environment of the key that made the person; null for who signed up.',
  }),
  createdAt: moment,
  updatedAt: moment,
})

export const PersonAnswer = Type.Object({ data: Person })
export const PeopleAnswer = Type.Object({ data: Type.Array(Person) })
