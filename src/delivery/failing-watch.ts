import {
  type Disabled,
  disableFailing,
  takeBackDisabled,
  takeBackWarning,
  takeDisabled,
  takeWarnings,
  type Warning,
} from '../domain/deliveries/failing-store.ts'
import { startAfterwards } from '../platform/afterwards.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import { disabledMail, warningMail } from './failing-mails.ts'

export type WatchParts = {
  db: Db
  clock: Clock
  /** None: whoever looks after the service hears of it, and nobody else. */
  mailer: Mailer | null
  /** Of the public API, for what mails say can be done. */
  baseUrl: string
  /** Called once for each, when its owner has been told. */
  warned: (warning: Warning) => void
  disabled: (disabled: Disabled) => void
  failed: (what: string, error: unknown) => void
}

/** Warns of webhooks that fail for long, disables them in the end, and tells their owners (decision D7). */
export type FailingWatch = { turn: () => Promise<void>; stop: () => Promise<void> }

export function createFailingWatch({ db, clock, mailer, baseUrl, warned, disabled, failed }: WatchParts): FailingWatch {
  const afterwards = startAfterwards(failed)
  let unsent = 0

  /** Mail servers can be slow or away: a turn does not wait for them, and what they do not take comes up again. */
  function tell(what: string, mails: readonly Mail[], told: () => void, takeBack: () => Promise<void>): void {
    if (mailer === null || mails.length === 0) return told()
    unsent += 1
    afterwards.run(what, async () => {
      try {
        for (const each of mails) await mailer.send(each)
        told()
      } catch (error) {
        await takeBack()
        throw error
      } finally {
        unsent -= 1
      }
    })
  }

  return {
    async turn() {
      await disableFailing(db)
      // What the mail server has not taken yet is enough for it.
      if (unsent > 0) return
      for (const each of await takeDisabled(db)) {
        const mails = each.recipients.map((to) => disabledMail(to, baseUrl, each))
        const told = () => disabled(each)
        tell('tell of a disabled webhook', mails, told, () => takeBackDisabled(db, each.webhookId))
      }
      for (const each of await takeWarnings(db)) {
        const mails = each.recipients.map((to) => warningMail(to, baseUrl, each, clock()))
        const told = () => warned(each)
        tell('warn of a failing webhook', mails, told, () => takeBackWarning(db, each))
      }
    },
    stop: afterwards.stop,
  }
}
