import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { test } from 'node:test'
import { growth } from '../../soak/judge/flatness.ts'
import { isClean } from '../../soak/judge/verdict.ts'
import { signIn, visitAsPerson } from '../../soak/load/sign-ins.ts'
import { judgePlayed, type Played, play } from '../../soak/play.ts'
import type { Held } from '../../soak/processes.ts'
import { playKills } from '../../soak/scenarios.ts'
import type { Stage } from '../../soak/stage.ts'
import { leasesIn, runOut } from '../harness/sending-rows.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

/** The short form of `npm run soak`: kills only, on the test run's PostgreSQL. */
const SECONDS = 5

test('three processes are killed under load: nothing acknowledged is lost, nothing comes twice, nothing leaks; and the judge would see it', async () => {
  const { url, db, drop } = await createTestDatabase()
  const database = { url, faults: {}, log: async () => '', adminUrl: () => url, stop: drop }
  const playShortly = async (stage: Stage) => {
    await playKills(stage)
    // What the killed ones had in flight is not waited for until its lease ends.
    await runOut(db, await leasesIn(db))
  }
  await play({ database, play: playShortly }, { seconds: SECONDS }, async (played) => {
    const { scene } = played
    const verdict = await judgePlayed(played)
    assert.deepEqual(verdict, { lost: [], twice: [], leaked: [], grown: [], rude: [], down: [] })
    assert.ok(isClean(verdict))
    await plant(played)
    const { lost, twice, leaked, rude, down } = await judgePlayed(played)
    const sees = (found: readonly string[], ...wanted: RegExp[]) => {
      for (const pattern of wanted) assert.match(found.join('\n'), pattern)
    }
    sees(
      lost,
      /webhook whk_never is gone/,
      /webhook whk_\w+ was deleted and is there again/,
      /webhook whk_\w+ has not the address it was given/,
      /webhook whk_\w+ has not the secret it was given/,
      /a refresh token that was handed out is refused/,
      /an access token that was revoked still works/,
      /event was taken and did not arrive: first evt-never/,
      /event arrived with a wrong signature: first evt-forged/,
    )
    sees(twice, /access token, issued twice/, /a code, used a second time/, /a refresh token, used a second time/)
    sees(leaked, /the token was .*\[secret\]/, /GET \/callback \[secret\]/)
    for (const line of leaked) for (const secret of scene.ledger.secrets) assert.ok(!line.includes(secret))
    sees(rude, /1 × sign-in: 500/)
    sees(down, /ended by itself: process 1: 1/, /not back in time after: a fault/, /never done: sign-in/)
  })
})

/** One of each that must never be. The tokens are new: with the old ones the judge has done what it does with used ones. */
async function plant({ scene, strikes }: Played): Promise<void> {
  const { ledger, processes } = scene
  const [first, second, third] = ledger.webhooks
  assert.ok(first && second && third && processes[0])
  ledger.webhooks.push({ ...first, id: 'whk_never' })
  first.state = 'deleted'
  second.urls = new Set(['https://elsewhere.example'])
  third.secret = 'another'

  ledger.families.splice(0)
  ledger.redeemed.splice(0)
  // Whoever is put off comes again.
  const signedIn = async () => {
    await visitAsPerson(scene)
    return ledger.families.length >= 2
  }
  assert.ok(await soon(signedIn, PATIENCE_MS))
  const [given, used] = ledger.families
  const codes: string[] = []
  const hasCode = async () => codes.push(...[await signIn(scene)].filter((each) => each !== null)) > 0
  assert.ok(await soon(hasCode, PATIENCE_MS))
  const [code] = codes
  assert.ok(given && used && code !== undefined)
  ledger.families.push({ ...given, refresh: 'never-handed-out', used: [] })
  given.state = 'revoked'
  Object.assign(used, { state: 'unsure', used: [used.refresh] })
  ledger.redeemed.push(code)

  ledger.events.set('evt-never', 'taken')
  ledger.unverified.push('first evt-forged')
  for (let times = 0; times < 2; times += 1) ledger.issue('access token', 'the same')
  await appendFile(processes[0].logFile, `the token was ${given.access}\nGET /callback?code=${code}x\n`)
  ledger.rude.set('sign-in: 500', 1)
  ledger.tallies.delete('sign-in')
  processes[0].endings.push('process 1: 1')
  strikes.push({ name: 'a fault', backAfterMs: null })
}

test('memory and descriptors that grow are seen, each by itself', () => {
  const held: Held = { heapBytes: 50_000_000, rssBytes: 150_000_000, descriptors: 40 }
  const life = (late: Partial<Held>) => [{ name: 'one', readyAt: 0, early: held, late: { ...held, ...late } }]
  assert.deepEqual(growth(life({})), [])
  assert.deepEqual(growth(life({ heapBytes: 60_000_000, descriptors: 45 })), [])
  assert.match(growth(life({ heapBytes: 80_000_000 })).join('\n'), /^one: heap grew by 28\.6 MB$/)
  assert.match(growth(life({ rssBytes: 500_000_000 })).join('\n'), /^one: resident memory grew by/)
  assert.match(growth(life({ descriptors: 80 })).join('\n'), /^one: 40 more descriptors are open$/)
})
