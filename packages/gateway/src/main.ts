import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { erpClient } from '@trade-gateway/connector'
import { type Config, ConfigError, defaultDataDir, readConfig } from './config.ts'
import { type Gateway, openGateway, startWorkers } from './gateway.ts'
import { createApp } from './http/app.ts'
import { systemClock } from './kernel/clock.ts'
import { jsonLog, type Log } from './kernel/log.ts'
import { warmHighlighter } from './pages/docs/highlight.ts'
import { steerAt } from './sandbox/steer.ts'
import { plainBanner, sandboxBanner } from './start/banner.ts'
import { DataDirBusy, lockDataDir } from './start/lock.ts'
import {
  ensureSandboxChannels,
  SandboxFailed,
  type SandboxProcess,
  startSandbox,
  writeSandboxFile,
} from './start/sandbox.ts'
import { completedSettings, givenSettings, makeDataDir, type Settings } from './start/settings.ts'
import { beginEpoch } from './stock/epoch.ts'
import { migrate } from './store/migrate.ts'
import { openPostgres } from './store/postgres.ts'
import { openSqlite } from './store/sqlite.ts'
import { type Store, StoreUnusable } from './store/store.ts'
import { guaranteeOf } from './upstream/guarantee.ts'

const usage = `Usage: npm start -- [options]

Starts the gateway. With nothing configured it brings its own ERP, makes an account and prints how to use it.

  --catalogue FILE   start the built-in ERP on a catalogue of your own (CSV: sku, name, price_wholesale, …)
  --restored         DATA_DIR was restored from a backup: begin a new history, so that clients sync anew
  --help             this text

Settings come from the environment, then .env, then settings.env in DATA_DIR (default ${defaultDataDir}); README.md lists them.
Example: PORT=9000 npm start -- --catalogue goods.csv
`

const exit = { ok: 0, failure: 1, usage: 64, busy: 75, configuration: 78 } as const
const drainMs = 20_000
const fillPollMs = 250

type Closer = () => Promise<void> | void

async function main(): Promise<number | undefined> {
  // What this process writes is its owner's business only.
  process.umask(0o077)
  const { values } = parseArgs({
    options: {
      catalogue: { type: 'string' },
      restored: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return exit.ok
  }
  const given = givenSettings(process.env, process.cwd())
  if (values.catalogue !== undefined) given.SANDBOX_CATALOGUE = values.catalogue
  const dataDir = given.DATA_DIR || defaultDataDir
  makeDataDir(dataDir)
  const closers: Closer[] = []
  const isShared = Boolean(given.UPSTREAM_URL && given.DATABASE_URL)
  if (!isShared) closers.push(lockDataDir(dataDir, systemClock.now()))
  const settings = completedSettings(given, dataDir)
  const config = readConfig(settings)
  const log = jsonLog(config.logLevel)
  await run(config, settings, log, closers, values.restored)
  return undefined
}

/** Brings everything up in order; each step adds how it is ended. */
async function run(
  config: Config,
  settings: Settings,
  log: Log,
  closers: Closer[],
  restored: boolean,
): Promise<void> {
  stopOnSignals(closers, log)
  const store = await openStore(config, log)
  closers.push(() => store.close())
  await migrate(store)

  let announce = () => {}
  const sandbox = config.upstream ? undefined : await startSandbox(config, settings, log, () => announce())
  if (sandbox) closers.push(() => sandbox.stop())
  tellLeftOut(sandbox)
  const { url, token } = config.upstream ?? sandbox ?? { url: '', token: '' }
  const client = erpClient(url, token)
  closers.push(() => client.close())

  const highWaterFile = join(config.dataDir, `high-water-${config.port}.json`)
  const gateway = await openGateway({
    config,
    store,
    erp: client.erp,
    log,
    steer: steerAt(url, token),
    highWaterFile,
  })
  await gateway.upstream.capabilities().catch((error: unknown) => {
    log.warn({ error }, 'the ERP does not answer; stock is served as it was last known')
  })
  if (restored) await beginEpoch(gateway)
  if (sandbox) await ensureSandboxChannels(gateway, settings)
  await gateway.mirror.stock.follow()
  await gateway.mirror.reference.follow()
  closers.push(startWorkers(gateway))

  warmHighlighter()
  const server = createApp(gateway)
  const baseUrl = await listen(server, config)
  closers.push(() => drained(server))
  if (sandbox) {
    announce = () => writeSandboxFile(config.dataDir, baseUrl, settings, sandbox)
    announce()
  }
  if (!gateway.mirror.stock.isFilled)
    process.stdout.write('Reading the stock from the ERP for the first time…\n')
  await filled(gateway)
  process.stdout.write(
    sandbox
      ? sandboxBanner(baseUrl, settings, config.sandbox.activity, ordersWord(gateway))
      : plainBanner(baseUrl, ordersWord(gateway)),
  )
}

/** What an order is worth in front of this ERP. */
function ordersWord({ upstream }: Gateway): string {
  return upstream.known
    ? guaranteeOf(upstream.known).says
    : 'not known yet: the ERP does not answer (GET /statusz)'
}

async function openStore(config: Config, log: Log): Promise<Store> {
  return config.databaseUrl === undefined
    ? openSqlite(join(config.dataDir, 'gateway.db'))
    : openPostgres(config.databaseUrl, log)
}

async function listen(server: Server, config: Config): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port, address, family } = server.address() as AddressInfo
  return config.baseUrl ?? `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The banner comes when the printed lines work: once the stock is there, or after a while without it. */
async function filled(gateway: Gateway): Promise<void> {
  const mostTries = 60
  for (let tries = 0; tries < mostTries && !gateway.mirror.stock.isFilled; tries++) {
    await new Promise((resolve) => setTimeout(resolve, fillPollMs))
  }
}

function tellLeftOut(sandbox: SandboxProcess | undefined) {
  for (const { line, sku, reason } of sandbox?.leftOut ?? []) {
    process.stderr.write(`left out of the catalogue: line ${line}${sku ? ` (${sku})` : ''}: ${reason}\n`)
  }
}

/** Stops accepting, lets what is under way finish, then closes the rest. */
async function drained(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(timer)
}

function stopOnSignals(closers: Closer[], log: Log) {
  let stopping = false
  const stop = (code: number) => {
    if (stopping) return
    stopping = true
    closeAll(closers).then(
      () => process.exit(code),
      () => process.exit(exit.failure),
    )
  }
  process.on('SIGTERM', () => stop(exit.ok))
  process.on('SIGINT', () => stop(exit.ok))
  process.on('unhandledRejection', (error) => {
    log.error({ error }, 'an unhandled rejection; the process ends')
    stop(exit.failure)
  })
  process.on('uncaughtException', (error) => {
    log.error({ error }, 'an uncaught exception; the process ends')
    stop(exit.failure)
  })
}

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close()
}

function explained(error: unknown): { message: string; code: number } {
  if (error instanceof ConfigError) {
    return {
      message: `The configuration does not work:\n${error.problems.map((each) => `  - ${each}`).join('\n')}`,
      code: exit.configuration,
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof DataDirBusy) return { message, code: exit.busy }
  if (error instanceof StoreUnusable) return { message, code: error.exitCode }
  if (error instanceof SandboxFailed && error.isConfiguration) return { message, code: exit.configuration }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ERR_PARSE_ARGS')) return { message: `${message}\n\n${usage}`, code: exit.usage }
  if (code === 'EADDRINUSE') return { message: `${message}. Set another PORT.`, code: exit.busy }
  return { message, code: exit.failure }
}

main().then(
  (code) => {
    if (code !== undefined) process.exit(code)
  },
  (error: unknown) => {
    const { message, code } = explained(error)
    process.stderr.write(`${message}\n`)
    process.exit(code)
  },
)
