// The peer graphile-worker: a delivery is a job and a task each; the queue fetches and completes them in batches.
import { Logger, run, runMigrations } from 'graphile-worker'
import { attempt, databaseUrl, isDelivered, record, takeEventsIn } from './pipeline.ts'
import type { DeliveryJob } from './pipeline-store.ts'

const TASK = 'deliver'
/** With the local queue: the best of 20 with 100, 50 with 500, 100 with 500 and 100 with 1,000 by deliveries a second. */
const CONCURRENT_JOBS = 100
const LOCAL_QUEUE = 500

await runMigrations({ connectionString: databaseUrl })
await run({
  connectionString: databaseUrl,
  noHandleSignals: true,
  taskList: {
    [TASK]: async (payload) => {
      if (!isDeliveryJob(payload)) throw new Error('Not a delivery')
      const made = await attempt(payload)
      await record([made])
      if (!isDelivered(made)) throw new Error(`Answered ${made.status}`)
    },
  },
  preset: {
    worker: {
      concurrentJobs: CONCURRENT_JOBS,
      maxPoolSize: 10,
      localQueue: { size: LOCAL_QUEUE },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger: new Logger(() => () => {}),
    },
  },
})

function isDeliveryJob(payload: unknown): payload is DeliveryJob {
  return typeof payload === 'object' && payload !== null && 'webhookId' in payload
}

await takeEventsIn(async (tx, jobs) => {
  const specs = jobs.map((payload) => ({ identifier: TASK, payload, max_attempts: 10 }))
  await tx`
    select 1 from graphile_worker.add_jobs(array(
      select json_populate_recordset(null::graphile_worker.job_spec, ${JSON.stringify(specs)}::text::json)))`
})
