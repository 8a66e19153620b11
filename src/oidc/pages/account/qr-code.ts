import { encode } from 'uqr'
import { html, type Markup } from '../../../ui/html.ts'

/** Four modules of white around it: scanners need them (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** A QR code as one inline SVG path. Black on white whatever the page's colours are, because not every scanner reads the reverse. */
export function qrCode(text: string, label: string): Markup {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const path = data.flatMap((row, y) => runsOf(row).map(({ from, length }) => `M${from} ${y}h${length}v1h-${length}z`))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000" d="${path.join('')}"/></svg>`
}

/** Neighbours are drawn as one: half the bytes. */
function runsOf(row: readonly boolean[]): Array<{ from: number; length: number }> {
  const marks = row.map((dark) => (dark ? 'x' : ' ')).join('')
  return [...marks.matchAll(/x+/g)].map(({ index, 0: run }) => ({ from: index, length: run.length }))
}
