import { notice } from './form.ts'
import { html, type Markup } from './html.ts'

/** At the top, with a link to each field that is wrong, so that nobody has to look for it. Fields in the page's order. */
export function faultSummary(
  labels: Readonly<Record<string, string>>,
  faults: Readonly<Record<string, string | undefined>>,
): Markup | null {
  const wrong = Object.entries(labels).filter(([name]) => faults[name] !== undefined)
  if (wrong.length === 0) return null
  const links = wrong.map(([name, label], position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`)
  return notice('error', html`Please look again at: ${links}.`)
}
