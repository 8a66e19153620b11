import type { Application } from '../../domain/applications/application.ts'
import { DEFINITIONS, type SupportSetting } from '../../domain/support-requests/setting-definitions.ts'
import { settingInWords } from '../../domain/support-requests/support-setting.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { settingField } from '../../ui/setting-field.ts'
import { textArea } from '../../ui/text-area.ts'

export type ChangeView = {
  csrf: string
  application: Application
  setting: SupportSetting
  /** As typed, by the names of the inputs. */
  texts: Readonly<Record<string, string>>
  reason: string
  faults: Readonly<Record<string, string | undefined>>
}

export function changeContent({ csrf, application, setting, texts, reason, faults }: ChangeView): Markup {
  const { label, about, inputs } = DEFINITIONS[setting]
  const labels = Object.fromEntries([...inputs.map((input) => [input.name, input.label]), ['reason', 'Reason']])
  return html`${crumb(application)}
${faults['page'] !== undefined && notice('error', faults['page'])}
${faultSummary(labels, faults)}
<section class="card narrow">
<h1>${label}</h1>
<p class="lead">${about} At present: <strong>${settingInWords(setting, application)}</strong>.</p>
${form(`${addressOf(application, setting)}/preview`, { csrf }, [
  inputs.map((input) => settingField(input, texts[input.name] ?? '', faults[input.name])),
  textArea({
    name: 'reason',
    label: 'Reason',
    value: reason,
    hint: 'Written down; the team reads it in its audit log.',
    error: faults['reason'] ?? null,
  }),
  html`<div class="actions">${button('Look at the change')}<a class="button quiet" href="/support/applications/${application.id}">Cancel</a></div>`,
])}
</section>`
}

export type PreviewView = Pick<ChangeView, 'csrf' | 'application' | 'setting' | 'reason'> & {
  before: string
  after: string
  /** Everything that was typed, to be sent once more. */
  typed: Readonly<Record<string, string>>
  error: string | null
}

/** `seen` is what stands here as before: if it is otherwise by then, the page is shown once more. */
export function previewContent(view: PreviewView): Markup {
  const { csrf, application, setting, reason, before, after, typed, error } = view
  const at = addressOf(application, setting)
  return html`${crumb(application)}
${error !== null && notice('error', error)}
<section class="card narrow">
<h1>${DEFINITIONS[setting].label}</h1>
<dl class="facts">
<dt>Before</dt><dd><del>${before}</del></dd>
<dt>After</dt><dd><strong>${after}</strong></dd>
<dt>Application</dt><dd><bdi>${application.name}</bdi></dd>
<dt>Reason</dt><dd class="said"><bdi>${reason}</bdi></dd>
</dl>
${form(at, { ...typed, csrf, seen: before }, html`<div class="actions">${button('Change it')}<a class="button quiet" href="${at}">Back</a></div>`)}
</section>`
}

function crumb({ id, name }: Application): Markup {
  return html`<p class="crumb"><a href="/support/applications/${id}"><bdi>${name}</bdi></a></p>`
}

function addressOf({ id }: Application, setting: SupportSetting): string {
  return `/support/applications/${id}/settings/${setting}`
}
