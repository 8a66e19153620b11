import { homedir } from 'node:os'
import { join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Where the commands keep what is theirs. The XDG base directory specification: a path that is not absolute is to be ignored. */
export function ownFolder(env: Env, variable: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME'): string {
  const given = env[variable] ?? ''
  const usual = variable === 'XDG_CONFIG_HOME' ? '.config' : join('.local', 'state')
  return join(given.startsWith('/') ? given : join(env['HOME'] || homedir(), usual), 'handover')
}
