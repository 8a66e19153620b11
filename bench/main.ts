// npm run bench -- <sub-command>: every figure is a ratio against a peer or a bare limit, measured in the same run.
import { parseArgs } from 'node:util'
import { benchApi } from './api/api.ts'
import { benchDelivery } from './delivery/delivery.ts'
import { installPeers } from './install-peers.ts'
import { benchToken } from './token/token.ts'

const BENCHES: Record<string, (options: BenchOptions) => Promise<boolean>> = {
  token: benchToken,
  api: benchApi,
  delivery: benchDelivery,
}

type BenchOptions = { rounds: number; seconds: number; only: string }

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1.2' },
    only: { type: 'string', default: '' },
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
  const passed = await bench({ rounds: Number(values.rounds), seconds: Number(values.seconds), only: values.only })
  process.exitCode = passed ? 0 : 1
}
