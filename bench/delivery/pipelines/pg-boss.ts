// The peer pg-boss: a delivery is a job, fetched and settled in batches.
import { PgBoss } from 'pg-boss'
import { attempt, databaseUrl, isDelivered, record, takeEventsIn } from './pipeline.ts'
import type { DeliveryJob } from './pipeline-store.ts'

const QUEUE = 'deliveries'
/** Workers and the jobs that each of them fetches: the best of 1 × 100, 2 × 100, 4 × 50, 4 × 100, 2 × 250 and 1 × 500 by CPU. */
const WORKERS = 4
const BATCH = 100

const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true })
boss.on('error', (error) => console.error(error))
await boss.start()
await boss.createQueue(QUEUE, { notify: true, retryLimit: 9, retryDelay: 5, retryBackoff: true })

await boss.work<DeliveryJob>(
  QUEUE,
  {
    batchSize: BATCH,
    localConcurrency: WORKERS,
    burstWhenBatchFull: true,
    notifyPollingIntervalSeconds: 2,
    perJobResults: true,
  },
  async (jobs) => {
    const attempts = await Promise.all(jobs.map(({ data }) => attempt(data)))
    await record(attempts)
    return attempts.map((made, position) => ({
      id: jobs[position]?.id ?? '',
      status: isDelivered(made) ? 'completed' : 'failed',
    }))
  },
)

await takeEventsIn(async (tx, jobs) => {
  const executeSql = async (text: string, values: unknown[] = []) => {
    const rows = await tx.unsafe(text, values.map(String))
    return { rows: [...rows] }
  }
  if (jobs.length > 0)
    await boss.insert(
      QUEUE,
      jobs.map((data) => ({ data })),
      { db: { executeSql } },
    )
})
