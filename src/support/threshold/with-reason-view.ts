import { faultSummary } from '../../ui/fault-summary.ts'
import { button, form, notice } from '../../ui/form.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { textArea } from '../../ui/text-area.ts'

/** What is about to be done, in words, and what is asked for beside the reason. */
export type Asked = {
  title: string
  /** The page of what it is about. */
  back: { href: string; name: string }
  /** What will happen, before it does. */
  what: Content
  button: string
  kind: 'primary' | 'danger'
  /** Who reads the reason. */
  hint: string
  /** Sent along: which of several is meant. */
  hidden?: Readonly<Record<string, string>>
  /** Further fields, by their names, and how they are drawn. */
  labels?: Readonly<Record<string, string>>
  fields?: Content
}

export type ReasonView = {
  action: string
  csrf: string
  asked: Asked
  reason: string
  faults: Readonly<Record<string, string | undefined>>
}

export function reasonContent({ action, csrf, asked, reason, faults }: ReasonView): Markup {
  const { title, back, what, kind, hint, hidden = {}, labels = {}, fields = null } = asked
  return html`<p class="crumb"><a href="${back.href}"><bdi>${back.name}</bdi></a></p>
${faults['page'] !== undefined && notice('error', faults['page'])}
${faultSummary({ ...labels, reason: 'Reason' }, faults)}
<section class="card narrow">
<h1>${title}</h1>
${what}
${form(action, { csrf, ...hidden }, [
  fields,
  textArea({ name: 'reason', label: 'Reason', value: reason, rows: 3, hint, error: faults['reason'] ?? null }),
  html`<div class="actions">${button(asked.button, { kind })}<a class="button quiet" href="${back.href}">Cancel</a></div>`,
])}
</section>`
}
