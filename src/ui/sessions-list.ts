import { deviceInWords } from './device-words.ts'
import { button, form } from './form.ts'
import { html, type Markup } from './html.ts'
import { moment } from './moment.ts'

export type ListedSession = {
  sid: string
  userAgent: string
  address: string
  authTime: Date
  lastSeenAt: Date
  isThisOne: boolean
}

/** Where somebody is signed in, whatever kind of account it is. `at` is the address of the account's pages. */
export function sessionsList(at: string, csrf: string, sessions: readonly ListedSession[]): Markup {
  return html`<ul class="rows">${sessions.map((each) => row(at, csrf, each))}</ul>
${sessions.length > 1 && form(`${at}/sessions/end-others`, { csrf }, html`<div class="actions">${button('Sign out everywhere else', { kind: 'danger' })}</div>`)}`
}

function row(at: string, csrf: string, session: ListedSession): Markup {
  const { sid, userAgent, address, authTime, lastSeenAt, isThisOne } = session
  return html`<li>
<div><strong>${deviceInWords(userAgent)}</strong>${isThisOne && html` <span class="tag good">this browser</span>`}
<p>From ${address}. Signed in ${moment(authTime)}${!isThisOne && html`, last seen ${moment(lastSeenAt)}`}.</p></div>
${
  !isThisOne &&
  form(
    `${at}/sessions/end`,
    { csrf, session: sid },
    html`<button type="submit" class="quiet">End<span class="unseen"> the session of ${deviceInWords(userAgent)} from ${address}</span></button>`,
  )
}</li>`
}
