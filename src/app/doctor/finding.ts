/**
 * What a check found out. `wrong` keeps a promise from being kept and makes the exit code 1; a warning is for a person to
 * judge; `skipped` could not be found out, or nobody asked for it.
 */
export type Finding = {
  check: string
  state: 'ok' | 'warning' | 'wrong' | 'skipped'
  says: string
  /** What to do about it. */
  advice: string | null
}

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says, advice: null }
}

export function warning(check: string, says: string, advice: string): Finding {
  return { check, state: 'warning', says, advice }
}

export function wrong(check: string, says: string, advice: string): Finding {
  return { check, state: 'wrong', says, advice }
}

export function skipped(check: string, says: string): Finding {
  return { check, state: 'skipped', says, advice: null }
}
