import { DEFINITIONS } from '../../domain/support-requests/setting-definitions.ts'
import { ageInWords } from '../../ui/age.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { textArea } from '../../ui/text-area.ts'
import { requestFacts, type ShownRequest } from './queue-view.ts'

export type AnswerFaults = { note?: string; page?: string }

export type AnswerView = { csrf: string; request: ShownRequest; note: string; faults: AnswerFaults; now: Date }

export function answerContent({ csrf, request, note, faults, now }: AnswerView): Markup {
  const { id, setting, state, applicationName, createdAt } = request
  const { label, about } = DEFINITIONS[setting]
  const at = `/support/requests/${id}`
  return html`<p class="crumb"><a href="/support">Requests</a></p>
${faults.page !== undefined && notice('error', faults.page)}
${faultSummary({ note: 'Note' }, faults)}
<div class="desk-head"><div><h1>${label} for <bdi>${applicationName}</bdi></h1>
<p class="lead">${state === 'open' ? `Waiting ${ageInWords(createdAt, now)}.` : `This request is ${state}.`} ${about}</p></div></div>
${card('facts', 'What is asked', requestFacts(request))}
${
  state === 'open' &&
  card(
    'answer',
    'Your answer',
    form(`${at}/approve`, { csrf }, [
      textArea({
        name: 'note',
        label: 'Note',
        value: note,
        required: false,
        hint: 'Their whole team can read it. Needed to deny; helpful to approve.',
        error: faults.note ?? null,
      }),
      html`<div class="actions"><button type="submit" class="primary">Approve</button><button type="submit" class="danger" formaction="${at}/deny">Deny</button></div>`,
    ]),
  )
}`
}
