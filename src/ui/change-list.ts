import { html, type Markup } from './html.ts'

/** What was, or is, the case: plain values by their names. */
type State = Readonly<Record<string, string | number | boolean | null>>

/** What an entry calls its values, where people would call them otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  logoUrl: 'logo',
  redirectUris: 'redirect URIs',
  webOrigins: 'web origins',
  implicit: 'implicit flow',
  idTokenAlgorithm: 'algorithm of ID tokens',
  strictOidc: 'strict OpenID Connect',
}

/** Each value that is there or was there; one that changed as before → after. An address comes first and needs no name. */
export function changeList({ before, after }: { before: State | null; after: State | null }): Markup {
  const found = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const names = found.toSorted((one, other) => Number(other === 'email') - Number(one === 'email'))
  return html`<dl class="change">${names.map(
    (name) =>
      html`<div><dt${name === 'email' && html` class="unseen"`}>${NAMES[name] ?? name}</dt><dd>${valueInWords(before, after, name)}</dd></div>`,
  )}</dl>`
}

function valueInWords(before: State | null, after: State | null, name: string): Markup {
  const was = textOf(before, name)
  const is = textOf(after, name)
  if (was === null || is === null || was === is)
    return is === null ? html`<del>${was ?? ''}</del>` : html`<bdi>${is}</bdi>`
  return html`<del>${was}</del> <span aria-hidden="true">→</span> <ins>${is}</ins>`
}

function textOf(state: State | null, name: string): string | null {
  const value = state?.[name]
  return value === undefined || value === null ? null : String(value)
}
