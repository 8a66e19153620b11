import type { Passage } from '../search/passage.ts'
import { readReference } from './read-reference.ts'

/** The operations of an API as they can be found, under the address of its page. */
export function passagesOfApi(document: object, href: string): Passage[] {
  return readReference(document).groups.flatMap(({ name, operations }) =>
    operations.map(({ id, summary, method, path, description }) => ({
      href: `${href}#${id}`,
      page: name,
      heading: summary,
      text: description,
      code: `${method} ${path}`,
    })),
  )
}
