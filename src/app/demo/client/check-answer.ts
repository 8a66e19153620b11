import { type Check, check } from './step.ts'
import type { Asked } from './walk.ts'

/** What came to the redirect URI, however it travelled. */
export type AuthorizeAnswer = Readonly<Record<string, string>>

/** Before anything in it is used: is it an answer to our question, and from the server that was asked? */
export function checkAnswer(answer: AuthorizeAnswer, asked: Asked | null, issuer: string): Check[] {
  return [
    asked === null
      ? check(
          'state',
          false,
          'This browser is waiting for no answer, so there is nothing to compare it with. Somebody else may have sent it: your application stops here.',
        )
      : check(
          'state',
          answer['state'] === asked.state,
          'It is the one that this browser was sent away with.',
          'It is not the one that this browser was sent away with. Somebody else may have sent this answer: your application stops here.',
        ),
    check(
      'iss',
      answer['iss'] === issuer,
      'The answer comes from the issuer that was asked (RFC 9207).',
      'The answer does not say that it comes from the issuer that was asked.',
    ),
  ]
}
