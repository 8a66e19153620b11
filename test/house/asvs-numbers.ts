/**
 * The numbers of OWASP ASVS 5.0.0 (May 2025), by level and section: `1.2 1-5` is 1.2.1 to 1.2.5. Level 2 has those of level
 * 1 too; what is missing in between is of level 3.
 */
const LEVEL_1 = `
  1.2 1-5, 1.3 1-2, 1.5 1, 2.1 1, 2.2 1-2, 2.3 1, 3.2 1-2, 3.3 1, 3.4 1-2, 3.5 1-3, 4.1 1, 4.4 1, 5.2 1-2, 5.3 1-2,
  6.1 1, 6.2 1-8, 6.3 1-2, 6.4 1-2, 7.2 1-4, 7.4 1-2, 8.1 1, 8.2 1-2, 8.3 1, 9.1 1-3, 9.2 1, 10.4 1-5, 11.3 1-2, 11.4 1,
  12.1 1, 12.2 1-2, 13.4 1, 14.2 1, 14.3 1, 15.1 1, 15.2 1, 15.3 1`

const LEVEL_2 = `
  1.1 1-2, 1.2 6-9, 1.3 3-11, 1.4 1-3, 1.5 2, 2.1 2-3, 2.2 3, 2.3 2-4, 2.4 1, 3.3 2-4, 3.4 3-6, 3.5 4-5, 3.7 1-2, 4.1 2-3,
  4.2 1, 4.3 1-2, 4.4 2-4, 5.1 1, 5.2 3, 5.4 1-3, 6.1 2-3, 6.2 9-12, 6.3 3-4, 6.4 3-4, 6.5 1-5, 6.6 1-3, 6.8 1-4, 7.1 1-3,
  7.3 1-2, 7.4 3-5, 7.5 1-2, 7.6 1-2, 8.1 2, 8.2 3, 8.4 1, 9.2 2-4, 10.1 1-2, 10.2 1-2, 10.3 1-4, 10.4 6-11, 10.5 1-5,
  10.6 1-2, 10.7 1-3, 11.1 1-2, 11.2 1-3, 11.3 3, 11.4 2-4, 11.5 1, 11.6 1, 12.1 2-3, 12.3 1-4, 13.1 1, 13.2 1-5, 13.3 1-2,
  13.4 2-5, 14.1 1-2, 14.2 2-4, 14.3 2-3, 15.1 2-3, 15.2 2-3, 15.3 2-7, 16.1 1, 16.2 1-5, 16.3 1-4, 16.4 1-3, 16.5 1-3,
  17.1 1, 17.2 1-4, 17.3 1-2`

/** `V1.2.1` → 1, for every requirement of the two levels. */
export const ASVS_LEVELS: ReadonlyMap<string, string> = new Map([...numbered(LEVEL_1, '1'), ...numbered(LEVEL_2, '2')])

function numbered(list: string, level: string): Array<[number: string, level: string]> {
  return list.split(',').flatMap((part) => {
    const [section = '', range = ''] = part.trim().split(' ')
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, step): [string, string] => [
      `V${section}.${first + step}`,
      level,
    ])
  })
}
