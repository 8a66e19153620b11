// npm run bench -- <sub-command>: every figure is a ratio against a peer or a bare limit, measured in the same run.
import { parseArgs } from 'node:util'
import { benchApi } from './api/api.ts'
import { benchAuthorize } from './authorize/authorize.ts'
import { benchCosts } from './costs/costs.ts'
import { benchDelivery } from './delivery/delivery.ts'
import { benchGrow } from './grow/grow.ts'
import { installPeers } from './install-peers.ts'
import { printMachine, readMachine } from './machine.ts'
import { benchOverload } from './overload/overload.ts'
import { benchSimulation } from './simulation/simulation.ts'
import { benchToken } from './token/token.ts'

const BENCHES: Record<string, (options: BenchOptions) => Promise<boolean>> = {
  token: benchToken,
  authorize: benchAuthorize,
  api: benchApi,
  delivery: benchDelivery,
  grow: benchGrow,
  overload: benchOverload,
  costs: benchCosts,
  simulation: benchSimulation,
}

type BenchOptions = { rounds: number; seconds: number; only: string; sizes: string }

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1.2' },
    only: { type: 'string', default: '' },
    // Of `grow` alone.
    sizes: { type: 'string', default: '10000,100000,1000000' },
  },
})
const bench = BENCHES[positionals[0] ?? '']

if (bench === undefined) {
  console.error(
    `npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--rounds 9] [--seconds 1.2] [--only <part of a title>]`,
  )
  process.exitCode = 1
} else {
  installPeers()
  printMachine(readMachine())
  const passed = await bench({
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    only: values.only,
    sizes: values.sizes,
  })
  process.exitCode = passed ? 0 : 1
}
