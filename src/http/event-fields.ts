import { Type } from 'typebox'
import { kindOf, type NewEvent } from '../domain/deliveries/event.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'
import { newId } from '../platform/ids.ts'
import { NOT_A_MOMENT, readMoment } from './moment.ts'
import type { FieldProblem } from './problem.ts'
import { fieldReader } from './read-fields.ts'

/** An event as it is told to us: by the marketplace, or by an integrator who tries things out (decisions D1, C11). */

const occurredAt = Type.Optional(
  Type.String({ format: 'date-time', maxLength: 40, description: 'When it happened; now, when it is left out.' }),
)
const id = Type.String({ minLength: 1, maxLength: 64 })

/** What a made-up event and a told one share. */
const told = {
  type: Type.Enum([...FACILITY_EVENTS, ...USER_EVENTS], { type: 'string' }),
  facilityId: Type.Optional(id),
  userId: Type.Optional(id),
  occurredAt,
  data: Type.Object({}, { additionalProperties: true, description: 'Passed on to the byte, at most 128 KiB.' }),
}

export const PlatformEvent = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'Makes it safe to repeat: an id is taken once for as long as the event is kept.',
      }),
    ),
    environment: Type.Enum([...ENVIRONMENTS], { type: 'string', description: 'Of the key.' }),
    ...told,
  },
  { additionalProperties: false },
)

export const SandboxEvent = Type.Object(told, { additionalProperties: false })

export type EventFields = {
  id?: string
  environment?: Environment
  type: string
  facilityId?: string
  userId?: string
  occurredAt?: string
  data: object
}

export const MOST_DATA_BYTES = 128 * 1_024

const readPlatformEvent = fieldReader<EventFields>(PlatformEvent)
const readSandboxEvent = fieldReader<EventFields>(SandboxEvent)

type Source = { environment: Environment; by: 'platform' | 'integrator' }

/** The event, or everything that is wrong with it. `data` is the text of that member as it came. */
export function readEvent(
  raw: unknown,
  data: string | null,
  { environment, by }: Source,
): { event: NewEvent } | { faults: FieldProblem[] } {
  const { sound, faults } = by === 'platform' ? readPlatformEvent(raw) : readSandboxEvent(raw)
  const { type } = sound
  if (sound.environment !== undefined && sound.environment !== environment)
    faults.push({
      pointer: '/environment',
      code: 'wrong_environment',
      message: `must be ${environment}, as the key is.`,
    })
  if (data !== null && Buffer.byteLength(data) > MOST_DATA_BYTES)
    faults.push({ pointer: '/data', code: 'too_long', message: `must have at most ${MOST_DATA_BYTES} bytes.` })
  const subject = type === undefined ? null : subjectOf(type, sound, faults)
  const happened = momentOf(sound.occurredAt, faults)
  if (faults.length > 0 || type === undefined || data === null || subject === null) return { faults }
  return {
    event: {
      id: sound.id ?? newId('evt'),
      environment,
      type,
      subject,
      occurredAt: happened,
      data,
      test: by === 'integrator',
    },
  }
}

/** A shift event is about a facility, and the others about a person. */
function subjectOf(
  type: string,
  { facilityId, userId }: Partial<EventFields>,
  faults: FieldProblem[],
): NewEvent['subject'] | null {
  const isFacility = kindOf(type) === 'facility'
  const [needed, other] = isFacility ? ['facilityId', 'userId'] : ['userId', 'facilityId']
  const [given, extra] = isFacility ? [facilityId, userId] : [userId, facilityId]
  if (extra !== undefined)
    faults.push({ pointer: `/${other}`, code: 'unknown_field', message: `does not belong to ${type}; leave it out.` })
  if (given !== undefined) return isFacility ? { facilityId: given } : { userId: given }
  if (!faults.some(({ pointer }) => pointer === `/${needed}`))
    faults.push({ pointer: `/${needed}`, code: 'required', message: `is required for ${type}.` })
  return null
}

function momentOf(written: string | undefined, faults: FieldProblem[]): Date | null {
  if (written === undefined) return null
  const moment = readMoment(written)
  if (moment === null) faults.push({ pointer: '/occurredAt', code: 'malformed', message: NOT_A_MOMENT })
  return moment
}
