import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CALLBACK, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { loggedRequest } from '../harness/request-rows.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url } = scene

const app = await scene.client()

async function refused(path: string, query: Record<string, string>): Promise<Response> {
  const answer = await fetch(`${url}/oidc/${path}?${new URLSearchParams(query).toString()}`, { redirect: 'manual' })
  assert.equal(answer.status, 400)
  await answer.text()
  return answer
}

test('who makes up applications without end hides no refusal of one that there is', async () => {
  const asked = { redirect_uri: CALLBACK, response_type: 'code' }
  for (let round = 0; round < 6; round += 1)
    await Promise.all(
      Array.from({ length: 50 }, (_, each) => refused('authorize', { ...asked, client_id: `app_${round}_${each}` })),
    )
  const wrong = await refused('authorize', { ...asked, client_id: app.id, redirect_uri: `${CALLBACK}/` })
  const elsewhere = 'https://elsewhere.example/'
  const out = await refused('logout', { client_id: app.id, post_logout_redirect_uri: elsewhere })
  assert.match((await loggedRequest(db, wrong)).reason ?? '', /redirect_uri is not registered/)
  assert.match((await loggedRequest(db, out)).reason ?? '', /post_logout_redirect_uri is not allowed/)
})
