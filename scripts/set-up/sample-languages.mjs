import { installFromDebian, mayInstall } from './debian.mjs'
import { onPath, say } from './run.mjs'

// Languages of the documentation's samples that are small enough to be installed for them. Others are run where they are.
const languages = [
  { program: 'php', packages: ['php-cli'] },
  { program: 'ruby', packages: ['ruby'] },
  { program: 'mcs', packages: ['mono-mcs', 'mono-runtime'] },
]

/** The tests of samples say themselves which languages they lack, so nothing here is a failure. */
export async function prepareSampleLanguages() {
  const missing = languages.filter(({ program }) => !onPath(program))
  if (missing.length === 0) return
  const names = missing.map(({ program }) => program).join(', ')
  const packages = missing.flatMap((language) => language.packages)
  if (!mayInstall()) {
    say(
      `no ${names} found, those samples are not run; install them (Debian: sudo apt-get install ${packages.join(' ')})`,
    )
    return
  }
  say(`installing ${names} for the samples of the documentation (apt-get) …`)
  const reason = await installFromDebian(packages)
  if (reason !== '') say(`${names} could not be installed (${reason}); those samples are not run`)
}
