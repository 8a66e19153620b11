import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newApplication } from '../../domain/applications/application.ts'
import type { Session } from '../../domain/sessions/session.ts'
import { nextStep, type Situation, type Step, silentError } from './next-step.ts'
import type { AuthorizeRequest, Prompt } from './request.ts'

/** Seconds on one clock: signed in at 100, asked at 200, now it is 300. */
const at = (seconds: number) => new Date(seconds * 1_000)

const user: Session['user'] = {
  id: 'usr_1',
  role: 'NURSE_USER',
  email: 'a@example.com',
  emailVerified: true,
  username: null,
  name: 'A',
  nickname: null,
  picture: null,
  phoneNumber: null,
  phoneNumberVerified: false,
  city: null,
  state: null,
}
const signedIn = (seconds: number): Session => ({ sid: 'ses_1', user, authTime: at(seconds) })
const asked: Situation['interaction'] = { createdAt: at(200), consentedAt: null, selectedAt: null }
const prompt = (...words: Prompt[]): Partial<AuthorizeRequest> => ({ prompt: new Set(words) })
const application = { ...newApplication({ id: 'app', name: 'Test', type: 'web' }), secrets: [] }
const ofNative = (redirectUri: string): Partial<AuthorizeRequest> => ({
  application: { ...application, type: 'native' },
  redirectUri,
})

type Given = Partial<Omit<Situation, 'request'>> & { request?: Partial<AuthorizeRequest> }

const table: Array<[string, Given, Step]> = [
  ['nobody is signed in', { session: null }, 'sign-in'],
  ['nobody is signed in, and a new account is wanted', { session: null, request: { signUpFirst: true } }, 'sign-up'],
  ['somebody is signed in, and a new account is wanted', { request: { signUpFirst: true } }, 'issue'],
  ['all is well', {}, 'issue'],

  ['prompt=login, just asked', { request: prompt('login') }, 'sign-in'],
  ['prompt=login, not signed in since', { request: prompt('login'), interaction: asked }, 'sign-in'],
  ['prompt=login, signed in since', { request: prompt('login'), interaction: asked, session: signedIn(201) }, 'issue'],
  ['max_age is met', { request: { maxAgeSeconds: 200 } }, 'issue'],
  ['max_age is over', { request: { maxAgeSeconds: 199 } }, 'sign-in'],
  ['max_age is over, not signed in since', { request: { maxAgeSeconds: 0 }, interaction: asked }, 'sign-in'],
  [
    'max_age=0, signed in since',
    { request: { maxAgeSeconds: 0 }, interaction: asked, session: signedIn(201) },
    'issue',
  ],
  ['the hint names this person', { request: { hintedUserId: 'usr_1' } }, 'issue'],
  ['the hint names another', { request: { hintedUserId: 'usr_2' } }, 'sign-in'],
  [
    'the hint names another, though signed in since',
    { request: { hintedUserId: 'usr_2' }, interaction: asked, session: signedIn(201) },
    'wrong-person',
  ],

  ['the account is to be chosen', { request: prompt('select_account') }, 'select-account'],
  ['it is not chosen yet', { request: prompt('select_account'), interaction: asked }, 'select-account'],
  ['it was chosen', { request: prompt('select_account'), interaction: { ...asked, selectedAt: at(210) } }, 'issue'],
  [
    'it was chosen by signing in',
    { request: prompt('select_account'), interaction: asked, session: signedIn(201) },
    'issue',
  ],

  ['nothing was ever allowed', { allowedScope: null }, 'consent'],
  ['less was allowed', { allowedScope: ['email'] }, 'consent'],
  ['more was allowed', { allowedScope: ['openid', 'email'] }, 'issue'],
  ['it was allowed just now', { allowedScope: null, interaction: { ...asked, consentedAt: at(210) } }, 'issue'],
  [
    'who was signed in before allowed it',
    { allowedScope: null, interaction: { ...asked, consentedAt: at(210) }, session: signedIn(220) },
    'consent',
  ],
  ['prompt=consent', { request: prompt('consent') }, 'consent'],
  [
    'prompt=consent, answered',
    { request: prompt('consent'), interaction: { ...asked, consentedAt: at(210) } },
    'issue',
  ],
  ['first-party', { allowedScope: null, request: { application: { ...application, firstParty: true } } }, 'issue'],
  ['native on loopback', { request: ofNative('http://127.0.0.1:1/cb') }, 'consent'],
  ['native on loopback with https', { request: ofNative('https://localhost/cb') }, 'consent'],
  ['native with a scheme of its own', { request: ofNative('com.example.app:/cb') }, 'consent'],
  ['native with an address that it has proven', { request: ofNative('https://app.example/cb') }, 'issue'],
]
for (const [what, { request = {}, ...given }, step] of table) {
  test(`${what}: ${step}`, () => {
    const situation: Situation = {
      request: {
        application,
        redirectUri: 'https://client.example/cb',
        redirectUriSent: null,
        mode: 'query',
        state: null,
        responseType: 'code',
        nonce: null,
        scope: ['openid'],
        audience: null,
        codeChallenge: null,
        prompt: new Set(),
        maxAgeSeconds: null,
        loginHint: null,
        hintedUserId: null,
        signUpFirst: false,
        ...request,
      },
      session: signedIn(100),
      allowedScope: ['openid'],
      interaction: null,
      now: at(300),
      ...given,
    }
    assert.equal(nextStep(situation), step)
  })
}

test('what would be asked is an error when nobody may be asked (OpenID Core 3.1.2.6)', () => {
  assert.deepEqual((['sign-in', 'sign-up', 'select-account', 'consent'] as const).map(silentError), [
    'login_required',
    'login_required',
    'account_selection_required',
    'consent_required',
  ])
})
