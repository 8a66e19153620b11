import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeployed } from '../harness/deployed.ts'

/** More than an address may fail at one application in a minute (decision B14): the address that counts is then seen. */
const TOO_MANY = 21

type Cases = Array<[setting: string, forwarded: string[], counted: 'each its own' | 'one', title: string]>
const cases: Cases = [
  ['off', ['192.0.2.1', '192.0.2.2'], 'one', 'a header that anybody can write is not believed'],
  ['1', ['192.0.2.1', '192.0.2.2'], 'each its own', 'the proxy in front says who calls'],
  [
    '1',
    ['192.0.2.1, 198.51.100.7', '192.0.2.2, 198.51.100.7'],
    'one',
    'what comes before the proxy’s own word is not believed',
  ],
  ['2', ['192.0.2.1, 198.51.100.7', '192.0.2.2, 198.51.100.7'], 'each its own', 'two proxies: the second from the end'],
  ['127.0.0.0/8', ['192.0.2.1', '192.0.2.2'], 'each its own', 'a proxy that is named by its network'],
  ['10.0.0.0/8', ['192.0.2.1', '192.0.2.2'], 'one', 'a caller outside the named network is no proxy'],
]
for (const [setting, [first = '', second = ''], counted, title] of cases) {
  test(`HANDOVER_TRUST_PROXY=${setting}: ${title}`, async () => {
    const service = await startDeployed({ HANDOVER_TRUST_PROXY: setting })
    try {
      const guess = async (forwarded: string) => {
        const answer = await fetch(`${service.url}/oidc/oauth/token`, {
          method: 'POST',
          headers: { 'x-forwarded-for': forwarded, 'content-type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=client_credentials&client_id=app_none&client_secret=wrong&audience=x',
        })
        await answer.text()
        return answer.status
      }
      for (let count = 1; count < TOO_MANY; count += 1) assert.equal(await guess(first), 401)
      assert.equal(await guess(first), 429)
      assert.equal(await guess(second), counted === 'one' ? 429 : 401)
    } finally {
      await service.stop()
    }
  })
}
