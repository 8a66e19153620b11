import { newOpaqueSecret } from '../../../platform/opaque-secret.ts'
import { textIn } from './ask.ts'
import { checkIdToken, decoded, type Expected } from './check-id-token.ts'
import { type Check, check, type ShownToken } from './step.ts'
import type { Standing } from './walk.ts'

/** What came of an answer with tokens: what to show, and where it leads. */
export type Taken = { tokens: ShownToken[]; checks: Check[]; standing: Standing }

/** The same whether tokens come from /authorize or from the token endpoint. */
export async function takeTokens(
  fields: Readonly<Record<string, unknown>>,
  expected: Expected,
  before: { checks: Check[]; refreshToken: string | null },
): Promise<Taken> {
  const idToken = textIn(fields, 'id_token')
  const accessToken = textIn(fields, 'access_token')
  if (idToken === null || accessToken === null)
    return {
      tokens: [],
      checks: [...before.checks, check('tokens', false, 'An ID token and an access token were asked for.')],
      standing: { at: 'stopped' },
    }
  const { shown, subject, checks } = await checkIdToken(idToken, expected)
  const refreshToken = textIn(fields, 'refresh_token')
  const all = [...before.checks, ...checks]
  return {
    tokens: [shown, shownAccessToken(accessToken), ...(refreshToken === null ? [] : [shownRefreshToken(refreshToken)])],
    checks: all,
    standing: all.every(({ passed }) => passed)
      ? {
          at: 'signed-in',
          tokens: { idToken, subject, accessToken, refreshToken: refreshToken ?? before.refreshToken },
          logoutState: newOpaqueSecret(),
        }
      : { at: 'stopped' },
  }
}

function shownAccessToken(whole: string): ShownToken {
  return {
    name: 'Access token',
    lead: 'For the API: your application hands it on as it is and checks nothing in it. The API checks signature, iss, aud, exp and scope.',
    whole,
    ...decoded(whole),
  }
}

function shownRefreshToken(whole: string): ShownToken {
  return {
    name: 'Refresh token',
    lead: 'Opaque: there is nothing to read in it. It gets new tokens once, and comes with its successor. Keep it as you keep a password.',
    whole,
    header: null,
    claims: null,
  }
}
