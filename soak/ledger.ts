/** A webhook that the service said is there. */
export type LedgerWebhook = {
  id: string
  /** The values that its address may have. More than one while it is not known which change came through. */
  urls: Set<string>
  secret: string
  state: 'there' | 'deleting' | 'deleted'
  /** Nobody changes it any more. */
  isFinal: boolean
}

/** A chain of refresh tokens that began with one sign-in. */
export type Family = {
  access: string
  refresh: string
  /** Tokens that gave another one, the oldest first. */
  used: string[]
  /** `unsure`: the last answer was lost; whichever way it went is right. */
  state: 'live' | 'unsure' | 'ended' | 'revoking' | 'revoked'
  /** Somebody is at it. */
  isBusy: boolean
}

/** What things are that must never be handed out twice. */
export type Issued = 'access token' | 'refresh token' | 'code' | 'webhook'

export type Tally = { done: number; refused: number; unknown: number }

/**
 * What the service has acknowledged, written down by whoever was told. What was asked and not answered is neither there nor
 * lost: it is asked again until there is an answer, and until then both outcomes are right.
 */
export type Ledger = {
  webhooks: LedgerWebhook[]
  families: Family[]
  /** Codes that gave tokens. */
  redeemed: string[]
  /** Ids of events, and whether it was said that they are taken. */
  events: Map<string, 'asked' | 'taken'>
  /** How often each event came to each subscriber, verified. */
  arrivals: Map<string, number>
  unverified: string[]
  /** Arrivals that are still to come, at a time that a wrong clock of PostgreSQL gave them. */
  later: Set<string>
  /** Found while the load ran: what the service had acknowledged and then did not know. */
  lost: string[]
  /** What it was, for each value that came twice. */
  twice: string[]
  /** Everything that no log may show. */
  secrets: Set<string>
  /** How often each kind of request ended how. */
  tallies: Map<string, Tally>
  /** Answers that nobody should get: by kind and status. */
  rude: Map<string, number>
  issue: (what: Issued, value: string) => void
  arrived: (subscriber: string, eventId: string) => void
  count: (kind: string, outcome: keyof Tally) => void
}

export function createLedger(): Ledger {
  const issued = new Set<string>()
  const ledger: Ledger = {
    webhooks: [],
    families: [],
    redeemed: [],
    events: new Map(),
    arrivals: new Map(),
    unverified: [],
    later: new Set(),
    lost: [],
    twice: [],
    secrets: new Set(),
    tallies: new Map(),
    rude: new Map(),

    issue(what, value) {
      const key = `${what} ${value}`
      if (issued.has(key)) ledger.twice.push(`${what}, issued twice`)
      issued.add(key)
    },

    arrived(subscriber, eventId) {
      const key = arrivalKey(subscriber, eventId)
      ledger.arrivals.set(key, (ledger.arrivals.get(key) ?? 0) + 1)
    },

    count(kind, outcome) {
      const tally = ledger.tallies.get(kind) ?? { done: 0, refused: 0, unknown: 0 }
      tally[outcome] += 1
      ledger.tallies.set(kind, tally)
    },
  }
  return ledger
}

export function arrivalKey(subscriber: string, eventId: string): string {
  return `${subscriber} ${eventId}`
}

/** Events that were taken and have not come to every subscriber yet, though it is time. */
export function missingArrivals({ events, arrivals, later }: Ledger, subscribers: readonly string[]): string[] {
  const taken = [...events].filter(([, state]) => state === 'taken').map(([id]) => id)
  const expected = taken.flatMap((id) => subscribers.map((name) => arrivalKey(name, id)))
  return expected.filter((key) => !arrivals.has(key) && !later.has(key))
}
