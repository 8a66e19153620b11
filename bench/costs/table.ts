import { FAN_OUTS } from '../delivery/scene.ts'
import { LOAD } from '../simulation/parameters.ts'
import { CLAIMED_TOGETHER, SETTLED_TOGETHER } from '../simulation/plan.ts'
import { costOf, type Figures, type Fit, medianOf, type Sample, type Things } from './fit.ts'
import type { Call } from './round.ts'

export type Fitted = { call: Call; samples: Sample[]; fit: Fit }

export type Fits = Readonly<Record<Call, Fitted>>

/** Of the delivery benchmark: deliveries of a round, at most so many events in a publish, and a claim when much is waiting. */
const DELIVERIES = 3_000
const LARGEST_BATCH = 500
const TOGETHER = { webhook: 20, delivery: 240 }

const TITLE = 48
const WIDTH = 10

/** Each median with what the figures give for it: how far they can be believed. */
export function printFitted({ call, samples, fit }: Fitted): void {
  const heads = ['calls', 'CPU µs', 'fitted', 'off', 'WAL bytes', 'fitted', 'off']
  console.log(`\n${call.padEnd(TITLE)}${heads.map((head) => head.padStart(WIDTH)).join('')}`)
  for (const sample of samples) {
    const cpu = cellsOf(medianOf(sample, 'cpu') * 1e6, costOf(fit.cpu, sample.things) * 1e6)
    const wal = cellsOf(medianOf(sample, 'wal'), costOf(fit.wal, sample.things))
    const cells = [String(sample.costs.length), ...cpu, ...wal]
    console.log(`  ${inWords(sample.things).padEnd(TITLE - 2)}${cells.map((cell) => cell.padStart(WIDTH)).join('')}`)
  }
  console.log(`  CPU µs: ${listed(fit.cpu, 1e6)}; WAL bytes: ${listed(fit.wal, 1)}`)
}

/** For the file: the medians, and not every call. */
export function summaryOf({ call, samples, fit }: Fitted): object {
  const medians = samples.map((sample) => {
    const { things, costs } = sample
    return { things, calls: costs.length, cpu: medianOf(sample, 'cpu'), walBytes: medianOf(sample, 'wal') }
  })
  return { call, medians, fitted: { cpu: fit.cpu, walBytes: fit.wal } }
}

function cellsOf(measured: number, fitted: number): string[] {
  const off = measured === 0 ? '–' : `${Math.round((fitted / measured - 1) * 100)} %`
  return [numeral(measured), numeral(fitted), off]
}

function inWords(things: Things): string {
  const words = Object.entries(things).map(([thing, count]) => `${count} × ${thing}`)
  return words.length === 0 ? 'nothing due' : words.join(', ')
}

function listed(figures: Figures, scale: number): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${(value * scale).toFixed(1)}`)
    .join(', ')
}

/** What a delivery comes to where webhooks are busy, to hold against the database CPU of `npm run bench -- delivery`. */
export function printForDelivery({ publish, claim, settle }: Fits): void {
  const { webhook, delivery } = TOGETHER
  const later =
    costOf(claim.fit.cpu, { webhook, giving: webhook, delivery }) / delivery +
    costOf(settle.fit.cpu, { delivery }) / delivery
  const each = FAN_OUTS.map((fanOut) => {
    const event = Math.min(LARGEST_BATCH, DELIVERIES / fanOut)
    return costOf(publish.fit.cpu, { event, delivery: event * fanOut }) / (event * fanOut) + later
  })
  const shown = each.map((cpu) => numeral(cpu * 1e6)).join(', ')
  console.log(
    `a delivery at fan-out ${FAN_OUTS.join(', ')}, ${delivery} claimed and settled together: ${shown} µs of CPU`,
  )
}

/**
 * For simulation/parameters.ts. A webhook that gets a delivery is asleep there, so to wake it is part of what the delivery costs,
 * and one that is claimed from has something to give. WAL stands there without what a call writes by itself, so a share of
 * that is added, and the second look at the webhook, as plan.ts does with the CPU.
 */
export function printCosts({ publish, claim, emptyLook, settle }: Fits): void {
  console.log(`
for simulation/parameters.ts:
  database: {
    publish: { each: ${micro(publish, 'each')}, event: ${micro(publish, 'event')}, delivery: ${micro(publish, 'delivery', 'woken')} },
    claim: { each: ${micro(claim, 'each')}, webhook: ${micro(claim, 'webhook', 'giving')}, delivery: ${micro(claim, 'delivery')} },
    emptyLook: ${micro(emptyLook, 'each')},
    settle: { each: ${micro(settle, 'each')}, delivery: ${micro(settle, 'delivery')} },
  },
  walBytes: {
    event: ${bytes(publish, LOAD.batch, 'event')},
    delivery: ${numeral(sumOf(publish.fit.wal, ['delivery', 'woken']))},
    claim: ${bytes(claim, CLAIMED_TOGETHER, 'webhook', 'webhook', 'giving', 'delivery')},
    settle: ${bytes(settle, SETTLED_TOGETHER, 'delivery')},
  },`)
}

function micro({ fit }: Fitted, ...names: string[]): string {
  return `${numeral(sumOf(fit.cpu, names) * 1e6)}e-6`
}

function bytes({ fit }: Fitted, together: number, ...names: string[]): string {
  return numeral((fit.wal['each'] ?? 0) / together + sumOf(fit.wal, names))
}

function sumOf(figures: Figures, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (figures[name] ?? 0), 0)
}

function numeral(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', '_')
}
