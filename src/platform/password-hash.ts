import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createGate } from './gate.ts'

/**
 * argon2id with 19 MiB and two passes (decision B4), computed by node:crypto in the thread pool. The queue is bounded: a
 * sign-in storm is turned away instead of filling memory, and never takes all four threads of the pool from the signatures.
 */
export type PasswordHasher = {
  /** Null when it would have to wait for too long. */
  hash: (password: string) => Promise<string | null>
  verify: (password: string, stored: string) => Promise<'match' | 'mismatch' | 'busy'>
}

const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const SALT_BYTES = 16
const TAG_BYTES = 32

const compute = promisify(argon2)

const LIMITS = { atOnce: 2, waiting: 128 }
/** For commands and tests; the service says how long a request may wait (decision record 94). */
const PATIENCE_MS = 60_000

export function createPasswordHasher(longestWaitMs = PATIENCE_MS, limits = LIMITS): PasswordHasher {
  const gate = createGate({ ...limits, longestWaitMs })

  /** Null when it would have to wait for too long. */
  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value | null> {
    if (!gate.tryEnter()) {
      if (gate.full()) return null
      const isLetIn = await new Promise<boolean>((decide) => {
        gate.standInLine({ go: () => decide(true), refuse: () => decide(false) })
      })
      if (!isLetIn) return null
    }
    try {
      return await work()
    } finally {
      gate.leave()
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const tag = await inTurn(() =>
        derive(password, { salt, memory: MEMORY_KIB, passes: PASSES, lanes: LANES, bytes: TAG_BYTES }),
      )
      if (tag === null) return null
      return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`
    },

    async verify(password, stored) {
      const known = parse(stored)
      const tag = await inTurn(() => derive(password, { ...known, bytes: known.tag.length }))
      if (tag === null) return 'busy'
      return timingSafeEqual(tag, known.tag) ? 'match' : 'mismatch'
    },
  }
}

type Parameters = { salt: Buffer; memory: number; passes: number; lanes: number }

function derive(
  password: string,
  { salt, memory, passes, lanes, bytes }: Parameters & { bytes: number },
): Promise<Buffer> {
  // The same password typed on two keyboards may arrive composed or decomposed; NFKC makes it one (RFC 8265 4.2.2 does likewise).
  const message = Buffer.from(password.normalize('NFKC'))
  return compute('argon2id', { message, nonce: salt, memory, passes, parallelism: lanes, tagLength: bytes })
}

function parse(stored: string): Parameters & { tag: Buffer } {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (!parts) throw new Error('A stored password hash is not in the argon2id format')
  const [, memory = '', passes = '', lanes = '', salt = '', tag = ''] = parts
  return {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
