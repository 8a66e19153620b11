// Makes a fresh clone ready: packages, our own Node 24, and with --tests a Chromium and a few languages. `npm start` and
// `npm test` call it first.
// Plain JavaScript without a package, because it runs under whatever Node the machine has, before anything is installed;
// and with nothing that Node 12 cannot read, so that an old Node comes far enough to say that it is too old.
import { prepareChromium } from './set-up/chromium.mjs'
import { oneAtATime } from './set-up/lock.mjs'
import { prepareNginx } from './set-up/nginx.mjs'
import { faultOfOwnNode, repairOwnNode, wantedMajor } from './set-up/own-node.mjs'
import { installPackages, packagesAreCurrent } from './set-up/packages.mjs'
import { SetUpError, say } from './set-up/run.mjs'
import { prepareSampleLanguages } from './set-up/sample-languages.mjs'

const forTests = process.argv.includes('--tests')

async function preparePackages() {
  if (packagesAreCurrent(forTests) && faultOfOwnNode() === '') return
  await oneAtATime(async (started) => {
    // Asked again: the set-up we waited for may have done it.
    if (!packagesAreCurrent(forTests)) await installPackages(forTests, started)
    if (faultOfOwnNode() !== '') await repairOwnNode(started)
  })
  const fault = faultOfOwnNode()
  const advice = 'remove node_modules and try again'
  if (fault !== '')
    throw new SetUpError(`node_modules/.bin/node should be Node ${wantedMajor()}, but ${fault}; ${advice}`)
}

async function setUp() {
  const { node } = process.versions
  if (Number.parseInt(node, 10) < 20) throw new SetUpError(`Node ${node} is too old; install Node 20 or newer`)
  await preparePackages()
  if (!forTests) return
  await prepareChromium()
  await prepareSampleLanguages()
  await prepareNginx()
}

setUp().catch((error) => {
  say(error instanceof SetUpError ? error.message : error.stack)
  process.exitCode = 1
})
