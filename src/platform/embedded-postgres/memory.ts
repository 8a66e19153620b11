import { totalmem } from 'node:os'

const MB = 1024 ** 2
const LEAST_MB = 128
const MOST_MB = 2048

/**
 * How much of the tables the server keeps at hand: an eighth of the memory, which it takes up only as it is used. PostgreSQL's
 * own 128 MB are for the smallest machine: with a million applications most of what is looked up is not there, and fetching
 * it from the operating system costs more than the look (decision record 98).
 */
export function sharedBuffers(memory: number = memoryOfMachine()): string {
  return `${Math.min(MOST_MB, Math.max(LEAST_MB, Math.floor(memory / 8 / MB)))}MB`
}

/** A container may have less than its machine; 0 stands for what cannot be known. */
function memoryOfMachine(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}
