import { spawn } from 'node:child_process'

/** The account that PostgreSQL runs as; `other` when it is not the one we run as. */
export type Account = { uid: number; gid: number; name: string; other: boolean }

export type RunResult = { code: number | null; stdout: string; stderr: string; spawnError: string | null }

/**
 * PG* variables, locale and library paths of whoever started us must not reach the server; PATH is kept because
 * initdb starts `sh`.
 */
export const serverEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The spawn options that make a child run as the account, from a folder that every account may enter. */
export function asAccount(account: Account): { cwd: string; env: Record<string, string>; uid?: number; gid?: number } {
  const plain = { cwd: '/', env: serverEnvironment }
  return account.other ? { ...plain, uid: account.uid, gid: account.gid } : plain
}

/** Runs a program to its end as the account. A program that cannot be started is a result too, not an exception. */
export function runAs(account: Account, file: string, args: string[], input = ''): Promise<RunResult> {
  return new Promise((resolve) => {
    const result: RunResult = { code: null, stdout: '', stderr: '', spawnError: null }
    const fail = (error: unknown) => resolve({ ...result, spawnError: codeOf(error) })
    try {
      const child = spawn(file, args, { ...asAccount(account), stdio: ['pipe', 'pipe', 'pipe'] })
      child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text))
      child.stdin.on('error', () => undefined).end(input)
      child.on('error', fail)
      child.on('close', (code) => resolve({ ...result, code }))
    } catch (error) {
      fail(error)
    }
  })
}

/** Whether the account may enter the folder and write in it, by really trying: modes do not tell about parents, ACLs or mounts. */
export async function canWriteIn(account: Account, folder: string): Promise<boolean> {
  const script = 'cd "$1" && : > .probe && rm .probe'
  return (await runAs(account, '/bin/sh', ['-c', script, 'sh', folder])).code === 0
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
