// Loaded before a service begins (`node --expose-gc --import`): at SIGUSR2 it collects its garbage and says on descriptor 3 what is left.
import { writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  globalThis.gc?.()
  writeSync(3, `${process.memoryUsage().heapUsed}\n`)
})
