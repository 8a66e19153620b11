import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { findUserByLogin, insertUser } from '../../src/domain/users/user-store.ts'
import { textOf } from '../harness/answer.ts'
import { arrivalOf, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { codeIn, nextMail } from '../harness/demo-mail.ts'
import { onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const application = await scene.client()

const PASSWORD = 'tangerine boat 7'
const newcomer = () => ({
  role: 'NURSE_USER',
  name: 'Ann Lee',
  nickname: 'Annie',
  email: `${randomUUID()}@example.com`,
  password: PASSWORD,
  phoneNumber: '+1 555 010 0100',
  city: 'Portland',
  state: 'OR',
})

async function signUpForm(browser: WebClient): Promise<WebAnswer> {
  const page = await scene.visit(browser, application, { screen_hint: 'signup', scope: 'openid profile email role' })
  assert.equal(pathOf(page), '/oidc/signup')
  return page
}

describe('screen_hint=signup', () => {
  test('from the form over the mailed code and the consent to tokens', async () => {
    const person = newcomer()
    const username = `ann-${randomUUID().slice(0, 8)}`
    const browser = new WebClient()
    const asked = await browser.send(await signUpForm(browser), { ...person, username })
    assert.equal(pathOf(asked), '/oidc/verify')
    assert.ok(asked.text.includes(person.email))
    assert.equal(await findUserByLogin(scene.db, person.email), null, 'nobody exists before the address is proven')

    const mail = await nextMail(scene.url, person.email)
    const code = codeIn(mail)
    const consent = await browser.send(asked, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.equal(pathOf(consent), '/oidc/consent')
    const { fields } = arrivalOf(await browser.send(consent, { decision: 'allow' }))
    const tokens = await scene.exchange(application, fields['code'] ?? '', {
      redirect_uri: 'https://client.example/callback',
    })
    assert.equal(tokens.status, 200, tokens.text)
    const { body } = await scene.userinfo(textOf(tokens, 'access_token'))
    assert.equal(body['name'], 'Ann Lee')
    assert.equal(body['nickname'], 'Annie')
    assert.equal(body['email'], person.email)
    assert.equal(body['email_verified'], true)
    assert.equal(body['role'], 'NURSE_USER')

    const stored = await findUserByLogin(scene.db, username.toUpperCase())
    assert.equal(stored?.user.phoneNumber, '+15550100100')
    assert.equal(stored?.user.phoneNumberVerified, false)
    assert.deepEqual([stored?.user.city, stored?.user.state], ['Portland', 'OR'])
    const again = new WebClient()
    const signedIn = await scene.signIn(again, await scene.visit(again, application), username, PASSWORD)
    assert.notEqual(pathOf(signedIn), '/oidc/login', 'the password is the one that was typed')
  })

  test('an account without an application ends on the person’s own page', async () => {
    const person = newcomer()
    const browser = new WebClient()
    const login = await browser.open(`${scene.url}/oidc/account`)
    const interaction = new URL(login.url).searchParams.get('interaction')
    const form = await browser.open(`${scene.url}/oidc/signup?interaction=${interaction}`)
    const asked = await browser.send(form, person)
    const done = await browser.send(asked, { code: codeIn(await nextMail(scene.url, person.email)) })
    assert.equal(pathOf(done), '/oidc/account')
    assert.ok(done.text.includes(person.email))
  })

  test('login_hint is the e-mail address to begin with', async () => {
    const page = await scene.visit(new WebClient(), application, {
      screen_hint: 'signup',
      login_hint: 'a"b@example.com',
    })
    assert.equal(onlyForm(page).fields['email'], 'a"b@example.com')
  })
})

describe('wrong fields', () => {
  test('are all named at once; what was typed stays, but for the password', async () => {
    const browser = new WebClient()
    const page = await browser.send(await signUpForm(browser), {
      ...newcomer(),
      name: '',
      email: '<b>not an address',
      username: 'a@b',
      password: 'Password1!',
      phoneNumber: 'none',
      city: 'São Paulo',
      role: null,
    })
    assert.equal(page.status, 400)
    for (const name of ['role', 'name', 'email', 'username', 'password', 'phoneNumber'])
      assert.ok(page.text.includes(`id="${name}-error"`), name)
    for (const name of ['nickname', 'city', 'state']) assert.ok(!page.text.includes(`id="${name}-error"`), name)
    const { fields } = onlyForm(page)
    assert.deepEqual(
      [fields['nickname'], fields['email'], fields['username'], fields['city'], fields['password']],
      ['Annie', '<b>not an address', 'a@b', 'São Paulo', ''],
    )
    assert.ok(!page.text.includes('Password1!'))
  })

  test('a username that somebody has is said, in any case, together with the others', async () => {
    const browser = new WebClient()
    const page = await browser.send(await signUpForm(browser), { ...newcomer(), username: 'NURSE', name: '' })
    assert.equal(page.status, 400)
    assert.match(page.text, /id="username-error">Somebody has this username/)
    assert.match(page.text, /id="name-error"/)
    const alone = await browser.send(page, { ...newcomer(), username: 'Nurse' })
    assert.match(alone.text, /id="username-error">Somebody has this username/)
  })

  test('a password with the e-mail address in it is refused', async () => {
    const browser = new WebClient()
    const person = { ...newcomer(), email: 'florence@example.com', password: 'my-Florence-2' }
    const page = await browser.send(await signUpForm(browser), person)
    assert.match(page.text, /id="password-error">Your e-mail address or username is in it/)
  })
})

test('an address or username that is taken while the code is on its way is said to who has the code', async () => {
  const person = { ...newcomer(), username: `u-${randomUUID().slice(0, 8)}` }
  const browser = new WebClient()
  const asked = await browser.send(await signUpForm(browser), person)
  const other = { ...scene.nurse, id: randomUUID(), username: person.username, passwordHash: null }
  await insertUser(scene.db, { ...other, email: `${randomUUID()}@example.com` })
  const page = await browser.send(asked, { code: codeIn(await nextMail(scene.url, person.email)) })
  assert.equal(page.status, 400)
  assert.match(page.text, /id="username-error">/)
  assert.equal(onlyForm(page).fields['email'], person.email)

  const second = await browser.send(page, { ...person, username: '' })
  assert.equal(pathOf(second), '/oidc/verify')
  await insertUser(scene.db, { ...other, id: randomUUID(), username: null, email: person.email })
  const late = await browser.send(second, { code: codeIn(await nextMail(scene.url, person.email, 2)) })
  assert.equal(late.status, 400)
  assert.match(late.text, /id="email-error">/)
})
