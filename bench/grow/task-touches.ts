import { removeDeletedApplications } from '../../src/domain/applications/delete-application-store.ts'
import { forgetExpiredKeys } from '../../src/domain/command-line/command-line-key-store.ts'
import { cancelDeparted } from '../../src/domain/deliveries/departed-store.ts'
import { disableFailing, takeDisabled, takeWarnings } from '../../src/domain/deliveries/failing-store.ts'
import { minuteFigures } from '../../src/domain/deliveries/minute-figures-store.ts'
import { readQueueFigures } from '../../src/domain/deliveries/queue-figures-store.ts'
import { forgetOldReplays, stepReplays } from '../../src/domain/deliveries/replay-store.ts'
import { ensureDeliveryDays, keepRetention } from '../../src/domain/deliveries/retention-store.ts'
import { forgetOldAnswers } from '../../src/domain/idempotency/idempotency-store.ts'
import { forgetEndedWindows } from '../../src/domain/limits/failure-store.ts'
import { forgetExpiredInteractions } from '../../src/domain/sessions/interaction-store.ts'
import { forgetExpiredSessions } from '../../src/domain/sessions/session-store.ts'
import { forgetOldCodes } from '../../src/domain/tokens/authorization-code-store.ts'
import { eraseEndedLeeways, forgetExpiredFamilies } from '../../src/domain/tokens/refresh-token-store.ts'
import { forgetOldAnnouncements } from '../../src/platform/announcements.ts'
import type { Touch } from './touch.ts'

/** What goes on without anybody asking: nothing is to be done, so this is the cost of finding that out. */
export const TASK_TOUCHES: Touch[] = [
  { title: 'task: measure the queue', call: ({ db }) => readQueueFigures(db) },
  { title: 'task: figures of the last minutes', call: ({ db }) => minuteFigures(db, new Date()) },
  { title: 'task: keep the retention', call: ({ db }) => keepRetention(db) },
  { title: 'task: make the days to come', call: ({ db }) => ensureDeliveryDays(db) },
  {
    title: 'tasks: failing and deleted webhooks, replays',
    call: async ({ db }) => {
      await cancelDeparted(db)
      await disableFailing(db)
      await takeDisabled(db)
      await takeWarnings(db)
      await stepReplays(db)
      await forgetOldReplays(db)
    },
  },
  {
    title: 'tasks: forget what has expired',
    call: async ({ db }) => {
      await forgetExpiredSessions(db)
      await forgetExpiredFamilies(db)
      await eraseEndedLeeways(db)
      await forgetOldCodes(db)
      await forgetExpiredInteractions(db)
      await forgetOldAnswers(db)
      await forgetEndedWindows(db)
      await forgetOldAnnouncements(db)
      await forgetExpiredKeys(db)
      await removeDeletedApplications(db)
    },
  },
]
