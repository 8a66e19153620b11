import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { insertUser } from '../../src/domain/users/user-store.ts'
import { smtpMailer } from '../../src/platform/mail.ts'
import { linkIn } from '../harness/demo-mail.ts'
import { DEPLOYED_AUTH_URL, startDeployed } from '../harness/deployed.ts'
import { startHandover } from '../harness/handover.ts'
import { postWithHost } from '../harness/poisoned-host.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { startSmtpServer } from '../harness/smtp-server.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { WebClient } from '../harness/web-client.ts'

const FROM = 'Handover <no-reply@example.com>'
const NOBODY = {
  role: 'NURSE_USER',
  emailVerified: true,
  username: null,
  name: 'Ann',
  nickname: null,
  picture: null,
  phoneNumber: null,
  phoneNumberVerified: false,
  city: null,
  state: null,
  passwordHash: null,
} as const

test('a mail goes out by SMTP with the account in the URL, as it was written', async () => {
  const smtp = await startSmtpServer()
  try {
    const text = `A line.\n.\n.a line that begins with a dot\n${'long '.repeat(60)}\nhttps://x.example/${'y'.repeat(100)}?a=b\n`
    await smtpMailer(smtp.url, FROM).send({ to: "o'neil+x@example.com", subject: 'Ünder', text })
    const [mail] = smtp.mails
    assert.equal(mail?.login, 'user se cret')
    assert.equal(mail?.from, 'no-reply@example.com')
    assert.deepEqual(mail?.recipients, ["o'neil+x@example.com"])
    assert.match(mail?.subject ?? '', /^=\?UTF-8\?/)
    assert.equal(mail?.text.trim(), text.trim())
  } finally {
    await smtp.close()
  }
})

test('one address is one recipient, whatever is in it', async () => {
  const smtp = await startSmtpServer()
  try {
    const to = 'a@example.com\r\nBcc: b@example.com, c@example.com'
    await smtpMailer(smtp.url, FROM)
      .send({ to, subject: 'x\r\nBcc: d@example.com', text: 'x' })
      .catch(() => {})
    const recipients = smtp.mails.flatMap((mail) => mail.recipients)
    assert.ok(recipients.length <= 1 && !recipients.includes('b@example.com'), recipients.join())
  } finally {
    await smtp.close()
  }
})

test('what a mail server answers is kept out of the error: it may quote the mail', async () => {
  const smtp = await startSmtpServer()
  try {
    smtp.refuse('550 5.1.1 <ann@example.com> user unknown')
    await assert.rejects(
      smtpMailer(smtp.url, FROM).send({ to: 'ann@example.com', subject: 'x', text: 'x' }),
      (error: Error) =>
        error.message === 'The mail server did not take a mail (EENVELOPE 550)' && error.cause === undefined,
    )
  } finally {
    await smtp.close()
  }
  const nobody = smtpMailer(`smtp://127.0.0.1:${await quietPort()}`, FROM)
  await assert.rejects(nobody.send({ to: 'ann@example.com', subject: 'x', text: 'x' }), /\(ESOCKET\)/)
})

test('without TLS nothing is sent to another machine', async () => {
  // 127.0.0.1 by a name that is not known to be this machine's.
  const smtp = await startSmtpServer()
  try {
    const url = smtp.url.replace('127.0.0.1', '0.0.0.0')
    const mail = { to: 'ann@example.com', subject: 'x', text: 'x' }
    await assert.rejects(smtpMailer(url, FROM).send(mail), /did not take a mail/)
    assert.equal(smtp.mails.length, 0)
    await smtpMailer(`${url}?requireTLS=false`, FROM).send(mail)
    assert.equal(smtp.mails.length, 1)
  } finally {
    await smtp.close()
  }
})

test('a deployment mails a link to its configured address, whatever Host and X-Forwarded-Host say', async () => {
  const smtp = await startSmtpServer()
  const service = await startDeployed({ HANDOVER_SMTP_URL: smtp.url, HANDOVER_MAIL_FROM: FROM })
  try {
    const email = `${randomUUID()}@example.com`
    await insertUser(service.database.db, { ...NOBODY, id: randomUUID(), email })
    const poison = {
      'x-forwarded-host': 'attacker.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'host=attacker.example',
    }
    const browser = new WebClient()
    const started = await browser.get(`${service.url}/oidc/reset`, poison)
    const page = await browser.get(started.location ?? '', poison)
    assert.equal(page.status, 200, page.text)
    const answer = await postWithHost('attacker.example', browser, page, { username: email }, poison)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!page.text.includes('attacker') && !answer.text.includes('attacker'))
    assert.ok(await soon(async () => smtp.mails.length === 1, PATIENCE_MS))
    const [mail] = smtp.mails
    assert.ok(mail && !mail.text.includes('attacker'))
    const link = linkIn(mail)
    assert.ok(link.startsWith(`${DEPLOYED_AUTH_URL}/oidc/reset/password?secret=`), link)

    const here = link.replace(DEPLOYED_AUTH_URL, service.url)
    const changed = await browser.submit(await browser.get(here), { password: 'ultramarine kite 4' })
    assert.equal(changed.status, 200, changed.text)
    assert.ok(await soon(async () => smtp.mails.length === 2, PATIENCE_MS))
    assert.ok(smtp.mails[1]?.text.includes(`${DEPLOYED_AUTH_URL}/oidc/reset\n`))

    smtp.refuse(`550 ${email} is full`)
    await browser.submit(page, { username: email })
    assert.ok(await soon(async () => service.logged.some((line) => line.includes('EENVELOPE 550')), PATIENCE_MS))
    const log = service.logged.join('\n')
    for (const hidden of [email, 'is full', 'se cret', 'se%20cret']) assert.ok(!log.includes(hidden), hidden)
  } finally {
    await service.stop()
    await smtp.close()
  }
})

test('without a mail server nobody can sign up or reset a password, the pages say so, and no page leads there', async () => {
  const service = await startDeployed()
  try {
    const browser = new WebClient()
    const login = await browser.open(`${service.url}/oidc/account`)
    assert.match(login.text, /name="password"/)
    assert.doesNotMatch(login.text, /\/oidc\/(?:signup|reset)/)
    const interaction = new URL(login.url).searchParams.get('interaction') ?? ''
    const csrf = /name="csrf" value="([^"]+)"/.exec(login.text)?.[1] ?? ''
    for (const [path, says] of [
      ['signup', /New accounts cannot be made here/],
      ['reset', /Passwords cannot be reset here/],
    ] as const) {
      const page = await browser.get(`${service.url}/oidc/${path}?interaction=${interaction}`)
      assert.equal(page.status, 404)
      assert.match(page.text, says)
      const posted = await browser.post(`${service.url}/oidc/${path}`, { interaction, csrf, username: 'a@example.com' })
      assert.equal(posted.status, 404)
      assert.match(posted.text, says)
    }
    assert.equal((await browser.get(`${service.url}/demo/mailbox`)).status, 404)
  } finally {
    await service.stop()
  }
})

test('demo mode shows its mails newest first, as text, with links that can be followed', async () => {
  const service = await startHandover()
  after(service.stop)
  const browser = new WebClient()
  assert.match((await browser.get(`${service.url}/demo/mailbox`)).text, /Nothing yet/)
  for (const login of ['nurse', 'facility']) {
    await browser.submit(await browser.open(`${service.url}/oidc/reset`), { username: login })
    const arrived = async () => (await browser.get(`${service.url}/demo/mailbox`)).text.includes(`to ${login}@`)
    assert.ok(await soon(arrived, PATIENCE_MS))
  }
  const { text, headers } = await browser.get(`${service.url}/demo/mailbox`)
  assert.ok(text.indexOf('to facility@') < text.indexOf('to nurse@'))
  assert.match(text, /<a href="http:\/\/localhost:\d+\/oidc\/reset\/password\?secret=/)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const json = await browser.get(`${service.url}/demo/mailbox.json`)
  assert.match(json.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal((await browser.get(`${service.url}/demo/mailbox`, { 'x-forwarded-for': '1.2.3.4' })).status, 403)
  assert.equal((await browser.get(`${service.url}/demo/nothing`)).status, 404)
})
