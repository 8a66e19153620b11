import { html, type Markup } from './html.ts'

/** An inline SVG. Black on white whatever the page's colours are, because not every scanner reads the reverse. */
export function qrCode({ size, dark }: { size: number; dark: string }, label: string): Markup {
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000" d="${dark}"/></svg>`
}
