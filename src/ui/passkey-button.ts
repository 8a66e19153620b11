import { html, type Markup } from './html.ts'

/**
 * Sends its form once an authenticator has answered. Only a script can ask one, so only the script shows the button. Where it
 * makes a passkey, what the authenticator is asked stands at the button; where it uses one, that comes from `begin`.
 */
export type PasskeyButton = { label: string; kind: 'primary' | 'quiet'; action: string } & (
  | { begin: string }
  | { options: string }
)

export function passkeyButton({ label, kind, action, ...asked }: PasskeyButton): Markup {
  const data =
    'begin' in asked
      ? html` data-passkey="get" data-begin="${asked.begin}"`
      : html` data-passkey="create" data-options="${asked.options}"`
  return html`<button type="submit" class="${kind}" formaction="${action}"${data} hidden>${label}</button>`
}

/** What is said when nothing came of it (the script shows it), and to whoever has no script. */
export function passkeyNotes(words: { fault: string; already?: string; without: string }): Markup {
  return html`<p class="error" role="alert" data-fault hidden>${words.fault}</p>
${words.already !== undefined && html`<p class="error" role="alert" data-fault="InvalidStateError" hidden>${words.already}</p>`}
<noscript><p class="hint">${words.without}</p></noscript>`
}
