import type { RegisteredApplication } from '../../domain/applications/application-store.ts'
import type { ResponseMode } from '../response-modes/response-mode.ts'

export type ResponseType = 'code' | 'token' | 'id_token' | 'token id_token'

export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

/** First stage: who asks, and where the answer goes. From here on errors go to the application. */
export type ProvenTarget = {
  application: RegisteredApplication
  redirectUri: string
  /** As it came, or null when it was left out: the exchange of the code must repeat it. */
  redirectUriSent: string | null
}

/** Second stage: how the answer travels, and to whom. */
export type ReplyTarget = Pick<ProvenTarget, 'application' | 'redirectUri'> & {
  mode: ResponseMode
  state: string | null
}

/** Last stage: every parameter checked. */
export type AuthorizeRequest = ProvenTarget &
  ReplyTarget & {
    responseType: ResponseType
    nonce: string | null
    scope: string[]
    audience: string | null
    codeChallenge: string | null
    prompt: ReadonlySet<Prompt>
    maxAgeSeconds: number | null
    loginHint: string | null
    /** The person an ID token of ours names, if one was sent. */
    hintedUserId: string | null
    signUpFirst: boolean
  }
