import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { ReceivedMail } from './demo-mail.ts'

export type SmtpServer = {
  url: string
  /** As they came, oldest first. */
  mails: Array<ReceivedMail & { from: string; recipients: string[]; login: string | null }>
  /** From now on every recipient is refused in these words. */
  refuse: (answer: string) => void
  /** From now on nobody's password is right. */
  refuseLogins: () => void
  close: () => Promise<void>
}

/** As much of RFC 5321 as takes a mail: greeting, AUTH PLAIN, envelope, data. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: SmtpServer['mails'] = []
  let refusal: string | null = null
  let loginsRefused = false
  const sockets = new Set<Socket>()

  async function converse(socket: Socket): Promise<void> {
    const say = (line: string) => void socket.write(`${line}\r\n`)
    let login: string | null = null
    let from = ''
    let recipients: string[] = []
    let data: string[] | null = null
    say('220 test ESMTP')
    for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
      const [verb = '', argument = ''] = line.split(/ (.*)/s)
      if (data !== null) {
        if (line !== '.') data.push(line.replace(/^\./, ''))
        else {
          mails.push({ from, recipients, login, ...readMessage(data) })
          recipients = []
          data = null
          say('250 taken')
        }
      } else if (verb === 'EHLO') socket.write('250-test\r\n250-AUTH PLAIN\r\n250 SMTPUTF8\r\n')
      else if (verb === 'AUTH') {
        login = Buffer.from(argument.split(' ')[1] ?? '', 'base64')
          .toString()
          .replaceAll('\0', ' ')
          .trim()
        say(loginsRefused ? `535 no such user: ${login}` : '235 welcome')
      } else if (verb === 'MAIL') {
        from = addressIn(argument)
        say('250 ok')
      } else if (verb === 'RCPT') {
        if (refusal === null) recipients.push(addressIn(argument))
        say(refusal ?? '250 ok')
      } else if (verb === 'DATA') {
        data = []
        say('354 go on')
      } else if (verb === 'QUIT') {
        say('221 bye')
        socket.end()
      } else say('250 ok')
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    converse(socket).catch(() => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    url: `smtp://user:se%20cret@127.0.0.1:${port}`,
    mails,
    refuse: (answer) => {
      refusal = answer
    },
    refuseLogins: () => {
      loginsRefused = true
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

function addressIn(argument: string): string {
  return /<([^>]*)>/.exec(argument)?.[1] ?? ''
}

function readMessage(lines: string[]): ReceivedMail {
  const end = lines.indexOf('')
  const headers = lines.slice(0, end).join('\n').replaceAll(/\n\s+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? ''
  const body = lines.slice(end + 1).join('\n')
  const text =
    header('content-transfer-encoding') === 'quoted-printable'
      ? body
          .replaceAll('=\n', '')
          .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : body
  return { to: header('to'), subject: header('subject'), text }
}
