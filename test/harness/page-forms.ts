/** A form as it stands in a page: where it posts to, and what it sends before anybody types (buttons are not pressed). */
export type PageForm = { method: string; action: string; fields: Record<string, string> }

/** Reads our own markup, which is regular; it is no parser for anybody else's. */
export function readForms(page: string, url: string): PageForm[] {
  return [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', content = '']) => {
    const fields = [...content.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => attributesOf(input))
    const sent = fields.filter(
      ({ name, type = '', checked }) =>
        name !== undefined && (!['radio', 'checkbox'].includes(type) || checked !== undefined),
    )
    const { action = '', method = 'get' } = attributesOf(head)
    return {
      method: method.toLowerCase(),
      action: new URL(action, url).href,
      fields: Object.fromEntries([...sent.map(({ name = '', value = '' }) => [name, value]), ...longerFields(content)]),
    }
  })
}

/** What stands in text areas, and what is selected. */
function longerFields(content: string): Array<[string, string]> {
  const areas = [...content.matchAll(/<textarea\b([^>]*)>\n?([\s\S]*?)<\/textarea>/g)]
  const selects = [...content.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)]
  return [
    ...areas.map(([, head = '', text = '']): [string, string] => [
      attributesOf(head)['name'] ?? '',
      unescapeHtml(text),
    ]),
    ...selects.map(([, head = '', options = '']): [string, string] => {
      const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => attributesOf(option))
      const chosen = all.find(({ selected }) => selected !== undefined) ?? all[0]
      return [attributesOf(head)['name'] ?? '', chosen?.['value'] ?? '']
    }),
  ]
}

export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? entity)
}

const CHARACTERS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

function attributesOf(tag: string): Record<string, string | undefined> {
  const found = tag.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}
