import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { revoke } from '../../src/domain/tokens/revocations.ts'
import { addPerson } from '../harness/add-person.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { soonHeard } from '../harness/soon.ts'
import { startTokenScene } from '../harness/token-scene.ts'

// A process whose machine shows another time gives and judges tokens by the database's clock all the same (decision A7).

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene
const preload = new URL('../harness/shifted-clock.ts', import.meta.url).href

for (const [title, shiftMs] of [
  ['three seconds ahead', 3_000],
  ['ten minutes ahead', 600_000],
  ['two hours ahead', 7_200_000],
  ['ten minutes behind', -600_000],
] as const) {
  test(`a process that is ${title}`, async () => {
    const other = await startSecondProcess(scene.service, undefined, {
      NODE_OPTIONS: `--import ${preload}`,
      CLOCK_SHIFT_MS: String(shiftMs),
    })
    try {
      const application = await scene.application()
      const userId = await addPerson(db, 'NURSE_USER')
      const { refresh } = await scene.grant(application, { userId })
      const began = Math.floor(Date.now() / 1_000)
      const given = await scene.refresh(application, refresh, {}, other.url)
      assert.equal(given.status, 200, given.text)
      const token = String(given.body['access_token'])

      const { iat = 0, exp = 0 } = decodeJwt(token)
      assert.ok(iat >= began - 1 && iat <= Date.now() / 1_000, `${iat - began} s after it was asked for`)
      assert.equal(exp - iat, 3_600)
      for (const url of [scene.url, other.url])
        assert.equal((await scene.userinfo(token, url)).status, 200, 'good everywhere')

      await revoke(db, { user: userId })
      for (const url of [scene.url, other.url])
        assert.ok(await soonHeard(db, async () => (await scene.userinfo(token, url)).status === 401), 'and revoked')
    } finally {
      await other.stop()
    }
  })
}
