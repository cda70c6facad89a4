import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { erpClient } from '@trade-gateway/connector'
import { toHeadFile } from './audit/head.ts'
import { openGateway } from './compose.ts'
import { type Config, ConfigError, defaultDataDir, readConfig } from './config.ts'
import type { Gateway } from './gateway.ts'
import { createApp } from './http/app.ts'
import { Drain, shutdownLimits } from './http/drain.ts'
import { systemClock } from './kernel/clock.ts'
import { jsonLog, type Log } from './kernel/log.ts'
import { warmHighlighter } from './pages/docs/highlight.ts'
import { listCustomersOfChannels } from './reference/sync.ts'
import { formatBanner, formatSandboxBanner } from './start/banner.ts'
import { startConsoleBuild } from './start/console.ts'
import { databaseFile, makeDataDir } from './start/data-dir.ts'
import { openSpans } from './start/export-spans.ts'
import { lowerHelperThreads } from './start/helper-threads.ts'
import { warnOfLegacyEnd } from './start/legacy-end.ts'
import { DataDirBusy, lockDataDir } from './start/lock.ts'
import { beginRestored } from './start/restored.ts'
import {
  ensureSandboxChannels,
  SandboxFailed,
  type SandboxProcess,
  startSandbox,
  writeSandboxFile,
} from './start/sandbox.ts'
import { completeSettings, listNamesFromFiles, readSettings, type Settings } from './start/settings.ts'
import { isSupervised, reportReady, shareMetrics, watchSupervisor } from './start/supervised.ts'
import { Supervisor } from './start/supervisor.ts'
import { refuseUnfinishedRestore } from './start/unfinished-restore.ts'
import { migrate } from './store/migrate.ts'
import { openPostgres } from './store/postgres.ts'
import { openSqlite } from './store/sqlite.ts'
import { type Store, StoreUnusable } from './store/store.ts'
import { findStorageTrouble } from './store/trouble.ts'
import { deriveGuarantee } from './upstream/guarantee.ts'
import { createSandboxControl } from './upstream/steer.ts'
import { startWorkers } from './workers.ts'

const usage = `Usage: npm start -- [options]     in a checkout
       npx trade-gateway [options] elsewhere

Starts the gateway. Without any configuration, it starts the built-in ERP, creates an account and prints how to use it
on standard error. Standard output carries the log, one JSON object a line.

  --catalogue FILE   start the built-in ERP with your own catalogue (CSV: sku, name, price_wholesale, …)
  --restored         use once after DATA_DIR was restored from a backup: clients then sync again from the beginning
  --help             print this text

Settings come from the environment, then .env, then settings.env in DATA_DIR (default ${defaultDataDir}).
The page /docs/configuration of a running gateway lists them.
Example: PORT=9000 npm start -- --catalogue goods.csv
`

const exit = { ok: 0, failure: 1, usage: 64, busy: 75, configuration: 78 } as const
const fillPollMs = 250

type Closer = () => Promise<void> | void

async function main(): Promise<number | undefined> {
  // Files of this process are readable only by their owner.
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
  const environment =
    values.catalogue === undefined ? process.env : { ...process.env, SANDBOX_CATALOGUE: values.catalogue }
  const given = readSettings(environment, process.cwd())
  const dataDir = given.DATA_DIR || defaultDataDir
  makeDataDir(dataDir)
  const closers: Closer[] = []
  const isShared = Boolean(given.UPSTREAM_URL && given.DATABASE_URL)
  if (!isShared) closers.push(lockDataDir(dataDir, systemClock.now()))
  const settings = completeSettings(given, dataDir)
  const config = readConfig(settings, listNamesFromFiles(settings, environment))
  const log = jsonLog(config.logLevel, undefined, config.processNumber)
  if (config.processes > 1 && !isSupervised) return new Supervisor(config, log).run(printForPeople)
  const drain = new Drain(systemClock, isSupervised)
  await start({ config, settings, log, closers, drain, isRestored: values.restored })
  return undefined
}

/** The parts of a process that is starting. Each step adds to `closers` a function that closes what it opened. */
interface Startup {
  readonly config: Config
  readonly settings: Settings
  readonly log: Log
  readonly closers: Closer[]
  readonly drain: Drain
  /** Whether `DATA_DIR` was restored from a backup. */
  readonly isRestored: boolean
}

/** Starts everything in order. */
async function start(startup: Startup): Promise<void> {
  const { config, settings, log, closers, drain, isRestored } = startup
  stopOnSignals(startup)
  lowerHelperThreads()
  const store = await openStore(config, log)
  closers.push(() => store.close())
  await migrate(store, log)

  let publishSandbox = () => {}
  const sandbox = config.upstream
    ? undefined
    : await startSandbox({ config, settings, log, onRestart: () => publishSandbox() })
  if (sandbox) closers.push(() => sandbox.stop())
  reportLeftOut(sandbox)
  const gateway = await connectGateway(startup, store, config.upstream ?? sandbox ?? { url: '', token: '' })
  // Finds out from the newest versions that were sent whether the database is older.
  await gateway.mirror.stock.follow()
  await beginRestored(gateway, isRestored)
  warnOfLegacyEnd(gateway)
  if (sandbox) await ensureSandboxChannels(gateway, settings)
  await gateway.mirror.stock.follow()
  await gateway.mirror.reference.follow()
  closers.push(startWorkers(gateway))

  warmHighlighter()
  if (isSupervised) shareMetrics(gateway.memory.metrics)
  const baseUrl = await serve(gateway, drain, closers)
  const consoleBuild = startConsoleBuild(log)
  // The server must stay the first part that is closed.
  closers.unshift(() => consoleBuild.stop())
  if (sandbox) {
    publishSandbox = () => writeSandboxFile({ dataDir: config.dataDir, baseUrl, settings, sandbox })
    publishSandbox()
  }
  await waitUntilFilled(gateway)
  await consoleBuild.done
  const guarantee = describeGuarantee(gateway)
  const announce = isSupervised ? reportReady : printForPeople
  announce(
    sandbox
      ? formatSandboxBanner({ baseUrl, settings, activity: config.sandbox.activity, guarantee })
      : formatBanner({ baseUrl, guarantee, isFilled: gateway.mirror.stock.isFilled }),
  )
}

/** Prints a text on standard error. Standard output carries the JSON lines of the log only, so that programs can read it. */
function printForPeople(text: string) {
  process.stderr.write(text)
}

/** Builds the gateway with a client of the ERP. */
async function connectGateway(
  { config, log, closers }: Startup,
  store: Store,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<Gateway> {
  const client = erpClient(url, token, {
    onLeftOut: (operation, row) =>
      log.warn(
        { operation },
        `a row of the ERP is ignored, because its code contains NUL or a lone surrogate: ${row}`,
      ),
    onRepaired: (operation, row) =>
      log.warn(
        { operation },
        `a text of the ERP contains NUL or a lone surrogate, and is shown with U+FFFD instead: ${row}`,
      ),
  })
  closers.push(() => client.close())
  const spans = await openSpans(config, log, () => systemClock.monotonic())
  closers.push(() => spans.close())
  const gateway = await openGateway({
    spans,
    config,
    store,
    erp: client.erp,
    leftOut: () => client.leftOut(),
    log,
    steer: createSandboxControl(url, token),
    highWaterFile: join(config.dataDir, `high-water-${nameProcess(config)}.json`),
    auditHeadFile: toHeadFile(config.dataDir, nameProcess(config)),
  })
  closers.push(() => gateway.valkey?.close())
  // `ErpWatch` reports an ERP that does not respond.
  await gateway.upstream.capabilities().catch(() => {})
  return gateway
}

/** Names the files of this process: processes that share a data directory differ by port or by number. */
function nameProcess({ port, processNumber }: Config): string {
  return processNumber === undefined ? String(port) : `${port}-${processNumber}`
}

/** Starts the HTTP server and returns the URL at which clients reach it. */
async function serve(gateway: Gateway, drain: Drain, closers: Closer[]): Promise<string> {
  const server = createApp(gateway, drain)
  const baseUrl = await listen(server, gateway.config)
  closers.push(() => drain.end(server))
  return baseUrl
}

/** Describes how reliably an order reaches this ERP exactly once. */
function describeGuarantee({ upstream }: Gateway): string {
  return upstream.known
    ? deriveGuarantee(upstream.known).says
    : 'not known yet: the ERP does not respond (see GET /statusz)'
}

async function openStore(config: Config, log: Log): Promise<Store> {
  return config.databaseUrl === undefined
    ? openEmbedded(config.dataDir, log)
    : openPostgres(config.databaseUrl, log)
}

function openEmbedded(dataDir: string, log: Log): Store {
  refuseUnfinishedRestore(dataDir)
  return openSqlite(join(dataDir, databaseFile), log)
}

async function listen(server: Server, config: Config): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port, address, family } = server.address() as AddressInfo
  return config.baseUrl ?? `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Waits until the stock, the products and the customers of all channels have been read, so that the printed commands work
 * when the banner appears: up to 15 seconds, and up to 10 minutes for stock that a large ERP is still sending.
 */
async function waitUntilFilled(gateway: Gateway): Promise<void> {
  const maxTries = 60
  const maxFillTries = 2_400
  const { stock, reference } = gateway.mirror
  const customers = await listCustomersOfChannels(gateway)
  const isFilled = () =>
    stock.isFilled && reference.isFilled && customers.every((code) => reference.knowsCustomer(code))
  if (!stock.isFilled) printForPeople('Reading the stock from the ERP for the first time…\n')
  const isFilling = () => !stock.isFilled && gateway.upstream.watch?.verdict === 'answers'
  for (let tries = 0; !isFilled() && (tries < maxTries || (tries < maxFillTries && isFilling())); tries++) {
    await new Promise((resolve) => setTimeout(resolve, fillPollMs))
  }
}

function reportLeftOut(sandbox: SandboxProcess | undefined) {
  for (const { line, sku, reason } of sandbox?.leftOut ?? []) {
    printForPeople(`left out of the catalogue: line ${line}${sku ? ` (${sku})` : ''}: ${reason}\n`)
  }
}

const reloadNeedsProcesses =
  'SIGHUP replaces processes one after another, which requires PROCESSES; this process goes on, so restart it instead'

function stopOnSignals({ closers, drain, log }: Startup) {
  let stopping = false
  const stop = (code: number) => {
    if (stopping) return
    stopping = true
    closeAll(closers, log).then(
      () => process.exit(code),
      () => process.exit(exit.failure),
    )
  }
  process.on('SIGTERM', () => stop(exit.ok))
  process.on('SIGINT', () => {
    drain.hurry()
    stop(exit.ok)
  })
  const hasTerminal = process.stdin.isTTY === true
  if (!isSupervised)
    process.on('SIGHUP', () => {
      // A terminal that closes ends the process. Without one, the signal asks for new processes.
      if (hasTerminal) stop(exit.ok)
      else log.warn({}, reloadNeedsProcesses)
    })
  watchSupervisor(() => {
    log.error({}, 'the supervisor has ended; the process finishes its requests and exits')
    stop(exit.failure)
  })
  process.on('unhandledRejection', (error) => {
    if (!stopping) log.error({ error }, 'an unhandled rejection; the process exits')
    stop(exit.failure)
  })
  process.on('uncaughtException', (error) => {
    if (!stopping) log.error({ error }, 'an uncaught exception; the process exits')
    stop(exit.failure)
  })
}

/** Closes the newest part first: the server without a limit, then the rest within `closeMs`. */
async function closeAll(closers: Closer[], log: Log): Promise<void> {
  const [drain, ...rest] = closers.toReversed()
  await drain?.()
  const closing = (async () => {
    for (const close of rest) await close()
  })()
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), shutdownLimits.closeMs)
  const outcome = await Promise.race([closing, late])
  clearTimeout(timer)
  if (outcome === 'late')
    log.warn({}, `work that did not end within ${shutdownLimits.closeMs} ms of the last response is aborted`)
}

function explainError(error: unknown): { message: string; code: number } {
  if (error instanceof ConfigError) {
    return {
      message: `The configuration is not valid:\n${error.problems.map((each) => `  - ${each}`).join('\n')}`,
      code: exit.configuration,
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof DataDirBusy) return { message, code: exit.busy }
  if (findStorageTrouble(error) === 'storage_full') {
    return {
      message: `The disk is full, so the gateway cannot write to DATA_DIR or to the database. Free some space and start again. (${message})`,
      code: exit.failure,
    }
  }
  if (error instanceof StoreUnusable) return { message, code: error.exitCode }
  if (error instanceof SandboxFailed && error.isConfiguration) return { message, code: exit.configuration }
  if (findStorageTrouble(error))
    return { message: `The database does not respond. (${message})`, code: exit.busy }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ERR_PARSE_ARGS')) return { message: `${message}\n\n${usage}`, code: exit.usage }
  if (code === 'EADDRINUSE') return { message: `${message}. Set another PORT.`, code: exit.busy }
  if (code === 'EADDRNOTAVAIL')
    return { message: `${message}. HOST must be an address of this machine.`, code: exit.configuration }
  if (code === 'EACCES' && error instanceof Error && 'syscall' in error && error.syscall === 'listen')
    return { message: `${message}. Set a PORT or a HOST that this user may use.`, code: exit.configuration }
  return { message, code: exit.failure }
}

/** Runs the program: reads the arguments and the settings, and starts the gateway. Ends the process if that fails. */
export async function runProgram(): Promise<void> {
  try {
    const code = await main()
    if (code !== undefined) process.exit(code)
  } catch (error) {
    const { message, code } = explainError(error)
    printForPeople(`${message}\n`)
    process.exit(code)
  }
}
