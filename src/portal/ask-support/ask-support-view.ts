import type { Application } from '../../domain/applications/application.ts'
import {
  DEFINITIONS,
  SUPPORT_SETTINGS,
  type SupportSetting,
} from '../../domain/support-requests/setting-definitions.ts'
import type { SupportRequest } from '../../domain/support-requests/support-request.ts'
import { settingInWords } from '../../domain/support-requests/support-setting.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { settingField } from '../../ui/setting-field.ts'
import { table } from '../../ui/table.ts'
import { textArea } from '../../ui/text-area.ts'

/** The form of the one setting that was chosen, and what stands in it. */
export type AskForm = {
  setting: SupportSetting
  texts: Readonly<Record<string, string>>
  reason: string
  faults: Readonly<Record<string, string | undefined>>
}

export type AskSupportView = {
  csrf: string
  /** /portal/teams/…/applications/…/support */
  at: string
  application: Application
  mayAsk: boolean
  /** Whether answers are mailed, too. */
  mail: boolean
  done: Markup | null
  asking: AskForm | null
  requests: readonly SupportRequest[]
  /** Settings that a request is open for. */
  open: readonly SupportSetting[]
  /** The cursor of the next page. */
  older: string | null
  isFirstPage: boolean
}

export function askSupportContent(view: AskSupportView): Markup {
  return html`${view.done}
${askCard(view)}
${requestsCard(view)}
${settingsCard(view)}`
}

function askCard({ csrf, at, application, asking }: AskSupportView): Markup | null {
  if (asking === null) return null
  const { setting, texts, reason, faults } = asking
  const { label, about, inputs } = DEFINITIONS[setting]
  // An application can only be asked to be let free: that needs no more than words.
  const shown = setting === 'suspension' ? [] : inputs
  const labels = Object.fromEntries([...shown.map((input) => [input.name, input.label]), ['reason', 'Reason']])
  return html`${faults['page'] !== undefined && notice('error', faults['page'])}
${faultSummary(labels, faults)}
${card(
  'ask',
  setting === 'suspension' ? 'Ask support to lift the suspension' : html`Ask support: ${label}`,
  html`<p class="faint">${about} At present: <strong>${settingInWords(setting, application)}</strong>.</p>
${form(at, { csrf, setting }, [
  shown.map((input) => settingField(input, texts[input.name] ?? '', faults[input.name])),
  textArea({
    name: 'reason',
    label: 'Reason',
    value: reason,
    rows: 5,
    hint: 'What you are building and why you need it. Support and everybody in your team can read it: put no secrets here.',
    error: faults['reason'] ?? null,
  }),
  html`<div class="actions">${button('Send to support')}<a class="button quiet" href="${at}">Cancel</a></div>`,
])}`,
)}`
}

const STATES = {
  open: html`<span class="tag">waiting for support</span>`,
  approved: html`<span class="tag good">approved</span>`,
  denied: html`<span class="tag bad">denied</span>`,
  withdrawn: html`<span class="tag">withdrawn</span>`,
} as const

function requestsCard(view: AskSupportView): Markup | null {
  const { at, requests, older, isFirstPage } = view
  if (requests.length === 0 && isFirstPage) return null
  return card(
    'requests',
    'Your requests',
    html`${
      requests.length === 0
        ? html`<p class="none">There is nothing older.</p>`
        : html`<ul class="rows">${requests.map((request) => requestRow(view, request))}</ul>`
    }
${older !== null && html`<p class="actions"><a class="button quiet" href="${at}?before=${older}">Older requests</a></p>`}`,
    !isFirstPage && html`<a href="${at}">Newest</a>`,
  )
}

function requestRow({ csrf, at, application, mayAsk }: AskSupportView, request: SupportRequest): Markup {
  const { id, setting, wanted, reason, state, answer, answeredAt, askedBy, createdAt } = request
  const { label } = DEFINITIONS[setting]
  const words = settingInWords(setting, { ...application, ...wanted })
  return html`<li><div><strong>${label}: ${words}</strong> ${STATES[state]}
<p class="said"><bdi>${reason}</bdi></p>
<p>Asked by <bdi>${askedBy ?? 'somebody whose account is gone'}</bdi>, ${moment(createdAt)}</p>
${answer !== null && html`<p class="said answer"><strong>Support:</strong> <bdi>${answer}</bdi></p>`}
${answeredAt !== null && state !== 'withdrawn' && html`<p>Answered ${moment(answeredAt)}</p>`}</div>
${
  state === 'open' &&
  mayAsk &&
  form(
    `${at}/withdraw`,
    { csrf, request: id },
    html`<button type="submit" class="quiet">Withdraw<span class="unseen"> the request about ${label}</span></button>`,
  )
}</li>
`
}

function settingsCard({ at, application, mayAsk, mail, open }: AskSupportView): Markup {
  const shown = SUPPORT_SETTINGS.filter((setting) => setting !== 'suspension' || application.suspended)
  const rows = shown.map((setting) => [
    html`<strong>${DEFINITIONS[setting].label}</strong><br><span class="faint">${DEFINITIONS[setting].about}</span>`,
    settingInWords(setting, application),
    ...(mayAsk
      ? [
          open.includes(setting)
            ? html`<span class="tag">asked</span>`
            : html`<a href="${at}?setting=${setting}">Ask<span class="unseen"> for another value of ${DEFINITIONS[setting].label}</span></a>`,
        ]
      : []),
  ])
  return card(
    'settings',
    'What only support can change',
    html`<p class="faint">${
      mayAsk
        ? `Ask for what you need and say why. What is approved holds at once${mail ? '; you get a mail when support has answered' : ''}.`
        : 'Owners and developers of the team can ask support for these.'
    }</p>
${table({ caption: 'Settings that only support can change', columns: ['Setting', 'At present', ...(mayAsk ? [''] : [])], rows })}`,
  )
}
