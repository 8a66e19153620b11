/**
 * Vulnerabilities in what we deliver that do not stop a change, each with its reason and the last day on which that holds:
 * after it the audit is red again. Only what cannot be reached by anybody belongs here, or what has no newer version yet.
 */
export type AcceptedAdvisory = { id: string; reason: string; until: string }

export const ACCEPTED_ADVISORIES: readonly AcceptedAdvisory[] = []
