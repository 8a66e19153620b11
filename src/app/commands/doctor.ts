import { parseArgs } from 'node:util'
import type { Command } from '../../platform/command.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { examine } from '../doctor/examine.ts'
import type { Asked } from '../doctor/patient.ts'
import { reportJson, reportLines } from '../doctor/report.ts'
import { VERSION } from '../version.ts'

export const doctorCommand: Command = {
  help: `handover doctor [--json] [--mail-to <address>] [--egress <https://host>]

Checks a deployment with the settings that its processes have: configuration, database, clock, migrations, keys, deliveries,
mail, and discovery at the public address. Each check is a line: ok, warning, wrong (with what to do) or skipped.
The exit code is 1 when something is wrong. Nothing is written, and no check takes longer than 5 s.
  --json      the findings as JSON, for a script
  --mail-to   send one mail there; otherwise the mail server is only greeted and signed in to
  --egress    connect to this receiver as a delivery would; otherwise nobody is dialled`,
  run: async (terminal, args) => {
    const { json, ...asked } = read(args)
    const findings = await examine(terminal.env, asked)
    const coloured = terminal.screen !== undefined && !terminal.env['NO_COLOR']
    terminal.print(json ? reportJson(findings, VERSION) : reportLines(findings, coloured))
    const count = findings.filter(({ state }) => state === 'wrong').length
    if (count > 0) throw new OperatorError(count === 1 ? 'One thing is wrong.' : `${count} things are wrong.`)
  },
}

function read(args: string[]): Asked & { json: boolean } {
  try {
    const { values } = parseArgs({
      args,
      options: { json: { type: 'boolean' }, 'mail-to': { type: 'string' }, egress: { type: 'string' } },
      strict: true,
    })
    const mailTo = values['mail-to'] ?? null
    if (mailTo !== null && !/^[^<>@\s]+@[^<>@\s]+$/.test(mailTo)) throw new Error('--mail-to takes one mail address')
    return { json: values.json ?? false, mailTo, egress: values.egress ?? null }
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : 'wrong arguments')
  }
}
