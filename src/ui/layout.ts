import { type Content, html, type Markup } from './html.ts'

/** The frame around every page for people: one sheet of paper. */
export function page(title: string, content: Content): Markup {
  return documentWith(
    title,
    html`<header class="bar"><a class="brand" href="/">Handover</a></header>
<main class="sheet">
${content}
</main>`,
  )
}

/** What every page is inside of: complete without a script, and without anything from another host (decision E2). */
export function documentWith(title: string, body: Content, head: Content = null): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Handover</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/public/site.css">
${head}<script src="/public/site.js" defer></script>
</head>
<body>
${body}
</body>
</html>
`
}
