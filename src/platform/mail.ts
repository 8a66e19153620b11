import { createTransport } from 'nodemailer'
import { isLoopbackUrl } from './loopback.ts'

/** Mail as plain text; what it says is the sender's business. */
export type Mail = { to: string; subject: string; text: string }

export type Mailer = { send: (mail: Mail) => Promise<void> }

const CONNECT_PATIENCE_MS = 10_000
const SILENCE_LIMIT_MS = 20_000
/** Somebody waits for the answer. */
const CHECK_PATIENCE_MS = 4_000

/**
 * Through an operator's mail server. Unless that is on this machine the connection must be encrypted, because links in mails
 * open accounts; `?requireTLS=false` in the URL says that the operator knows better.
 */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = transportTo(url)
  return {
    send: async ({ to, subject, text }) => {
      try {
        // As an object an address is one address, whatever characters are in it.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
      } catch (error) {
        // Servers quote addresses and mails in what they answer, and this message goes to a log.
        // oxlint-disable-next-line preserve-caught-error -- the cause is what must not be logged
        throw new Error(`The mail server did not take a mail (${failureCode(error)})`)
      }
    },
  }
}

/** Connects, greets and signs in, as before a mail, and sends none. Answers null, or what went wrong, such as `EAUTH 535`. */
export async function mailServerFault(url: string): Promise<string | null> {
  const transport = transportTo(url, CHECK_PATIENCE_MS, CHECK_PATIENCE_MS)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return failureCode(error)
  } finally {
    transport.close()
  }
}

function transportTo(url: string, patienceMs = CONNECT_PATIENCE_MS, silenceMs = SILENCE_LIMIT_MS) {
  return createTransport({
    url,
    requireTLS: url.startsWith('smtp:') && !isLoopbackUrl(url),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Such as `ECONNECTION` or `EENVELOPE 550`. */
function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return 'responseCode' in error && typeof error.responseCode === 'number' ? `${code} ${error.responseCode}` : code
}
