import type { Manifest } from './contents.ts'

/** How far it is: for whoever watches. */
export type Progress = { table: string; tables: number; tablesDone: number; rows: number; bytes: number }

export type Transferred = { manifest: Manifest; rows: number; bytes: number }

const LINE_BREAK = 0x0a

/** How many rows end in it: COPY writes a row on a line, and a line break within a value as two other characters. */
export function lineBreaksIn(bytes: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) found += 1
  return found
}
