import type { ApplicationType } from '../../domain/applications/application.ts'
import type { TypedSettings } from '../../domain/applications/application-settings.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'

const LABELS: Record<keyof TypedSettings, string> = {
  name: 'Name',
  logoUrl: 'Logo',
  redirectUris: 'Redirect URIs',
  webOrigins: 'Web origins',
  implicit: 'Implicit flow',
  idTokenAlgorithm: 'Algorithm of ID tokens',
  strictOidc: 'Strict OpenID Connect',
}

const OF_EVERY_TYPE: ReadonlyArray<keyof TypedSettings> = ['name', 'logoUrl']
const OF_THOSE_WHO_SIGN_IN: ReadonlyArray<keyof TypedSettings> = [
  'redirectUris',
  'webOrigins',
  'idTokenAlgorithm',
  'implicit',
  'strictOidc',
]

/** Settings to be read; those alone that are not as in `other`, when there is another. */
export function savedCard(
  title: string,
  saved: TypedSettings,
  type: ApplicationType,
  other: TypedSettings | null = null,
): Markup {
  const names = [...OF_EVERY_TYPE, ...(type === 'machine' ? [] : OF_THOSE_WHO_SIGN_IN)]
  const shown = names.filter((name) => other === null || saved[name] !== other[name])
  return card(
    'saved',
    title,
    html`<dl class="facts">${shown.map((name) => html`<dt>${LABELS[name]}</dt><dd>${valueInWords(saved[name])}</dd>`)}</dl>`,
  )
}

function valueInWords(value: string | boolean): Markup {
  if (typeof value === 'boolean')
    return value ? html`<span class="tag good">on</span>` : html`<span class="tag">off</span>`
  if (value === '') return html`<span class="none">none</span>`
  return html`${value.split('\n').map((line) => html`<div><bdi>${line}</bdi></div>`)}`
}
