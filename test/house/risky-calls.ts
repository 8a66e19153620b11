import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesUnder } from './source-files.ts'

/** What may stand only where somebody has thought about it: the pattern, why, and the files that may. */
type RiskyCall = { what: string; pattern: RegExp; allowed: readonly string[] }

const RISKY: readonly RiskyCall[] = [
  { what: 'text that becomes code', pattern: /\beval\s*\(|new Function\s*\(|node:vm'/, allowed: [] },
  { what: 'a shell', pattern: /shell: true|\bexecSync\s*\(|[^.\w]exec\s*\(/, allowed: [] },
  {
    what: 'another program',
    pattern: /'node:child_process'/,
    allowed: [
      // The embedded PostgreSQL, with arguments in a list.
      'src/platform/embedded-postgres/',
      // The integrator's own browser, at an address that the command line checked.
      'src/cli/open-browser.ts',
    ],
  },
  {
    what: 'a random number that can be guessed',
    pattern: /Math\.random/,
    // Spreads waits; nobody gains by knowing them.
    allowed: [
      'src/platform/db.ts',
      'src/platform/retried-transaction.ts',
      'src/delivery/attempt.ts',
      'src/http/problem.ts',
      'src/http/admission.ts',
      'src/http/refuse-late.ts',
      'src/cli/listen/',
    ],
  },
  // RFC 6238 as authenticator apps do it; an HMAC does not rest on collisions.
  { what: 'a hash that is broken', pattern: /'(?:md5|sha1|SHA-1|ripemd160)'/, allowed: ['src/domain/users/totp.ts'] },
  {
    what: 'a certificate that is not checked',
    pattern: /rejectUnauthorized: false|NODE_TLS_REJECT_UNAUTHORIZED'?\]? =/,
    allowed: [],
  },
  { what: 'a cipher without authentication', pattern: /create(?:C|Dec)ipheriv\('(?!aes-256-gcm')/, allowed: [] },
  {
    what: 'a redirect that is followed',
    pattern: /redirect: 'follow'|maxRedirections|interceptors\.redirect/,
    allowed: [],
  },
  {
    what: 'a pattern made of text',
    pattern: /new RegExp\(/,
    allowed: [
      // What is searched for, by RegExp.escape.
      'src/docs/search/search.ts',
      // Made of constants of ours.
      'src/app/demo/receiver/asked-answer.ts',
      'src/domain/command-line/command-line-login.ts',
      'src/domain/deliveries/retry-schedule.ts',
      'src/platform-api/ids.ts',
      'src/public-api/page-query.ts',
      'src/ui/wrapped-text.ts',
    ],
  },
  {
    what: 'something kept in the browser',
    pattern: /localStorage|sessionStorage|indexedDB|document\.cookie/,
    allowed: [],
  },
  { what: 'messages between windows', pattern: /postMessage|onmessage/, allowed: [] },
]

/** One line for each call that is made where nobody allowed it. */
export async function riskyCallFaults(root: string): Promise<string[]> {
  const paths = [...(await filesUnder(root, 'src')), ...(await filesUnder(root, 'public'))]
  const faults: string[] = []
  for (const path of paths.filter((each) => /(?<!\.test)\.(?:ts|js)$/.test(each))) {
    const text = await readFile(join(root, path), 'utf8')
    for (const { what, pattern, allowed } of RISKY) {
      if (pattern.test(text) && !allowed.some((place) => path.startsWith(place))) faults.push(`${path}: ${what}`)
    }
  }
  return faults
}
