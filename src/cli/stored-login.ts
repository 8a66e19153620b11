import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFromDraft } from '../platform/draft-file.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { memberOf, textOf } from './json-value.ts'
import { ownFolder } from './own-folder.ts'

/** What `handover login` leaves for the other commands. */
export type StoredLogin = {
  baseUrl: string
  clientId: string
  login: { by: 'browser'; key: string } | { by: 'secret'; clientSecret: string }
}

type Env = Readonly<Record<string, string | undefined>>

export function loginFile(env: Env): string {
  return join(ownFolder(env, 'XDG_CONFIG_HOME'), 'login.json')
}

export async function readStoredLogin(env: Env): Promise<StoredLogin | null> {
  const file = loginFile(env)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new OperatorError(`${file} cannot be read. Is it yours?`, { cause: error })
  }
  return loginIn(text) ?? damaged(file)
}

function loginIn(text: string): StoredLogin | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const baseUrl = textOf(value, 'baseUrl')
  const clientId = textOf(value, 'clientId')
  const key = textOf(memberOf(value, 'login'), 'key')
  const clientSecret = textOf(memberOf(value, 'login'), 'clientSecret')
  if (baseUrl === null || clientId === null) return null
  if (key !== null) return { baseUrl, clientId, login: { by: 'browser', key } }
  return clientSecret === null ? null : { baseUrl, clientId, login: { by: 'secret', clientSecret } }
}

function damaged(file: string): never {
  throw new OperatorError(`${file} is damaged. Remove it, and "handover login" again.`)
}

/** For its owner alone, and whole or not at all. */
export async function storeLogin(env: Env, login: StoredLogin): Promise<string> {
  const file = loginFile(env)
  try {
    await makeFromDraft(file, `${JSON.stringify(login, null, 2)}\n`, (draft) => rename(draft, file))
  } catch (error) {
    throw new OperatorError(`${file} cannot be written. Set XDG_CONFIG_HOME to a folder of yours.`, { cause: error })
  }
  return file
}

export async function removeStoredLogin(env: Env): Promise<void> {
  await rm(loginFile(env), { force: true })
}
