import type { Application } from '../../domain/applications/application.ts'
import {
  type ApplicationSettings,
  ID_TOKEN_ALGORITHMS,
  type LineFault,
  type SettingsFaults,
  settingsMark,
  type TypedSettings,
  typedSettings,
} from '../../domain/applications/application-settings.ts'
import { MOST_REDIRECT_URIS } from '../../domain/applications/redirect-uri.ts'
import { MOST_WEB_ORIGINS } from '../../domain/applications/web-origin.ts'
import { type Membership, may } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { checkbox } from '../../ui/checkbox.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { textArea } from '../../ui/text-area.ts'
import { savedCard } from './saved-settings-view.ts'
import { typeInWords } from './type-words.ts'

export type SettingsView = {
  csrf: string
  /** /portal/teams/…/applications/… */
  path: string
  team: Membership
  application: Application
  done: Markup | null
  typed: TypedSettings
  faults: SettingsFaults
  /** What somebody else saved while this was typed. */
  meanwhile: ApplicationSettings | null
}

const LABELS = {
  name: 'Name',
  logoUrl: 'Logo',
  redirectUris: 'Redirect URIs',
  webOrigins: 'Web origins',
  idTokenAlgorithm: 'Algorithm of ID tokens',
}

const ALGORITHMS: Record<(typeof ID_TOKEN_ALGORITHMS)[number], string> = {
  RS256: 'Every library knows it',
  ES256: 'Shorter tokens, quicker to check',
  EdDSA: 'As ES256; newer libraries know it',
}

export function settingsContent(view: SettingsView): Markup {
  const { path, team, application, done, typed, faults, meanwhile } = view
  if (!may(team.role, 'application.change')) return savedCard('What is set', typed, application.type)
  const wrong = Object.fromEntries(Object.keys(faults).map((name) => [name, 'wrong']))
  return html`${done}
${faultSummary(LABELS, wrong)}
${meanwhile !== null && changedMeanwhile(typed, meanwhile, application)}
${settingsForm(view)}
${
  may(team.role, 'application.delete') &&
  card(
    'delete',
    'Delete the application',
    html`<p>Its tokens and webhooks stop at once. It can be restored for 30 days.</p>
<p class="actions"><a class="button quiet" href="${path}/delete">Delete the application</a></p>`,
  )
}`
}

function settingsForm(view: SettingsView): Markup {
  const { csrf, path, application, typed, faults } = view
  return form(`${path}/settings`, { csrf, mark: settingsMark(application) }, [
    card('about', 'What people see', [
      field({
        name: 'name',
        label: LABELS.name,
        value: typed.name,
        autocomplete: 'off',
        maxlength: 60,
        hint: 'People see it when they are asked whether they allow the application.',
        error: faults.name,
      }),
      field({
        name: 'logoUrl',
        label: LABELS.logoUrl,
        value: typed.logoUrl,
        autocomplete: 'off',
        required: false,
        hint: 'The https address of a square picture, shown beside the name.',
        error: faults.logoUrl,
      }),
    ]),
    application.type !== 'machine' && signInCards(view),
    html`<div class="actions">${button('Save the settings')}<a class="button quiet" href="${path}/settings">Undo</a></div>
<p class="aside">Type: ${typeInWords(application.type)}. It stays as it was made.</p>
`,
  ])
}

function signInCards({ application, typed, faults }: SettingsView): Markup {
  return html`${card('places', 'Where people come back to', [
    textArea({
      name: 'redirectUris',
      label: LABELS.redirectUris,
      value: typed.redirectUris,
      rows: 5,
      required: false,
      hint: html`One to a line, at most ${MOST_REDIRECT_URIS}, each exactly as your application sends it. Https; http for localhost, 127.0.0.1 and [::1] only${
        application.type === 'native' && ' (of any port); or a scheme of your own, such as com.example.app:/callback'
      }.`,
      error: refusedLines(faults.redirectUris),
    }),
    textArea({
      name: 'webOrigins',
      label: LABELS.webOrigins,
      value: typed.webOrigins,
      rows: 3,
      required: false,
      hint: html`One to a line, at most ${MOST_WEB_ORIGINS}: pages from there may call the token endpoint from the browser (CORS). Such as https://app.example.com.`,
      error: refusedLines(faults.webOrigins),
    }),
  ])}
${card('tokens', 'Tokens', [
  choice({
    name: 'idTokenAlgorithm',
    legend: LABELS.idTokenAlgorithm,
    options: ID_TOKEN_ALGORITHMS.map((value) => ({ value, label: value, hint: ALGORITHMS[value] })),
    value: typed.idTokenAlgorithm,
    error: faults.idTokenAlgorithm,
  }),
  checkbox({
    name: 'implicit',
    label: 'Implicit flow',
    hint: 'Tokens straight from the sign-in page, for libraries that know nothing else. Code with PKCE is better.',
    checked: typed.implicit,
  }),
  checkbox({
    name: 'strictOidc',
    label: 'Strict OpenID Connect',
    hint: 'For the implicit flow: answers in the fragment, and a nonce is required, as the specification has it.',
    checked: typed.strictOidc,
  }),
])}`
}

function refusedLines(faults: readonly LineFault[] | undefined): Markup | null {
  if (faults === undefined) return null
  return html`<ul class="refused">${faults.map(
    ({ line, reason }) => html`<li>${line !== '' && html`<code><bdi>${line}</bdi></code>: `}${reason}</li>`,
  )}</ul>`
}

/** Nothing of theirs is overwritten unseen, and nothing of ours is lost (the form below has it). */
function changedMeanwhile(typed: TypedSettings, meanwhile: ApplicationSettings, { type }: Application): Markup {
  return html`<div class="notice error" role="alert"><strong>Somebody else saved these settings meanwhile.</strong>
What you typed stands below and is not saved yet. Saving now replaces what they saved.</div>
${savedCard('What they saved where yours is different', typedSettings(meanwhile), type, typed)}`
}
