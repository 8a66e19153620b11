import assert from 'node:assert/strict'
import { type Answer, ask } from './answer.ts'
import { type PortalScene, submitTo } from './portal-scene.ts'
import type { WebAnswer, WebClient } from './web-client.ts'

/** A login as the command begins it. */
export type Begun = { secret: string; code: string; url: string; expiresIn: number; interval: number }

/** The calls that `handover login` makes, without the command. */
export type CommandLineCalls = {
  post: (path: string, body?: unknown, key?: string) => Promise<Answer>
  begin: (name?: string) => Promise<Begun>
  /** Asks for the answer, as if the time to wait had passed. */
  ask: (secret: string) => Promise<Answer>
  giveBack: (key: string) => Promise<Answer>
  /** Through all of it: begun, allowed in the browser, and taken. */
  key: (browser: WebClient, team: string, application: string, name?: string) => Promise<string>
  /** An access token for a key. */
  token: (key: string) => Promise<string>
}

export function commandLineCalls({ url, db, at }: PortalScene): CommandLineCalls {
  const under = `${url}/api/v2/public/command-line`
  const send = (method: string, path: string, body: unknown, key: string | undefined) =>
    ask(under + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const calls: CommandLineCalls = {
    post: (path, body, key) => send('POST', path, body, key),

    async begin(name = 'anns-laptop') {
      const answer = await calls.post('/logins', { name })
      assert.equal(answer.status, 201, answer.text)
      const { data }: { data: Begun } = JSON.parse(answer.text)
      return data
    },

    async ask(secret) {
      await db`update command_line_logins set asked_at = null`
      return calls.post('/logins/answer', { secret })
    },

    giveBack: (key) => send('DELETE', '/key', undefined, key),

    async key(browser, team, application, name) {
      const begun = await calls.begin(name)
      const answer = await decide(browser, at(`/teams/${team}/command-line?code=${begun.code}`), 'allow', application)
      assert.equal(answer.status, 303, answer.text)
      const taken = await calls.ask(begun.secret)
      assert.equal(taken.status, 200, taken.text)
      const { data }: { data: { key: string } } = JSON.parse(taken.text)
      return data.key
    },

    async token(key) {
      const answer = await calls.post('/token', undefined, key)
      assert.equal(answer.status, 200, answer.text)
      const { data }: { data: { accessToken: string } } = JSON.parse(answer.text)
      return data.accessToken
    },
  }
  return calls
}

/** Answers the page that asks whether a login is allowed. */
export async function decide(
  browser: WebClient,
  page: string,
  decision: 'allow' | 'deny',
  application: string | null = null,
): Promise<WebAnswer> {
  return submitTo(browser, await browser.open(page), '/command-line', { decision, application })
}
