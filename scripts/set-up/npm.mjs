import { onPath, root, run, SetUpError } from './run.mjs'

const noNetwork = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ERR_SOCKET_TIMEOUT',
]

/**
 * npm's many lines as one that says what to do.
 * @param {string} output
 */
function inOneLine(output) {
  const lines = output
    .split('\n')
    .filter((line) => /^npm (error|ERR!) /.test(line))
    .map((line) => line.replace(/^npm (error|ERR!) /, ''))
  const codes = lines.filter((line) => line.startsWith('code ')).map((line) => line.slice(5))
  /** @param {string[]} known */
  const oneOf = (known) => codes.find((code) => known.includes(code))
  const network = oneOf(noNetwork)
  if (network) return `npm does not reach its registry (${network}); check network and proxy, then try again`
  if (oneOf(['EACCES', 'EPERM', 'EROFS'])) {
    const path = lines.find((line) => line.startsWith('path '))
    return `npm may not write ${path ? path.slice(5) : `to ${root}`}; make it yours (chown) and try again`
  }
  if (oneOf(['ENOSPC'])) return 'the disk is full; make room and try again'
  if (oneOf(['EUSAGE'])) return 'package-lock.json does not match package.json; run npm install'
  const reason = lines.find((line) => line !== '' && !/^(code|path|errno|syscall|A complete log)/.test(line))
  return `npm failed: ${reason || output.trim().split('\n').pop() || 'it says nothing'}`
}

/**
 * @param {string[]} args
 * @param {(pid: number) => void} started
 */
export async function npm(args, started) {
  if (!onPath('npm')) throw new SetUpError('npm is not installed; install it (Debian: apt-get install npm)')
  // Short waits between retries: npm's own leave a machine without network silent for more than a minute.
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000']
  const { ok, output } = await run('npm', [...args, ...retries, '--no-audit', '--no-fund'], { started })
  if (!ok) throw new SetUpError(inOneLine(output))
}
