import { answerRequest } from '../../../domain/support-requests/answer-store.ts'
import { requestsOfApplication } from '../../../domain/support-requests/request-list-store.ts'
import type { SupportSetting } from '../../../domain/support-requests/setting-definitions.ts'
import type { SupportChange } from '../../../domain/support-requests/setting-input.ts'
import { askSupport } from '../../../domain/support-requests/support-request-store.ts'
import type { Deps } from '../../deps.ts'
import { type DemoValues, demoId } from '../demo-values.ts'
import { rosterId } from './seed-past.ts'

type Asked = {
  applicationId: string
  setting: SupportSetting
  wanted: SupportChange
  reason: string
  /** Null while it waits for somebody. */
  answered: { verdict: 'approved' | 'denied'; answer: string | null } | null
}

/** Something for the support console to answer, and two things that it answered. Once: who was ever asked for is left alone. */
export async function seedSupportRequests({ db, cipher }: Deps, values: DemoValues): Promise<void> {
  const teamId = demoId(cipher, 'tem', 'demo')
  const askedBy = demoId(cipher, 'int', 'owner')
  const asking = { actor: { kind: 'integrator', id: askedBy, name: values.PORTAL_EMAIL }, requestId: null } as const
  const agent = { kind: 'staff', id: demoId(cipher, 'stf', 'agent'), name: values.SUPPORT_EMAIL } as const
  for (const { answered, ...request } of requests(values, rosterId(cipher))) {
    const before = await requestsOfApplication(db, request.applicationId, { before: null, limit: 1 })
    if (before.requests.length > 0) continue
    const asked = await askSupport(db, { teamId, askedBy, ...request }, asking)
    if (answered === null || asked.outcome !== 'asked') continue
    const answer = { id: asked.id, ...answered, by: values.SUPPORT_EMAIL }
    await answerRequest(db, answer, { actor: agent, requestId: null })
  }
}

function requests(values: DemoValues, roster: string): Asked[] {
  return [
    {
      applicationId: roster,
      setting: 'api-rate',
      wanted: { apiRatePerSecond: 80, apiRateBurst: 160 },
      reason: 'At the change of shifts we read the deliveries of every facility at once.',
      answered: { verdict: 'approved', answer: null },
    },
    {
      applicationId: values.OFF_CLIENT_ID,
      setting: 'client-credentials',
      wanted: { clientCredentials: true },
      reason: 'Our back end registers webhooks at night, when nobody is signed in.',
      answered: null,
    },
    {
      applicationId: values.SPA_CLIENT_ID,
      setting: 'password-grant',
      wanted: { passwordGrant: true },
      reason: 'We would like to keep our own sign-in form.',
      answered: {
        verdict: 'denied',
        answer:
          'A page in a browser must not see passwords. Use the authorization code with PKCE: people sign in with us.',
      },
    },
  ]
}
