// The bare limit of a create: Fastify parses the JSON, one row is inserted and on disk, the answer is JSON. And that of a read:
// one row is selected. No check of any kind.
import { fastify } from 'fastify'
import { openDatabase } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { answerMessages } from './listen.ts'

const db = openDatabase({ url: process.env['DATABASE_URL'] ?? '' }, { prepare: true, poolSize: 10 })
const app = fastify()

app.post<{ Body: { url: string; events: string[]; secrets: string[] } }>('/', async ({ body }, reply) => {
  const id = newId('whk')
  const { url, events, secrets } = body
  await db`insert into bare_webhooks (id, url, events, secrets) values (${id}, ${url}, ${events}, ${secrets})`
  return reply.code(201).send({ data: { id, url, events, secrets } })
})

app.get<{ Params: { id: string } }>('/:id', async ({ params }) => {
  const [data] = await db`select id, url, events, secrets from bare_webhooks where id = ${params.id}`
  return { data }
})

const address = await app.listen({ port: 0, host: '127.0.0.1' })
answerMessages(Number(new URL(address).port), async () => null)
