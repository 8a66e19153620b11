import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/platform/log.ts'
import { startHandover } from '../harness/handover.ts'

test('queries, cookies and credentials of a request never reach the log', async () => {
  const service = await startHandover()
  try {
    await fetch(`${service.url}/oidc/nothing?code=hunter2&id_token_hint=hunter2`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer hunter2',
        cookie: 'session=hunter2',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'client_secret=hunter2&password=hunter2',
    })
    await fetch(`${service.url}/oidc/%zz?code=hunter2`).catch(() => {})
  } finally {
    await service.stop()
  }
  const lines = service.logged.map((line) => parseLine(line))
  const request = lines.find((line) => line['msg'] === 'request' && line['path'] === '/oidc/nothing')
  assert.ok(request, 'the request was logged')
  assert.match(String(request['reqId']), /^req_/)
  assert.doesNotMatch(service.logged.join(''), /hunter2/)
  for (const secret of [service.demo['MACHINE_CLIENT_SECRET'], service.demo['DEMO_PASSWORD']]) {
    assert.ok(secret && !service.logged.join('').includes(secret))
  }
})

test('a secret that is logged by mistake is redacted, two levels down too', () => {
  const written: string[] = []
  const log = createLog('info', { write: (line) => void written.push(line) })
  log.info({ password: 'hunter2', body: { client_secret: 'hunter2', inner: { refresh_token: 'hunter2' } } }, 'oops')
  log.info({ headers: { authorization: 'hunter2', cookie: 'hunter2' } }, 'oops')
  assert.equal(written.length, 2)
  assert.doesNotMatch(written.join(''), /hunter2/)
})

test('an error of the database is logged without the values of its row', async () => {
  const service = await startHandover()
  try {
    const { db } = service.deps
    const duplicate = db`insert into users (id, role, email, email_folded, name) values ('u', 'NURSE_USER', 'hunter2', ${'nurse@example.com'}, 'x')`
    const error: unknown = await duplicate.catch((failure: unknown) => failure)
    service.deps.log.error({ err: error }, 'failed')
  } finally {
    await service.stop()
  }
  const line = service.logged.find((text) => text.includes('"failed"')) ?? ''
  assert.match(line, /"errorCode":"23505"/)
  assert.doesNotMatch(line, /hunter2|nurse@example\.com/)
})

function parseLine(line: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(line)
  assert.ok(typeof parsed === 'object' && parsed !== null)
  return { ...parsed }
}
