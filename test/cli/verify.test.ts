import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { verifyCommand } from '../../src/cli/verify.ts'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { runHandover } from '../harness/process.ts'
import { runCommand } from '../harness/run-command.ts'

const folder = await mkdtemp(join(tmpdir(), 'handover-verify-'))
after(() => rm(folder, { recursive: true, force: true }))

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const BODY = '{"id":"evt_1","type":"shift.created","data":{"shiftId":"4711","ward":"Süd"}}'
const env = { HANDOVER_WEBHOOK_SECRET: SECRET }

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const headersFor = (secrets = [SECRET], ageSeconds = 0) => {
  const headers = signedHeaders({ id: 'evt_1', body: BODY }, secrets, new Date(Date.now() - ageSeconds * 1_000))
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}
const raw = (more: string[] = [], body: string | Buffer = BODY, headers = headersFor()) =>
  Buffer.concat([
    Buffer.from(['POST /hooks HTTP/1.1', 'Host: localhost', ...headers, ...more, '', ''].join('\r\n')),
    Buffer.from(body),
  ])

test('valid: headers and body in files, the secret from the environment, a file or standard input', async () => {
  const parts = ['--headers-file', await file('h', headersFor().join('\n')), '--body-file', await file('b', BODY)]
  const secretFile = await file('s', `${OTHER}\n${SECRET}\n`)
  const ways: Array<[string[], Record<string, string>, string?]> = [
    [[], env],
    [['--secret-file', secretFile], {}],
    [['--secret-stdin'], {}, `${SECRET}\n`],
  ]
  for (const [more, given, input] of ways) {
    const ran = await runCommand(verifyCommand, [...parts, ...more], given, input)
    assert.equal(ran.failed, null)
    assert.match(ran.out, /^The signature is valid\.\n/)
    for (const secret of [SECRET, OTHER]) assert.ok(!ran.out.includes(secret))
  }
})

test('valid: a whole request as a proxy saved it, with CRLF or LF, a length, chunks, or a line break more at the end', async () => {
  const bytes = Buffer.byteLength(BODY)
  const half = Buffer.from(BODY).subarray(0, 20)
  const rest = Buffer.from(BODY).subarray(20)
  const chunks = Buffer.concat([
    Buffer.from(`${half.length.toString(16)}\r\n`),
    half,
    Buffer.from(`\r\n${rest.length.toString(16)};ext=1\r\n`),
    rest,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  const requests = [
    raw(),
    raw([`Content-Length: ${bytes}`]),
    raw([`content-length: ${bytes}`], `${BODY}\n`),
    raw(['Transfer-Encoding: chunked'], chunks),
    Buffer.from(raw().toString().replaceAll('\r\n', '\n')),
  ]
  for (const request of requests) {
    const ran = await runCommand(verifyCommand, ['--request-file', '-', '--json'], env, request)
    assert.equal(ran.failed, null, ran.out)
    assert.deepEqual(ran.json(), [
      { valid: true, verdict: 'valid', faults: [], fits: { signature: 1, of: 1, secret: 1 } },
    ])
  }
})

const WRONG: Array<[title: string, request: Buffer, secret: string, says: RegExp]> = [
  [
    'old',
    raw([], BODY, headersFor([SECRET], 7_500)),
    SECRET,
    /^The signature fits, but it was signed 2 hours 5 minutes ago/,
  ],
  ['in the future', raw([], BODY, headersFor([SECRET], -900)), SECRET, /signed 1[45] minutes.* in the future/],
  ['another secret', raw(), OTHER, /^Nothing fits: wrong secret/],
  ['written again', raw([], JSON.stringify(JSON.parse(BODY), null, 2)), SECRET, /over this JSON in another spelling/],
  ['a line break more', raw([], `${BODY}\n`), SECRET, /over the body without the line break at its end/],
  [
    'without headers',
    Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\n\r\n${BODY}`),
    SECRET,
    /^webhook-id is not among the headers/,
  ],
  ['cut off', raw(['Content-Length: 4000']), SECRET, /is cut off: its body has 77 bytes/],
  ['chunks that end early', raw(['Transfer-Encoding: chunked'], 'ff\r\nx'), SECRET, /cut off in the middle of a chunk/],
  ['no chunks at all', raw(['Transfer-Encoding: chunked'], BODY), SECRET, /chunks of the body cannot be read/],
  ['compressed', raw([], Buffer.from([0x1f, 0x8b, 8, 0, 0xff])), SECRET, /The body is not UTF-8 text/],
  ['no request', Buffer.from('hello'), SECRET, /This is not a whole request/],
  ['nothing', Buffer.alloc(0), SECRET, /This is not a whole request/],
]
for (const [title, request, secret, says] of WRONG) {
  test(`not valid, and why: ${title}`, async () => {
    const ran = await runCommand(verifyCommand, ['--request-file', '-'], { HANDOVER_WEBHOOK_SECRET: secret }, request)
    assert.match(ran.failed ?? '', says)
    assert.ok(!`${ran.failed}${ran.out}`.includes(secret))
  })
}

test('--ignore-age judges everything else, and --computed says how a wrong signature came about', async () => {
  const old = await runCommand(
    verifyCommand,
    ['--request-file', '-', '--ignore-age'],
    env,
    raw([], BODY, headersFor([SECRET], 9_000)),
  )
  assert.equal(old.failed, null)
  const computed = await runCommand(verifyCommand, ['--request-file', '-', '--computed', 'abc'], env, raw())
  assert.match(computed.failed ?? '', /What your code came to cannot be explained/)
})

test('refused with what to do', async () => {
  const run = (args: string[], given: Record<string, string> = env) => runCommand(verifyCommand, args, given, '')
  assert.match((await run([])).failed ?? '', /takes --request-file, or --headers-file and --body-file/)
  assert.match((await run(['--body-file', 'x'])).failed ?? '', /takes --request-file/)
  assert.match((await run(['--request-file', '/nowhere'])).failed ?? '', /cannot be read/)
  assert.match((await run(['--request-file', folder])).failed ?? '', /cannot be read/)
  assert.match((await run(['--request-file', '-', '--secret-stdin'])).failed ?? '', /at once/)
  assert.match((await run(['--secret', SECRET])).failed ?? '', /Unknown option '--secret'/)
  const request = await file('r', raw())
  assert.match((await run(['--request-file', request], {})).failed ?? '', /There is no secret/)
  const many = await file('many', [SECRET, OTHER, 'third'].join('\n'))
  assert.match((await run(['--request-file', request, '--secret-file', many], {})).failed ?? '', /two secrets at most/)
})

test('as a process: exit code 0 and 1, plain text in a pipe, and nothing but the command is loaded', async () => {
  const request = await file('request.http', raw())
  const good = runHandover(['verify', '--request-file', request], env)
  assert.equal(await good.ended, 0, good.err())
  assert.ok(!good.out().includes('\u001b'))
  const bad = runHandover(['verify', '--request-file', request], { HANDOVER_WEBHOOK_SECRET: OTHER })
  assert.equal(await bad.ended, 1)
  assert.match(bad.err(), /^handover: Nothing fits/)
})

test('on a terminal it has colours, unless NO_COLOR or TERM=dumb says not', async () => {
  const request = await file('seen.http', raw())
  const seen = async (more: Record<string, string>) => {
    const out: string[] = []
    const screen = { write: (text: string) => void out.push(text), columns: () => 80 }
    const print = (text: string) => void out.push(text)
    await verifyCommand.run({ env: { ...env, ...more }, print, warn: print, screen }, ['--request-file', request])
    return out.join('')
  }
  assert.ok((await seen({})).includes('\u001b[32m'))
  for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) assert.ok(!(await seen(more)).includes('\u001b'))
})
