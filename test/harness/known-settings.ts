import { parseConfig } from '../../src/app/config.ts'

/** Every variable that the configuration reads, and which of them may come as `NAME_FILE`. */
export function knownSettings(): { names: Set<string>; secrets: Set<string> } {
  const asked = new Set<string>()
  const env: Record<string, string | undefined> = new Proxy(
    {},
    {
      get: (_, name) => {
        if (typeof name === 'string') asked.add(name)
      },
    },
  )
  parseConfig(env)
  const secrets = new Set([...asked].filter((name) => asked.has(`${name}_FILE`)))
  // Read to refuse demo mode there; whoever runs Node knows it.
  const names = new Set([...asked].filter((name) => name !== 'NODE_ENV' && !secrets.has(name.replace(/_FILE$/, ''))))
  return { names: new Set([...names, ...secrets]), secrets }
}

/** Why a deployment file may not set this variable; null when it may. */
export function settingFault(name: string): string | null {
  const { names, secrets } = knownSettings()
  if (name === 'NODE_ENV' || names.has(name)) return null
  if (secrets.has(name.replace(/_FILE$/, ''))) return null
  return `${name} is not a setting of Handover`
}
