import { type Static, Type } from 'typebox'
import { ASK_EVERY_SECONDS, computerName, shownCode } from '../../domain/command-line/command-line-login.ts'
import { beginLogin as begin } from '../../domain/command-line/command-line-login-store.ts'
import { type TakeOutcome, takeKey } from '../../domain/command-line/take-key-store.ts'
import { loginLimits } from '../../domain/limits/command-line-limits.ts'
import { countAttempt } from '../../domain/limits/failure-store.ts'
import { type Answer, requiredBody } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { tooManyRequests } from '../../http/rate-limit.ts'
import { fieldReader, wrongFields } from '../../http/read-fields.ts'
import type { CommandLineCall } from './command-line-call.ts'

const NewLogin = Type.Object({ name: Type.String({ maxLength: 255 }) }, { additionalProperties: false })
const readNewLogin = fieldReader<Static<typeof NewLogin>>(NewLogin)

/** POST /command-line/logins: somebody wants to log in, and is told what to compare and where (as RFC 8628 3.2). */
export const beginLogin: CommandLineCall = {
  method: 'POST',
  path: '/logins',
  body: { schema: NewLogin, example: { name: 'anns-laptop' } },
  run: async ({ db, bearer }, call, { ip }) => {
    const { sound, faults } = readNewLogin(requiredBody(call))
    if (faults.length > 0) throw wrongFields(faults)
    // Each of them is a row, and whoever asks is a stranger.
    const counted = await countAttempt(db, loginLimits(ip))
    if (!counted.allowed) throw tooManyRequests(counted.retryAfterSeconds)
    const begun = await begin(db, { name: computerName(sound.name ?? ''), address: ip })
    const code = shownCode(begun.userCode)
    return {
      status: 201,
      body: {
        data: {
          secret: begun.secret,
          code,
          url: `${new URL(bearer.issuer).origin}/portal/command-line?code=${code}`,
          expiresIn: begun.expiresInSeconds,
          interval: ASK_EVERY_SECONDS,
        },
      },
    }
  },
}

const AskedLogin = Type.Object({ secret: Type.String({ maxLength: 100 }) }, { additionalProperties: false })
const readAskedLogin = fieldReader<Static<typeof AskedLogin>>(AskedLogin)

/** POST /command-line/logins/answer: has somebody allowed it? The key is in the answer to the first who asks after that. */
export const askLogin: CommandLineCall = {
  method: 'POST',
  path: '/logins/answer',
  body: { schema: AskedLogin, example: { secret: 'x' } },
  run: async ({ db }, call, request) => {
    const { sound, faults } = readAskedLogin(requiredBody(call))
    if (faults.length > 0) throw wrongFields(faults)
    return answerTo(await takeKey(db, sound.secret ?? '', request.id))
  },
}

function answerTo(taken: TakeOutcome): Answer {
  switch (taken.outcome) {
    case 'waiting':
      return { status: 200, body: { data: { state: 'waiting' } } }
    case 'taken': {
      const { key, expiresAt, application } = taken.taken
      return {
        status: 200,
        body: { data: { state: 'allowed', key, expiresAt: expiresAt.toISOString(), application } },
      }
    }
    case 'too-soon':
      throw tooManyRequests(ASK_EVERY_SECONDS)
    case 'denied':
      throw new Problem(403, 'login_denied', 'Login denied', 'The login was denied in the portal.')
    case 'no-right':
      throw new Problem(
        403,
        'login_denied',
        'Login denied',
        'Who allowed the login may not do so any more, or the application is gone.',
      )
    case 'too-many':
      throw new Problem(
        409,
        'limit_reached',
        'Limit reached',
        'The application has as many logins of command lines as it may have. Revoke one in the portal, and log in again.',
      )
    case 'unknown':
      throw new Problem(404, 'not_found', 'Not found', 'The login has expired or was answered already. Log in again.')
  }
}
