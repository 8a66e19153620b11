import { readFile, stat } from 'node:fs/promises'
import { type Explanation, explainSignature, VERIFYING_STEPS } from '../domain/deliveries/explain-signature.ts'
import { faultInWords, fitsInWords, STEP_WORDS } from '../domain/deliveries/signature-words.ts'
import type { Command } from '../platform/command.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Terminal } from '../platform/terminal.ts'
import { type Given, readArguments } from './arguments.ts'
import { harmless, type Output, outputFor, type Paint, readInput } from './output.ts'
import { type RawRequest, readRawRequest } from './raw-request.ts'

export const verifyCommand: Command = {
  help: `handover verify --request-file <file or -> [--secret-file <file> | --secret-stdin]
handover verify --headers-file <file> --body-file <file> [--secret-file <file> | --secret-stdin]

Says whether the signature of a webhook is valid, and if not, which step fails and how to mend it. Nothing is sent anywhere.
The exit code is 0 for valid and 1 for everything else.

  --request-file   a whole HTTP request as a proxy saved it; "-" reads it from standard input
  --headers-file   its headers, one on each line, as in a log or in curl -v
  --body-file      its body, to the byte
  --secret-file    the secret of the webhook, or two of them on two lines while you rotate
  --secret-stdin   the same from standard input
  --computed       the signature that your own code came to; often the mistake that leads to it can be told
  --ignore-age     what is looked at later is always old: judge everything but the age
  --json           one JSON value

Without --secret-file and --secret-stdin the secret is HANDOVER_WEBHOOK_SECRET. On the command line others could read it.

Examples:
  HANDOVER_WEBHOOK_SECRET=whsec_… handover verify --request-file request.http
  handover verify --headers-file headers.txt --body-file body.json --secret-file secret.txt --ignore-age`,
  run: async (terminal, args) => {
    const given = readArguments(args, {
      texts: ['request-file', 'headers-file', 'body-file', 'secret-file', 'computed'],
      flags: ['secret-stdin', 'ignore-age', 'json'],
    })
    if (given.words.length > 0)
      throw new OperatorError('verify takes options alone; "handover verify --help" lists them')
    const output = outputFor(terminal, { json: given.flag('json') })
    const { headers, body } = await readRequest(terminal, given)
    const secrets = await readSecrets(terminal, given)
    const pasted = { headers, body: textOf(body), secrets, computed: given.text('computed') ?? null, asSent: false }
    const explanation = explainSignature(pasted, new Date())
    const isValid = explanation.verdict === 'valid' || (explanation.verdict === 'old' && given.flag('ignore-age'))
    tell(output, explanation, isValid)
    if (!isValid) throw new OperatorError(whyNot(explanation))
  },
}

function tell(output: Output, explanation: Explanation, isValid: boolean): void {
  const faults = explanation.faults.map((fault) => ({ ...fault, ...faultInWords(fault) }))
  const { paint } = output
  const lines = [
    isValid ? paint.good('The signature is valid.') : paint.bad('The signature is not valid.'),
    ...VERIFYING_STEPS.flatMap((step) => stepLines(explanation, step, paint)),
  ]
  output.record({ valid: isValid, verdict: explanation.verdict, faults, fits: explanation.fits }, lines.join('\n'))
}

function stepLines(explanation: Explanation, step: (typeof VERIFYING_STEPS)[number], paint: Paint): string[] {
  const { title, passed } = STEP_WORDS[step]
  const name = title.padEnd(24)
  if (!explanation.taken.includes(step)) return step === 'computed' ? [] : [`  –  ${name}${paint.faint('not reached')}`]
  const faults = explanation.faults.filter((fault) => fault.step === step).map(faultInWords)
  if (faults.length === 0)
    return [`  ${paint.good('✓')}  ${name}${paint.faint(step === 'match' ? fitsInWords(explanation) : passed)}`]
  return faults.flatMap(({ says, mend }) => [
    `  ${paint.bad('✗')}  ${name}${says}`,
    `     ${' '.repeat(24)}${paint.faint(mend)}`,
  ])
}

function whyNot({ faults, verdict }: Explanation): string {
  const [first] = faults
  const says = first === undefined ? '' : faultInWords(first).says
  return verdict === 'old'
    ? `The signature fits, but ${says.charAt(0).toLowerCase()}${says.slice(1)} (--ignore-age)`
    : says
}

async function readRequest(terminal: Terminal, given: Given): Promise<RawRequest> {
  const [request, headers, body] = ['request-file', 'headers-file', 'body-file'].map((name) => given.text(name))
  if (request !== undefined && headers === undefined && body === undefined) {
    if (request !== '-') return readRawRequest(await readBytes(request))
    if (given.flag('secret-stdin'))
      throw new OperatorError('Standard input cannot be the request and the secret at once.')
    return readRawRequest(await readInput(terminal, 'the request'))
  }
  if (request === undefined && headers !== undefined && body !== undefined)
    return { headers: (await readBytes(headers)).toString('utf8'), body: await readBytes(body) }
  throw new OperatorError('verify takes --request-file, or --headers-file and --body-file')
}

const MOST_SECRETS = 2

async function readSecrets(terminal: Terminal, given: Given): Promise<string[]> {
  const file = given.text('secret-file')
  if (file !== undefined && given.flag('secret-stdin'))
    throw new OperatorError('Give --secret-file or --secret-stdin, not both.')
  const text = given.flag('secret-stdin')
    ? (await readInput(terminal, 'the secret')).toString('utf8')
    : file !== undefined
      ? (await readBytes(file)).toString('utf8')
      : (terminal.env['HANDOVER_WEBHOOK_SECRET'] ?? '')
  const secrets = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (secrets.length === 0)
    throw new OperatorError('There is no secret: give --secret-file or --secret-stdin, or set HANDOVER_WEBHOOK_SECRET.')
  if (secrets.length > MOST_SECRETS) throw new OperatorError('A webhook has two secrets at most, one on each line.')
  return secrets
}

/** Far more than we ever send. */
const LARGEST_FILE = 8 * 1024 * 1024

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size > LARGEST_FILE) throw new OperatorError(`${harmless(file)} is larger than any webhook.`)
    return await readFile(file)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${harmless(file)} cannot be read.`, { cause: error })
  }
}

/** What we send is UTF-8 and not compressed; a byte order mark is the body's own. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new OperatorError('The body is not UTF-8 text, as every webhook of ours is. Was it compressed or converted?')
  }
}
