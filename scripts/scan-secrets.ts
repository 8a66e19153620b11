// Looks for secrets in every file, and in everything that was ever committed: npm run scan-secrets
// The files alone are looked through by test/house/secrets.test.ts as well.
import { ALLOWED_FINDS } from './secrets/allowed-finds.ts'
import { secretsInHistory } from './secrets/history.ts'
import { inWords, notAllowed, secretsInFiles } from './secrets/tracked-files.ts'

const PATIENCE_MS = 300_000

const root = process.cwd()
const { files, finds } = await secretsInFiles(root)
const history = await secretsInHistory(root, PATIENCE_MS)
const faults = [
  ...notAllowed([...finds, ...history.finds], ALLOWED_FINDS).map(inWords),
  ...history.tooLarge.map((where) => `${where}: too large to be looked through`),
  ...(history.outOfTime ? [`not all of the history was looked through in ${PATIENCE_MS / 1_000} s`] : []),
]
for (const fault of faults) console.error(fault)
console.log(
  `${files} files and ${history.objects} objects of the history: ${faults.length || 'no'} finds that are not allowed`,
)
process.exitCode = faults.length === 0 ? 0 : 1
