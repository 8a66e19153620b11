import type { ApplicationType } from './application.ts'

export const APPLICATION_KINDS = ['website', 'app', 'service'] as const

/** What it is to those who use it, which is not yet what it is to us. */
export type ApplicationKind = (typeof APPLICATION_KINDS)[number]

/** The three questions that everybody can answer about their own application. */
export type ApplicationAnswers = { kind: ApplicationKind; hasBackEnd: boolean; actsForPeople: boolean }

/** `nowhere-to-keep-a-secret`: who acts for itself proves itself by a secret. `runs-nowhere`: the answers contradict each other. */
export type FittingType =
  | { outcome: 'fits'; type: ApplicationType }
  | { outcome: 'nowhere-to-keep-a-secret' | 'runs-nowhere' }

/** Which of the types of decision B7 it is: who it acts for, and then whether it can keep a secret where it signs people in. */
export function fittingType({ kind, hasBackEnd, actsForPeople }: ApplicationAnswers): FittingType {
  if (kind === 'service' && !hasBackEnd) return { outcome: 'runs-nowhere' }
  if (!actsForPeople) return hasBackEnd ? fits('machine') : { outcome: 'nowhere-to-keep-a-secret' }
  // Sign-in comes back to the device, where no secret is safe, whatever stands behind it.
  if (kind === 'app') return fits('native')
  return fits(hasBackEnd ? 'web' : 'spa')
}

function fits(type: ApplicationType): FittingType {
  return { outcome: 'fits', type }
}
