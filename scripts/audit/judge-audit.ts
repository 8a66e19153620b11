import type { AcceptedAdvisory } from './accepted-advisories.ts'
import type { Advisory, AuditAnswer } from './ask-registry.ts'

export type AuditVerdict = { red: boolean; lines: string[] }

const SERIOUS = ['high', 'critical']

/**
 * Red is a serious vulnerability in what we deliver, unless it is accepted for now. One in a tool is said and stops nobody, and so is a
 * registry that does not answer: a change cannot mend the network.
 */
export function judgeAudit(
  delivered: AuditAnswer,
  withTools: AuditAnswer,
  { accepted, today }: { accepted: readonly AcceptedAdvisory[]; today: string },
): AuditVerdict {
  if (delivered.outcome === 'not-done')
    return { red: false, lines: [`NOT DONE: ${delivered.reason}. Nothing is known about vulnerabilities.`] }
  const lines = [`what is delivered: ${counted(delivered.advisories)}`]
  let red = false
  for (const advisory of delivered.advisories) {
    const excuse = accepted.find(({ id }) => id === advisory.id)
    const excused = excuse !== undefined && excuse.until >= today
    const stops = SERIOUS.includes(advisory.severity) && !excused
    red ||= stops
    lines.push(`  ${stops ? 'STOPS ' : ''}${inWords(advisory)}${excuse ? said(excuse, excused) : ''}`)
  }
  return { red, lines: [...lines, ...toolLines(delivered.advisories, withTools), ...unusedLines(delivered, accepted)] }
}

function toolLines(delivered: readonly Advisory[], withTools: AuditAnswer): string[] {
  if (withTools.outcome === 'not-done') return [`tools of development: NOT DONE: ${withTools.reason}`]
  const known = new Set(delivered.map(({ id, name }) => `${id} ${name}`))
  const inTools = withTools.advisories.filter(({ id, name }) => !known.has(`${id} ${name}`))
  return [`tools of development: ${counted(inTools)}`, ...inTools.map((advisory) => `  ${inWords(advisory)}`)]
}

function unusedLines(
  { advisories }: { advisories: readonly Advisory[] },
  accepted: readonly AcceptedAdvisory[],
): string[] {
  return accepted
    .filter(({ id }) => advisories.every((advisory) => advisory.id !== id))
    .map(({ id }) => `${id} is accepted and no longer there: take it out of scripts/audit/accepted-advisories.ts`)
}

function counted(advisories: readonly Advisory[]): string {
  return `${advisories.length || 'no'} known ${advisories.length === 1 ? 'vulnerability' : 'vulnerabilities'}`
}

function inWords({ severity, name, range, title, id }: Advisory): string {
  return `${severity}: ${name} ${range}: ${title} (${id})`
}

function said({ until, reason }: AcceptedAdvisory, holds: boolean): string {
  return holds ? `; accepted until ${until}: ${reason}` : `; was accepted until ${until}`
}
