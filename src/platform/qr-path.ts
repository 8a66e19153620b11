import { encode } from 'uqr'

/** Four modules of white around it: scanners need them (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** A QR code as one SVG path: how many modules wide it is, and where the dark ones are. */
export type QrPath = { size: number; dark: string }

export function qrPath(text: string): QrPath {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const runs = data.flatMap((row, y) => runsOf(row).map(({ from, length }) => `M${from} ${y}h${length}v1h-${length}z`))
  return { size, dark: runs.join('') }
}

/** Neighbours are drawn as one: half the bytes. */
function runsOf(row: readonly boolean[]): Array<{ from: number; length: number }> {
  const marks = row.map((dark) => (dark ? 'x' : ' ')).join('')
  return [...marks.matchAll(/x+/g)].map(({ index, 0: run }) => ({ from: index, length: run.length }))
}
