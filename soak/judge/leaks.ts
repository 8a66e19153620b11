/** Characters that secrets are made of; everything else separates. */
const NO_SECRET = /[^A-Za-z0-9_\-+/=%]+/
/** So many characters of a secret in a row are a leak, be they its first or its last. */
const WINDOW = 16
const LONGEST_SHOWN = 40

/** The log lines that hold the beginning or the end of a secret, without it. */
export function leaksIn(text: string, parts: ReadonlySet<string>): string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    if (line.split(NO_SECRET).some((run) => holdsPart(run, parts))) found.push(withoutSecrets(line, parts))
  }
  return found
}

function holdsPart(run: string, parts: ReadonlySet<string>): boolean {
  for (let at = 0; at + WINDOW <= run.length; at += 1) if (parts.has(run.slice(at, at + WINDOW))) return true
  return false
}

/** As they stand and as they stand in a URL. Of a signed token the first part is the same for all and no secret; its end is. */
export function partsOf(secrets: Iterable<string>): Set<string> {
  const parts = new Set<string>()
  for (const secret of secrets) {
    const kept = secret.split('.').at(-1) ?? secret
    for (const written of [kept, encodeURIComponent(kept)]) {
      if (written.length < WINDOW) continue
      parts.add(written.slice(0, WINDOW))
      parts.add(written.slice(-WINDOW))
    }
  }
  return parts
}

/** A finding must not leak either, and what is long in it is seldom worth reading. */
function withoutSecrets(line: string, parts: ReadonlySet<string>): string {
  const shown = line.split(NO_SECRET).map((run) => (holdsPart(run, parts) ? '[secret]' : run.slice(0, LONGEST_SHOWN)))
  return shown.join(' ').slice(0, 400)
}
