import type { Application } from '../applications/application.ts'

/** What support alone may set of an application (decision B7). */
export type SupportSettings = Pick<
  Application,
  | 'tokenEndpointAuthentication'
  | 'apiScopes'
  | 'environments'
  | 'clientCredentials'
  | 'passwordGrant'
  | 'postLogoutRedirectUris'
  | 'refreshLifetimeSeconds'
  | 'refreshRotating'
  | 'refreshLeewaySeconds'
  | 'ratePerSecond'
  | 'rateBurst'
  | 'apiRatePerSecond'
  | 'apiRateBurst'
  | 'webhooksPerPerson'
  | 'webhooksPerApplication'
  | 'firstParty'
  | 'suspended'
>

/** The fields of one setting, as they should be. */
export type SupportChange = Partial<SupportSettings>

export type SettingOption = { value: string; label: string; hint: string }

/**
 * One field of a setting's form, whoever shows it. What is typed is one text: `several` is the chosen words with spaces
 * between them, `lines` one value on each line.
 */
export type SettingInput = {
  name: string
  label: string
  hint: string
  kind: 'one' | 'several' | 'lines' | 'number'
  /** For `one` and `several`. */
  options: readonly SettingOption[]
  /** As it would be typed to leave everything as it is. */
  text: (settings: SupportSettings) => string
  words: (settings: SupportSettings) => string
  /** Or what is wrong with it. */
  read: (text: string) => SupportChange | string
}

type Named = Pick<SettingInput, 'name' | 'label'>
type Field<Value> = { of: (settings: SupportSettings) => Value; as: (value: Value) => SupportChange }

export function oneOf<Value extends string>(
  named: Named,
  options: ReadonlyArray<SettingOption & { value: Value }>,
  { of, as }: Field<Value>,
): SettingInput {
  return {
    ...named,
    hint: '',
    kind: 'one',
    options,
    text: of,
    words: (settings) => options.find(({ value }) => value === of(settings))?.label ?? of(settings),
    read: (text) => {
      const chosen = options.find(({ value }) => value === text)
      return chosen === undefined ? 'Choose one.' : as(chosen.value)
    },
  }
}

export function onOff(named: Named, hints: { on: string; off: string }, { of, as }: Field<boolean>): SettingInput {
  const options = [
    { value: 'on', label: 'On', hint: hints.on },
    { value: 'off', label: 'Off', hint: hints.off },
  ] as const
  return oneOf(named, options, { of: (settings) => (of(settings) ? 'on' : 'off'), as: (text) => as(text === 'on') })
}

export function severalOf<Value extends string>(
  named: Named,
  options: ReadonlyArray<SettingOption & { value: Value }>,
  { of, as }: Field<Value[]>,
): SettingInput {
  return {
    ...named,
    hint: '',
    kind: 'several',
    options,
    text: (settings) => of(settings).join(' '),
    words: (settings) =>
      options
        .filter(({ value }) => of(settings).includes(value))
        .map(({ label }) => label)
        .join(', ') || 'None',
    read: (text) => {
      const words = text.split(' ')
      const chosen = options.map(({ value }) => value).filter((value) => words.includes(value))
      return chosen.length === 0 ? 'Choose one at least.' : as(chosen)
    },
  }
}

export function wholeNumber(
  named: Named,
  { least, most, unit, of, as }: Field<number> & { least: number; most: number; unit: string },
): SettingInput {
  return {
    ...named,
    hint: `From ${least.toLocaleString('en')} to ${most.toLocaleString('en')} ${unit}.`,
    kind: 'number',
    options: [],
    text: (settings) => (Number.isInteger(of(settings)) ? String(of(settings)) : ''),
    words: (settings) => `${of(settings).toLocaleString('en')} ${unit}`,
    read: (text) => {
      const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN
      return number >= least && number <= most ? as(number) : `Type a whole number from ${least} to ${most}.`
    },
  }
}

export function lines(
  named: Named & Pick<SettingInput, 'hint'>,
  { of, as, most, faultOf }: Field<string[]> & { most: number; faultOf: (line: string) => string | null },
): SettingInput {
  return {
    ...named,
    kind: 'lines',
    options: [],
    text: (settings) => of(settings).join('\n'),
    words: (settings) => of(settings).join(', ') || 'None',
    read: (text) => {
      const given = [...new Set(text.split(/\r\n|\r|\n/).map((line) => line.trim()))].filter((line) => line !== '')
      if (given.length > most) return `At most ${most}; these are ${given.length}.`
      const faults = given.flatMap((line) => {
        const fault = faultOf(line)
        return fault === null ? [] : [`${line.slice(0, 80)}: ${fault}`]
      })
      return faults[0] ?? as(given)
    },
  }
}
