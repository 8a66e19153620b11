import { unescapeHtml } from '../harness/page-forms.ts'

/** Where the links of a page lead, style sheets and alternates included. */
export function hrefsOn(markup: string): string[] {
  const found = [...markup.matchAll(/<(?:a|link)\b[^>]*? href="([^"]*)"/g)].map(([, href = '']) => unescapeHtml(href))
  return [...new Set(found)].filter((href) => !href.startsWith('data:'))
}

export function idsOn(markup: string): Set<string> {
  return new Set([...markup.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => unescapeHtml(id)))
}
