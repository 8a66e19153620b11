// Reads vectors, a line each, and answers true or false, a line each. Its first argument is the file with the sample.
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const { verifyWebhook } = await import(pathToFileURL(process.argv[2] ?? '').href)
/** @param {string} item */
const bytes = (item) => Buffer.from(item.slice(item.indexOf(':') + 1), 'base64')
/** @param {string} list */
const items = (list) => list.split(',').filter((item) => item !== '')

for (const line of (await text(process.stdin)).trimEnd().split('\n')) {
  const [now, secrets = '', headers = '', body = ''] = line.split('\t')
  const named = items(headers).map((item) => [item.slice(0, item.indexOf(':')), bytes(item).toString()])
  const known = items(secrets).map((item) => bytes(item).toString())
  console.log(verifyWebhook(bytes(body), Object.fromEntries(named), known, Number(now)))
}
