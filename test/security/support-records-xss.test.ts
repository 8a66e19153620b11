import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { grantAccess, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { startSession } from '../../src/domain/sessions/session-store.ts'
import { addPerson } from '../harness/add-person.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { agentsOf, signInAt } from '../harness/support-scene.ts'
import { actWithReason } from '../harness/support-steps.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db, url } = scene
const desk = (path: string) => `${url}/support${path}`
const atDesk = await signInAt(url, await agentsOf(db, scene.service.deps)())

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg onload=alert(1)>',
  '</pre></textarea><script>alert(1)</script>',
]
const BIDI = 'exe.\u202egpj'

for (const words of HOSTILE) {
  test(`inert wherever staff see people, webhooks and deliveries: ${words}`, async () => {
    const odd = words + BIDI
    const person = await addPerson(db, 'NURSE_USER')
    await db`
      update users set name = ${odd}, email = ${odd}, email_folded = ${odd}, username = ${odd}, username_folded = ${odd},
        phone_number = ${odd}, city = ${odd}, state = ${odd} where id = ${person}`
    await startSession(db, person, { userAgent: odd, address: odd })
    const application = await scene.integrator({ name: odd })
    const [team = ''] = await db<Array<{ id: string }>>`
      insert into teams (id, name) values (${`tem_${words}`}, ${odd}) returning id`.then((rows) =>
      rows.map(({ id }) => id),
    )
    await giveToTeam(db, team, [application.id])
    await allowScope(db, { userId: person, applicationId: application.id, audience: odd }, [odd])
    await upsertFacility(db, { environment: 'sandbox', id: odd, name: odd, city: null, state: null })
    await grantAccess(db, { environment: 'sandbox', id: odd }, person)
    const [webhookId = ''] = await scene.webhooks(
      { application, userId: person, environment: 'sandbox' },
      'facility',
      1,
    )
    await db`update webhooks set url = ${`https://partner.example/${odd}`}, events = ${[odd]} where id = ${webhookId}`
    await db`update webhook_schedules set failing_since = now(), consecutive_failures = 20 where webhook_id = ${webhookId}`
    const [delivery = ''] = await finishedRows(db, 1, {
      webhookId,
      state: 'failed',
      because: odd,
      attempts: 2,
      facilityId: odd,
      eventType: odd,
      body: odd,
      url: `https://partner.example/${odd}`,
      responseHead: `x-odd: ${odd}`,
      responseBody: odd,
      message: odd,
    })
    await actWithReason(atDesk, desk(`/users/${person}/end-sessions`), { reason: words })
    await startSession(db, person, { userAgent: odd, address: odd })
    const [session] = await db<[{ sid: string }]>`
      select sid from sessions where user_id = ${person} and ended_at is null`
    const query = encodeURIComponent(odd)
    const paths = [
      `/users/${person}`,
      `/users/${person}?done=${query}`,
      `/users/${person}/end-session?session=${session.sid}`,
      `/users/${person}/withdraw?application=${application.id}`,
      `/users/${person}/reset-password`,
      `/webhooks/${webhookId}`,
      `/webhooks/${webhookId}/disable`,
      `/webhooks/${webhookId}/enable?held=${query}`,
      '/deliveries',
      `/deliveries?event=${query}&webhook=${query}&application=${query}&state=${query}&before=${query}`,
      `/deliveries/${delivery}`,
      `/deliveries/${delivery}/reveal`,
      '/health',
      `/health/rotate-keys?when=${query}`,
      '/audit',
    ]
    for (const path of paths) {
      const page = await atDesk.get(desk(path))
      assert.equal(page.status, 200, path)
      assertPageHeaders(page)
      assertInert(page.text, path)
    }
    assertInert((await atDesk.get(desk(`/deliveries?delivery=${query}&from=${query}&to=${query}`))).text, 'a filter')
    const revealed = await actWithReason(atDesk, desk(`/deliveries/${delivery}/reveal`), { reason: words })
    assert.equal(revealed.status, 200)
    assertPageHeaders(revealed)
    assertInert(revealed.text, 'revealed')
    const listings = [...revealed.text.matchAll(/<pre[\s\S]*?<\/pre>/g)].map(([listing]) => listing)
    assert.equal(listings.length, 5)
    for (const listing of listings.filter((each) => each.includes('exe.')))
      assert.ok(listing.includes('U+202E') && !listing.includes('\u202e'), 'what turns a text around is written out')
    const refused = await actWithReason(atDesk, desk(`/users/${person}/unlock`), { reason: `${words}\u202e` })
    assert.equal(refused.status, 400)
    assertInert(refused.text, 'typed as a reason')
    const rotate = await actWithReason(atDesk, desk('/health/rotate-keys'), {
      reason: words,
      confirm: words,
      when: words,
    })
    assert.equal(rotate.status, 400)
    assertInert(rotate.text, 'typed to confirm')
  })
}

/** No markup of theirs, and no quote of theirs that could end an attribute. The only script is ours; charts are ours, too. */
function assertInert(text: string, where: string): void {
  assert.doesNotMatch(
    text,
    /<script(?! src="\/public\/site\.js" defer)|<img|<svg (?!class="bars")|href="javascript:/,
    where,
  )
  for (const words of HOSTILE) assert.ok(!text.includes(words), where)
}
