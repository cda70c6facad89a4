/** What it costs to share: one-row reads whose points are counted in Valkey, and those of two processes on one core. */

import { createConnection } from 'node:net'
import { findFreePort } from '../../packages/trials/src/free-ports.ts'
import { type Bench, openBench, type StockKind, type Subject, withGateway } from '../bench.ts'
import { runContest } from '../contest.ts'
import type { RunningGateway } from '../gateway.ts'
import { loadCore, startPinned, waitUntilReady } from '../processes.ts'
import type { Bound } from '../target.ts'
import { requireProgram } from '../tools.ts'
import { thisTree } from '../trees.ts'
import { createOneRowContenders } from './one-row.ts'

const connections = 64
const startTimeoutMs = 10_000

export const measureValkey: Subject = async (bench) => {
  const port = await findFreePort()
  const valkey = startPinned({
    name: 'Valkey',
    core: loadCore,
    command: [
      requireProgram('redis-server'),
      ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    ],
    cwd: bench.folder,
    log: `${bench.folder}/valkey.log`,
  })
  await waitUntilReady(valkey, startTimeoutMs, () => connect(port))
  await compareReads(bench, {
    subject: 'valkey',
    name: 'points in Valkey',
    settings: { VALKEY_URL: `redis://127.0.0.1:${port}` },
    kind: {},
    by: 'rate',
    bound: { is: 'at least', must: 0.75 },
  })
  await valkey.end()
}

/** Resolves with true once a server listens. */
function connect(port: number): Promise<true> {
  const { promise, resolve, reject } = Promise.withResolvers<true>()
  const socket = createConnection(port, '127.0.0.1')
  socket.once('connect', () => resolve(true))
  socket.once('error', reject)
  return promise.finally(() => socket.destroy())
}

export const measureProcesses: Subject = async (bench) => {
  const { databaseUrl } = bench.options
  if (databaseUrl === undefined)
    return bench.report.addNote('processes: not measured, because TEST_DATABASE_URL is not set')
  await compareReads(bench, {
    subject: 'processes',
    name: 'PROCESSES=2',
    settings: { PROCESSES: '2' },
    kind: { databaseUrl },
    by: 'cost',
    bound: { is: 'at most', must: 1.1 },
  })
}

interface Comparison {
  readonly subject: string
  readonly name: string
  readonly settings: Readonly<Record<string, string>>
  readonly kind: StockKind
  readonly by: 'rate' | 'cost'
  readonly bound: Bound
}

/** Compares one-row reads of a gateway with those of the same gateway with other settings. */
async function compareReads(bench: Bench, { subject, name, settings, kind, by, bound }: Comparison) {
  const { options, report, folder } = bench
  const other = openBench({ options, report, folder, tree: { ...thisTree, name, settings } })
  const run = async (plain: RunningGateway, changed: RunningGateway) => {
    const { row: reference } = await createOneRowContenders(plain, connections)
    const { row } = await createOneRowContenders(changed, connections)
    const contenders = [
      { ...reference, isReference: true },
      { ...row, name: `${row.name}, ${name}` },
    ]
    const found = await runContest({ name, contenders }, options)
    report.addContest(found)
    const target = `1 row, ${connections} connections: ${name} / without`
    report.judgeRatio(found, { subject, target, by, of: `${row.name}, ${name}`, over: reference.name, bound })
  }
  try {
    const stocks = [
      await bench.provideStock('middle', kind),
      await other.provideStock('middle', kind),
    ] as const
    await withGateway(stocks[0], (plain) => withGateway(stocks[1], (changed) => run(plain, changed)))
  } finally {
    await other.close()
  }
}
