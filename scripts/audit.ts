// Asks the registry for known vulnerabilities in the packages of the lock file: npm run audit
import { ACCEPTED_ADVISORIES } from './audit/accepted-advisories.ts'
import { askRegistry } from './audit/ask-registry.ts'
import { judgeAudit } from './audit/judge-audit.ts'

const folder = process.cwd()
const delivered = await askRegistry(folder, { withTools: false })
// Who does not answer once is not waited for twice.
const withTools = delivered.outcome === 'answered' ? await askRegistry(folder, { withTools: true }) : delivered
const today = new Date().toISOString().slice(0, 10)
const { red, lines } = judgeAudit(delivered, withTools, { accepted: ACCEPTED_ADVISORIES, today })
for (const line of lines) console.log(`audit: ${line}`)
process.exitCode = red ? 1 : 0
