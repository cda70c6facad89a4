/** `npm run bench:peers`: compares reads through the gateway with the same reads straight from Medusa and Vendure. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  exitCodes,
  parseNumber,
  parseOptions,
  runCommand,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { ProcessFailed } from '../packages/trials/src/child-process.ts'
import { findFreePorts } from '../packages/trials/src/free-ports.ts'
import { startMeasuredGateway } from './peers/gateway.ts'
import { medusaNames, startMedusa } from './peers/medusa.ts'
import { type ContestResult, formatRun } from './peers/report.ts'
import { type Contest, runRounds } from './peers/rounds.ts'
import {
  type Peer,
  pageRows,
  type Read,
  readAllRows,
  readRows,
  requireSameRows,
  type StockRow,
  type System,
} from './peers/system.ts'
import { startVendure, vendureNames } from './peers/vendure.ts'
import { closeConnections } from './send-request.ts'

const usage = `Usage: npm run bench:peers -- [options]

Compares pages of ${pageRows} stock rows and single SKUs, read through the gateway, with the same reads straight from Medusa
and straight from Vendure. All of them have the same 1,200 SKUs in one warehouse and use one PostgreSQL server. The first
start installs both from npm, into MEDUSA_HOME and VENDURE_HOME or the user's cache, and fills them.

  --rounds N       rounds of each kind of read, from 1 to 99; default 9
  --only PEER      measures medusa or vendure alone; the gateway is in front of Medusa in any case
  --help           prints this text

Exit codes: 0 all targets are met, 1 one was missed or the run failed, 64 wrong usage.
Example: npm run bench:peers -- --rounds 3 --only vendure
`

const styles = 300
const skusPerStyle = 4
const rowCount = styles * skusPerStyle
const pages = rowCount / pageRows
const connections = [1, 16] as const
const maxRounds = 99

/**
 * The peers with the least ratio of the CPU times of a request, with those of the database. Reads of the quantities alone
 * have no target.
 */
const peers = {
  medusa: { names: [medusaNames.key, medusaNames.token], page: 300, sku: 100 },
  vendure: { names: [vendureNames.rows], page: 700, sku: 200 },
} as const

type PeerName = keyof typeof peers
const isPeerName = (text: string): text is PeerName => Object.hasOwn(peers, text)

interface Command {
  readonly rounds: number
  readonly measured: readonly PeerName[]
}

function parseCommand(argv: readonly string[]): Command | undefined {
  const { rounds, only, help } = parseOptions(argv, {
    rounds: { type: 'string', default: '9' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  })
  if (help) return undefined
  if (only !== undefined && !isPeerName(only))
    throw new UsageError(`--only must be medusa or vendure, not "${only}".`)
  return {
    rounds: parseNumber('rounds', rounds, { min: 1, max: maxRounds }),
    measured: only === undefined ? ['medusa', 'vendure'] : [only],
  }
}

const report = (line: string) => void process.stderr.write(`… ${line}\n`)

interface Started {
  /** The gateway and the measured peers. */
  readonly systems: readonly System[]
  readonly databasePid: number
  readonly rows: readonly StockRow[]
}

/** Starts all systems and checks that they have the same rows. `onStart` gets what stops each. */
async function startSystems(
  work: string,
  { measured }: Command,
  onStart: (stop: () => Promise<void>) => void,
): Promise<Started> {
  const [port = 0, postgresPort = 0, connectorPort = 0, gatewayPort = 0, vendurePort = 0] =
    await findFreePorts(5)
  const medusa = await startMedusa({ port, postgresPort, work, styles, report, onStart })
  const { postgres } = medusa
  const gatewayDatabase = 'trade_gateway'
  await postgres.createDatabase(gatewayDatabase)
  report('starting the connector and the gateway')
  const gateway = await startMeasuredGateway({
    ...{ medusa, work, connectorPort, onStart, port: gatewayPort, rows: rowCount },
    databaseUrl: postgres.toUrl(gatewayDatabase),
  })
  const rows = await readAllRows(gateway)
  const byCursor = await readRows(gateway, { page: 2, byCursor: true })
  if (JSON.stringify(byCursor) !== JSON.stringify(rows.slice(pageRows, 2 * pageRows)))
    throw new Error('The gateway returns another page by cursor than by number.')
  if (rows.length !== rowCount) throw new Error(`The gateway has ${rows.length} rows, not ${rowCount}.`)
  const found: Peer[] = []
  if (measured.includes('medusa')) found.push(...medusa.peers)
  if (measured.includes('vendure'))
    found.push(...(await startVendure({ postgres, port: vendurePort, work, rows, report, onStart })))
  for (const peer of found) await requireSameRows(peer, rows)
  report(`the gateway and ${measured.join(' and ')} return the same ${rowCount} rows`)
  // Otherwise PostgreSQL plans without statistics until its own analysis, a minute later.
  for (const name of await postgres.listDatabases()) await postgres.query('vacuum analyze', name)
  return { systems: [gateway, ...found.map(({ system }) => system)], databasePid: postgres.pid, rows }
}

interface Kind extends Pick<Contest, 'name' | 'reads'> {
  readonly target: 'page' | 'sku'
}

/**
 * The kinds of read: each kind of full page, and single SKUs all over the stock. Before the gateway returns a later page
 * by number, it asks a shared database whether its copy is current; a cursor says that itself.
 */
function listKinds(rows: readonly StockRow[]): Kind[] {
  const listed: readonly { readonly name: string; readonly read: Read }[] = [
    { name: 'first page', read: { page: 1 } },
    { name: 'middle page', read: { page: pages / 2 } },
    { name: 'middle page by cursor', read: { page: pages / 2, byCursor: true } },
    { name: 'last page', read: { page: pages } },
  ]
  return [
    ...listed.map(({ name, read }) => ({ name, target: 'page' as const, reads: [read] })),
    { name: 'one SKU', target: 'sku', reads: rows.map(({ sku }) => ({ sku })) },
  ]
}

async function compare(started: Started, command: Command): Promise<number> {
  const { rounds } = command
  const results: ContestResult[] = []
  try {
    await measureAll(started, command, results)
  } catch (error) {
    // A run takes half an hour: what was measured before it failed is printed.
    if (results.length > 0) process.stdout.write(formatRun(results, started.systems[0]?.name ?? '').text)
    throw error
  }
  const { text, areAllMet } = formatRun(results, started.systems[0]?.name ?? '')
  process.stdout.write(`${rowCount} SKUs in one warehouse, rounds: ${rounds}\n\n${text}`)
  return areAllMet ? exitCodes.ended : exitCodes.failed
}

/** Measures each kind of read with each number of connections, and adds the results. */
async function measureAll(
  started: Started,
  { rounds, measured }: Command,
  results: ContestResult[],
): Promise<void> {
  const known = new Map<number, number>()
  for (const { name, target, reads } of listKinds(started.rows)) {
    for (const count of connections) {
      const contest = { name: `${name}, ${count} at once`, reads, connections: count }
      report(`measuring: ${contest.name}`)
      const targets = new Map(
        measured.flatMap((peer) => peers[peer].names.map((peerName) => [peerName, peers[peer][target]])),
      )
      results.push({
        name: contest.name,
        targets,
        rounds: await runRounds(contest, started, { rounds, known }),
      })
    }
  }
}

class Interrupted extends Error {}

/** Rejects on Ctrl-C and SIGTERM. The systems run in sessions of their own and do not get these signals. */
function waitForInterruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => reject(new Interrupted(`${signal} ended the run.`)))
  return promise
}

async function run(command: Command): Promise<number> {
  const work = await mkdtemp(join(tmpdir(), 'trade-gateway-peers-'))
  const stops = [() => rm(work, { recursive: true, force: true, maxRetries: 5 })]
  let isOver = false
  // What starts after an interruption is stopped at once.
  const onStart = (stop: () => Promise<void>) => void (isOver ? stop() : stops.push(stop))
  try {
    // PostgreSQL runs as another user and must reach its folder below.
    await chmod(work, 0o755)
    await mkdir(join(work, 'medusa'))
    const done = startSystems(work, command, onStart).then((started) => compare(started, command))
    return await Promise.race([done, waitForInterruption()])
  } finally {
    isOver = true
    for (const stop of stops.toReversed()) await stop()
    closeConnections()
  }
}

await runCommand({
  usage,
  explained: [SandboxError, ProcessFailed, Interrupted],
  run: async (argv) => {
    const command = parseCommand(argv)
    return command ? run(command) : 'usage'
  },
})
