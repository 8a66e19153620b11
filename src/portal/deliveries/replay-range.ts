import { REPLAYABLE_STATES, type ReplayRange } from '../../domain/deliveries/replay.ts'
import { inOurTime, NOT_A_TYPED_MOMENT, readTypedMoment } from '../../http/moment.ts'

export type TypedReplay = { from: string; to: string; states: string[] }
export type ReplayFaults = { from?: string; to?: string; states?: string; page?: string }
export type ReadRange = { range: ReplayRange } | { faults: ReplayFaults }

/** From the address when it is counted, from the form when it begins: both have the same names. */
export function typedReplay(get: (name: string) => string | null): TypedReplay {
  return {
    from: get('from')?.trim() ?? '',
    to: get('to')?.trim() ?? '',
    states: REPLAYABLE_STATES.filter((state) => get(`states.${state}`) !== null),
  }
}

export function readRange({ from, to, states }: TypedReplay): ReadRange {
  const begin = readTypedMoment(from)
  const end = readTypedMoment(to)
  const chosen = REPLAYABLE_STATES.filter((state) => states.includes(state))
  const faults: ReplayFaults = {
    ...(begin === null && { from: NOT_A_TYPED_MOMENT }),
    ...(end === null && { to: NOT_A_TYPED_MOMENT }),
    ...(begin !== null && end !== null && begin >= end && { to: 'This must be later than “From”.' }),
    ...(chosen.length === 0 && { states: 'Choose at least one.' }),
  }
  if (begin === null || end === null || Object.keys(faults).length > 0) return { faults }
  return { range: { from: inOurTime(begin), to: inOurTime(end), states: chosen } }
}
