import { hash } from 'node:crypto'
import type { AuditState } from '../audit/audit.ts'
import { pictureFault } from '../picture-url.ts'
import { textFault, tidy } from '../plain-text.ts'
import type { Application, IdTokenAlgorithm } from './application.ts'
import { MOST_REDIRECT_URIS, redirectUriFault } from './redirect-uri.ts'
import { MOST_WEB_ORIGINS, webOriginFault } from './web-origin.ts'

export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const satisfies readonly IdTokenAlgorithm[]

const LONGEST_APPLICATION_NAME = 60

/** In the order of the page. What else an application has is set by support (decision B7). */
const SETTINGS = [
  'name',
  'logoUrl',
  'redirectUris',
  'webOrigins',
  'implicit',
  'idTokenAlgorithm',
  'strictOidc',
] as const satisfies ReadonlyArray<keyof Application>

/** What an integrator sets by themselves. */
export type ApplicationSettings = Pick<Application, (typeof SETTINGS)[number]>

/** As it stands in the form: lists one to a line. */
export type TypedSettings = {
  name: string
  logoUrl: string
  redirectUris: string
  webOrigins: string
  implicit: boolean
  idTokenAlgorithm: string
  strictOidc: boolean
}

/** One line of a list that was refused, and why; the line is empty when it is the list as a whole. */
export type LineFault = { line: string; reason: string }

export type SettingsFaults = {
  name?: string
  logoUrl?: string
  redirectUris?: LineFault[]
  webOrigins?: LineFault[]
  idTokenAlgorithm?: string
}

export type ReadSettings =
  | { kind: 'settings'; settings: ApplicationSettings }
  | { kind: 'faulty'; faults: SettingsFaults }

export function readApplicationName(typed: string | null): { name: string; fault: string | null } {
  const name = tidy(typed) ?? ''
  return { name, fault: name === '' ? 'Give the application a name.' : textFault(name, LONGEST_APPLICATION_NAME) }
}

export function readSettings(type: Application['type'], typed: TypedSettings): ReadSettings {
  const { name, fault: nameFault } = readApplicationName(typed.name)
  const logoUrl = typed.logoUrl.trim() || null
  const logoFault = pictureFault(logoUrl)
  const redirectUris = linesOf(typed.redirectUris)
  const uriFaults = lineFaults(redirectUris, MOST_REDIRECT_URIS, (uri) => redirectUriFault(type, uri))
  const webOrigins = linesOf(typed.webOrigins)
  const originFaults = lineFaults(webOrigins, MOST_WEB_ORIGINS, webOriginFault)
  const idTokenAlgorithm = ID_TOKEN_ALGORITHMS.find((each) => each === typed.idTokenAlgorithm)
  const faults: SettingsFaults = {
    ...(nameFault !== null && { name: nameFault }),
    ...(logoFault !== null && { logoUrl: logoFault }),
    ...(uriFaults.length > 0 && { redirectUris: uriFaults }),
    ...(originFaults.length > 0 && { webOrigins: originFaults }),
    ...(idTokenAlgorithm === undefined && { idTokenAlgorithm: 'Choose one.' }),
  }
  if (Object.keys(faults).length > 0 || idTokenAlgorithm === undefined) return { kind: 'faulty', faults }
  const { implicit, strictOidc } = typed
  const settings = { name, logoUrl, redirectUris, webOrigins, implicit, idTokenAlgorithm, strictOidc }
  return { kind: 'settings', settings }
}

/** Each once; blank lines count for nothing. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

function lineFaults(lines: readonly string[], most: number, fault: (line: string) => string | null): LineFault[] {
  if (lines.length > most) return [{ line: '', reason: `At most ${most}, and these are ${lines.length}.` }]
  return lines.flatMap((line) => {
    const reason = fault(line)
    return reason === null ? [] : [{ line, reason }]
  })
}

export function typedSettings(settings: ApplicationSettings): TypedSettings {
  const { name, logoUrl, redirectUris, webOrigins, implicit, idTokenAlgorithm, strictOidc } = settings
  return {
    name,
    logoUrl: logoUrl ?? '',
    redirectUris: redirectUris.join('\n'),
    webOrigins: webOrigins.join('\n'),
    implicit,
    idTokenAlgorithm,
    strictOidc,
  }
}

/** What the settings were when a form was made, in short: who sends it back has seen these and no others. */
export function settingsMark(settings: ApplicationSettings): string {
  return hash('sha256', JSON.stringify(SETTINGS.map((name) => settings[name])), 'base64url')
}

/** Those that became others, for the log; null when none did. Of a list, what went and what came: its order means nothing. */
export function settingsChange(
  known: ApplicationSettings,
  saved: ApplicationSettings,
): { before: AuditState; after: AuditState } | null {
  const before: Record<string, string | boolean | null> = {}
  const after: Record<string, string | boolean | null> = {}
  for (const name of SETTINGS) {
    const [was, is] = [known[name], saved[name]]
    if (Array.isArray(was) && Array.isArray(is)) {
      const [gone, come] = [was.filter((each) => !is.includes(each)), is.filter((each) => !was.includes(each))]
      if (gone.length > 0) before[name] = gone.join(' ')
      if (come.length > 0) after[name] = come.join(' ')
    } else if (was !== is && !Array.isArray(was) && !Array.isArray(is)) {
      before[name] = was
      after[name] = is
    }
  }
  return Object.keys({ ...before, ...after }).length === 0 ? null : { before, after }
}
