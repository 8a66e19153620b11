import type { AuditState } from '../audit/audit.ts'
import { DEFINITIONS, SUPPORT_SETTINGS, type SupportSetting } from './setting-definitions.ts'
import type { SupportChange, SupportSettings } from './setting-input.ts'

export function readSetting(text: string | null): SupportSetting | null {
  return SUPPORT_SETTINGS.find((setting) => setting === text) ?? null
}

/** What stands in each input of a posted form: one text for each, whatever the form had to send for it. */
export function typedTexts(setting: SupportSetting, get: (name: string) => string | null): Record<string, string> {
  return Object.fromEntries(
    DEFINITIONS[setting].inputs.map(({ name, kind, options }) => {
      const checked = options.map(({ value }) => value).filter((value) => get(`${name}.${value}`) !== null)
      return [name, kind === 'several' ? checked.join(' ') : (get(name)?.trim() ?? '')]
    }),
  )
}

/** What a form shows first: everything as it is, but of two choices the other one, which is what somebody comes for. */
export function firstTexts(setting: SupportSetting, settings: SupportSettings): Record<string, string> {
  return Object.fromEntries(
    DEFINITIONS[setting].inputs.map(({ name, kind, options, text }) => {
      const other =
        kind === 'one' && options.length === 2 ? options.find(({ value }) => value !== text(settings)) : undefined
      return [name, other?.value ?? text(settings)]
    }),
  )
}

/** Every input read, and everything that is wrong at once. */
export function readWanted(
  setting: SupportSetting,
  texts: Readonly<Record<string, string>>,
): { wanted: SupportChange; faults: Record<string, string> } {
  const read = DEFINITIONS[setting].inputs.map(({ name, ...input }) => ({
    name,
    outcome: input.read(texts[name] ?? ''),
  }))
  return {
    wanted: read.reduce<SupportChange>(
      (all, { outcome }) => (typeof outcome === 'string' ? all : { ...all, ...outcome }),
      {},
    ),
    faults: Object.fromEntries(
      read.flatMap(({ name, outcome }) => (typeof outcome === 'string' ? [[name, outcome]] : [])),
    ),
  }
}

/** As people say it: `On`, or `100 per second, 200 at once`. */
export function settingInWords(setting: SupportSetting, settings: SupportSettings): string {
  return DEFINITIONS[setting].inputs.map(({ words }) => words(settings)).join(', ')
}

/** For the audit log, in which before and after stand beside each other. */
export function settingState(setting: SupportSetting, settings: SupportSettings): AuditState {
  return { [DEFINITIONS[setting].label]: settingInWords(setting, settings) }
}
