import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newApplication } from '../applications/application.ts'
import { DEFINITIONS, SUPPORT_SETTINGS, type SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'
import { readReason } from './support-request.ts'
import { firstTexts, readWanted, settingInWords, typedTexts } from './support-setting.ts'

const application = newApplication({ id: 'app_1', name: 'Rota', type: 'web' })

describe('settings that only support may change (decision B7)', () => {
  for (const setting of SUPPORT_SETTINGS) {
    test(`${setting}: as it is shown it is read, and changes nothing`, () => {
      const texts = Object.fromEntries(DEFINITIONS[setting].inputs.map(({ name, text }) => [name, text(application)]))
      const { wanted, faults } = readWanted(setting, texts)
      assert.deepEqual(faults, {})
      assert.notDeepEqual(wanted, {})
      assert.deepEqual({ ...application, ...wanted }, application)
    })

    test(`${setting}: a form shows it, and has words for it`, () => {
      const first = firstTexts(setting, application)
      assert.deepEqual(
        Object.keys(first),
        DEFINITIONS[setting].inputs.map(({ name }) => name),
      )
      assert.notEqual(settingInWords(setting, application), '')
    })
  }

  const READ: Array<[SupportSetting, Record<string, string>, SupportChange]> = [
    ['client-credentials', { clientCredentials: 'on' }, { clientCredentials: true }],
    ['password-grant', { passwordGrant: 'off' }, { passwordGrant: false }],
    ['token-authentication', { tokenEndpointAuthentication: 'none' }, { tokenEndpointAuthentication: 'none' }],
    ['api-scopes', { apiScopes: 'marketplace:read' }, { apiScopes: ['marketplace:read'] }],
    ['environments', { environments: 'sandbox production' }, { environments: ['production', 'sandbox'] }],
    [
      'post-logout-uris',
      { postLogoutRedirectUris: ' https://a.example/out \r\n\r\nhttps://b.example/out\nhttps://a.example/out' },
      { postLogoutRedirectUris: ['https://a.example/out', 'https://b.example/out'] },
    ],
    ['post-logout-uris', { postLogoutRedirectUris: '' }, { postLogoutRedirectUris: [] }],
    ['refresh-lifetime', { refreshLifetimeDays: '90' }, { refreshLifetimeSeconds: 7_776_000 }],
    ['refresh-leeway', { refreshLeewaySeconds: '60' }, { refreshLeewaySeconds: 60 }],
    ['token-rate', { ratePerSecond: '500', rateBurst: '1000' }, { ratePerSecond: 500, rateBurst: 1_000 }],
    ['suspension', { suspended: 'active' }, { suspended: false }],
  ]
  for (const [setting, texts, wanted] of READ)
    test(`${setting}: ${JSON.stringify(texts)} is read`, () =>
      assert.deepEqual(readWanted(setting, texts), { wanted, faults: {} }))

  const REFUSED: Array<[SupportSetting, Record<string, string>, string[]]> = [
    ['client-credentials', {}, ['clientCredentials']],
    ['client-credentials', { clientCredentials: 'ON' }, ['clientCredentials']],
    ['token-authentication', { tokenEndpointAuthentication: 'private_key_jwt' }, ['tokenEndpointAuthentication']],
    ['api-scopes', { apiScopes: '' }, ['apiScopes']],
    ['api-scopes', { apiScopes: 'admin' }, ['apiScopes']],
    ['environments', { environments: 'staging' }, ['environments']],
    ['refresh-lifetime', { refreshLifetimeDays: '0' }, ['refreshLifetimeDays']],
    ['refresh-lifetime', { refreshLifetimeDays: '366' }, ['refreshLifetimeDays']],
    ['refresh-leeway', { refreshLeewaySeconds: '61' }, ['refreshLeewaySeconds']],
    ['token-rate', { ratePerSecond: '-1', rateBurst: '1e3' }, ['ratePerSecond', 'rateBurst']],
    ['token-rate', { ratePerSecond: '٣', rateBurst: '9999999999' }, ['ratePerSecond', 'rateBurst']],
    ['post-logout-uris', { postLogoutRedirectUris: 'http://a.example' }, ['postLogoutRedirectUris']],
    ['post-logout-uris', { postLogoutRedirectUris: 'javascript:alert(1)' }, ['postLogoutRedirectUris']],
    ['post-logout-uris', { postLogoutRedirectUris: 'https://a.example/#x' }, ['postLogoutRedirectUris']],
    [
      'post-logout-uris',
      { postLogoutRedirectUris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`).join('\n') },
      ['postLogoutRedirectUris'],
    ],
  ]
  for (const [setting, texts, names] of REFUSED)
    test(`${setting}: ${JSON.stringify(texts).slice(0, 60)} is refused at its field`, () =>
      assert.deepEqual(Object.keys(readWanted(setting, texts).faults), names))

  test('each of several comes by a name of its own', () => {
    const form = new Map([
      ['apiScopes.marketplace:write', 'on'],
      ['apiScopes.admin', 'on'],
    ])
    assert.deepEqual(
      typedTexts('api-scopes', (name) => form.get(name) ?? null),
      { apiScopes: 'marketplace:write' },
    )
  })

  test('of two choices a form shows the other one, of more the one that is', () => {
    assert.deepEqual(firstTexts('client-credentials', application), { clientCredentials: 'on' })
    assert.deepEqual(firstTexts('token-authentication', application), { tokenEndpointAuthentication: 'either' })
    assert.deepEqual(firstTexts('environments', application), { environments: 'production sandbox' })
  })
})

describe('a reason', () => {
  for (const [typed, text, isRefused] of [
    [' Nightly\r\nimports  now ', 'Nightly\nimports now', false],
    ['<script>alert(1)</script>', '<script>alert(1)</script>', false],
    [null, '', true],
    [' \n ', '', true],
    ['a\u202eb', 'a\u202eb', true],
    ['a\u0007b', 'a\u0007b', true],
    ['x'.repeat(2_001), 'x'.repeat(2_001), true],
  ] as const)
    test(JSON.stringify(typed)?.slice(0, 40), () => {
      const read = readReason(typed, 'Say why.')
      assert.deepEqual([read.text, read.fault !== null], [text, isRefused])
    })
})
