import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { formActionFor } from '../../http/page.ts'
import { html } from '../../ui/html.ts'
import type { Field } from './fields.ts'

/** The one script of the identity server, allowed by its hash; without JavaScript the person presses the button. */
const SUBMIT = 'document.forms[0].submit()'
const SUBMIT_HASH = createHash('sha256').update(SUBMIT).digest('base64')

/** OAuth 2.0 Form Post Response Mode. */
export function sendFormPost(reply: FastifyReply, redirectUri: string, fields: readonly Field[]): FastifyReply {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${SUBMIT_HASH}'`,
    "style-src 'self'",
    'img-src data:',
    `form-action ${formActionFor(redirectUri)}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
  return reply
    .code(200)
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(formPostPage(redirectUri, fields).toString())
}

function formPostPage(redirectUri: string, fields: readonly Field[]) {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Continue · Handover</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/public/site.css"></head>
<body>
<main class="sheet">
<form method="post" action="${redirectUri}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<h1>One more step</h1>
<p>You are going back to the application.</p>
<button type="submit">Continue</button>
</form>
</main>
<script>${SUBMIT}</script>
</body>
</html>
`
}
