import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import type { Application } from './application.ts'
import { type ApplicationSettings, settingsChange, settingsMark } from './application-settings.ts'
import { holdTeamApplication } from './team-application-store.ts'

export type SaveOutcome =
  | { outcome: 'saved' | 'unknown' }
  /** Somebody else saved since the form was made: how the application is now. */
  | { outcome: 'changed-meanwhile'; application: Application }

/** `mark` says which settings the form was made from; nobody overwrites what they have not seen. */
export async function saveSettings(
  db: Db,
  saved: { teamId: string; applicationId: string; mark: string; settings: ApplicationSettings },
  doing: Doing,
): Promise<SaveOutcome> {
  const { teamId, applicationId, mark, settings } = saved
  const { actor, requestId } = doing
  return transaction(db, async (tx): Promise<SaveOutcome> => {
    const application = await holdTeamApplication(tx, saved, doing, 'application.change')
    if (application === null) return { outcome: 'unknown' }
    const change = settingsChange(application, settings)
    // What is so already needs no saving, whoever did it.
    if (change === null) return { outcome: 'saved' }
    if (settingsMark(application) !== mark) return { outcome: 'changed-meanwhile', application }
    await tx`
      update applications set
        name = ${settings.name}, logo_url = ${settings.logoUrl}, redirect_uris = ${settings.redirectUris},
        web_origins = ${settings.webOrigins}, implicit = ${settings.implicit},
        id_token_algorithm = ${settings.idTokenAlgorithm}, strict_oidc = ${settings.strictOidc}, updated_at = now()
      where id = ${applicationId}`
    const named = { application: application.name }
    await appendAudit(tx, {
      actor,
      action: 'application.changed',
      teamId,
      applicationId,
      before: { ...named, ...change.before },
      after: { ...named, ...change.after },
      requestId,
    })
    return { outcome: 'saved' }
  })
}
