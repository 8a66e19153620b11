import assert from 'node:assert/strict'
import { PATIENCE_MS, soon } from './soon.ts'

export type ReceivedMail = { to: string; subject: string; text: string }

/** What demo mode's mailbox has for this address, newest first. */
export async function mailsTo(serviceUrl: string, address: string): Promise<ReceivedMail[]> {
  const answer = await fetch(`${serviceUrl}/demo/mailbox.json`)
  const { data }: { data: ReceivedMail[] } = JSON.parse(await answer.text())
  return data.filter(({ to }) => to === address)
}

/** Mails are sent after the answer: waits until there are so many, and answers the newest. */
export async function nextMail(serviceUrl: string, address: string, count = 1): Promise<ReceivedMail> {
  let mails: ReceivedMail[] = []
  const arrived = await soon(async () => {
    mails = await mailsTo(serviceUrl, address)
    return mails.length >= count
  }, PATIENCE_MS)
  const [newest] = mails
  assert.ok(arrived && newest !== undefined, `${mails.length} of ${count} mails came to ${address}`)
  return newest
}

/** The six digits on a line of their own. */
export function codeIn({ text }: ReceivedMail): string {
  const code = /^\d{6}$/m.exec(text)?.[0]
  assert.ok(code, `no code in ${text}`)
  return code
}

export function linkIn({ text }: ReceivedMail): string {
  const link = /^https?:\S+$/m.exec(text)?.[0]
  assert.ok(link, `no link in ${text}`)
  return link
}
