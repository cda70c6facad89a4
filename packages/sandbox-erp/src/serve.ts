import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Capabilities, erpServer, idleConnectionMs } from '@trade-gateway/connector'
import type { Account } from './accounts.ts'
import { Activity } from './activity.ts'
import type { LeftOut } from './catalogue/catalogue.ts'
import { systemClock } from './clock.ts'
import { controlsPrefix, createSandboxControls } from './controls.ts'
import { openSandboxErp, type SandboxErp } from './erp.ts'
import { InjectedFault } from './faults/faults.ts'
import type { BatchResult } from './movements.ts'
import { applyMovementsCsv, MalformedMovements, maxMovementBytes } from './movements-csv.ts'
import { createCatalogueSource } from './source.ts'

/**
 * The shortest interval of the activity timer, in milliseconds. At the highest rate, 60,000 changes a minute, a tick
 * has 50 steps.
 */
const minTickMs = 50
const maxStepsPerTick = 100
/** The interval in milliseconds at which due changes are applied, even if there are no calls. */
const dueEveryMs = 200
/** The value that `null` stands for in settings: IPC messages are JSON, which has no Infinity. */
const never = Number.POSITIVE_INFINITY

/** The settings of a sandbox ERP process. */
export interface ServeSettings {
  /** 0 takes any free port. */
  readonly port: number
  /** The address to listen on; default 127.0.0.1. */
  readonly host?: string
  readonly database: string
  readonly catalogue?: string
  readonly seed: number
  /** The number of styles in the built-in catalogue besides the triggers; default 2,000. */
  readonly styles?: number
  /** A CSV of movements that is applied at each start, before the ERP accepts calls. */
  readonly movements?: string
  /** Stock changes per minute; 0 disables them. */
  readonly activity: number
  readonly token: string
  readonly accounts: readonly Account[]
  readonly capabilities?: Partial<Capabilities>
  /** The time from an order's submit to its hand-over to the warehouse; null disables it. */
  readonly handover_ms?: number | null
  /** The time from an order's submit to its shipping; null disables it. */
  readonly shipping_ms?: number | null
}

export interface RunningErp {
  readonly url: string
  readonly sandbox: SandboxErp
  /** The lines of a catalogue file that were left out, if this start read the file. */
  readonly left_out: readonly LeftOut[]
  /** The result of the movements file. */
  readonly moved: BatchResult | undefined
  close(): Promise<void>
}

/** Opens the sandbox ERP, serves it over HTTP and starts the simulated activity. */
export async function serve(settings: ServeSettings): Promise<RunningErp> {
  const host = settings.host ?? '127.0.0.1'
  const source = await createCatalogueSource(settings.catalogue, settings.seed, settings.styles)
  let leftOut: readonly LeftOut[] = []
  const sandbox = await openSandboxErp({
    path: settings.database,
    accounts: settings.accounts,
    catalogue_id: source.id,
    seed: settings.seed,
    ...(settings.capabilities ? { capabilities: settings.capabilities } : {}),
    ...(settings.handover_ms === undefined ? {} : { handoverMs: settings.handover_ms ?? never }),
    ...(settings.shipping_ms === undefined ? {} : { shippingMs: settings.shipping_ms ?? never }),
    catalogue: async () => {
      const catalogue = await source.load(new Date(systemClock.now()).toISOString().slice(0, 10))
      leftOut = catalogue.left_out
      return catalogue
    },
  })
  const moved =
    settings.movements === undefined ? undefined : await applyMovementsFile(sandbox, settings.movements)
  const { token } = settings
  const operations = erpServer(sandbox.erp, { token, onFailure: logFailure })
  const controls = createSandboxControls(sandbox, { token, onFailure: logFailure })
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, (request, response) => {
    const listener = request.url?.startsWith(controlsPrefix) ? controls : operations
    listener(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const timer = startActivity(sandbox, settings.activity, settings.seed)
  const due = setInterval(() => sandbox.applyDueChanges(), dueEveryMs)
  return {
    url: `http://${host}:${port}`,
    sandbox,
    left_out: leftOut,
    moved,
    close: async () => {
      clearInterval(timer)
      clearInterval(due)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      sandbox.close()
    },
  }
}

function logFailure(operation: string, error: unknown) {
  if (error instanceof InjectedFault) return
  const story = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`sandbox ERP: ${operation} failed: ${story}\n`)
}

async function applyMovementsFile(sandbox: SandboxErp, file: string): Promise<BatchResult> {
  const { size } = await stat(file)
  if (size > maxMovementBytes)
    throw new MalformedMovements(`${file} has more than ${maxMovementBytes} bytes; divide it.`)
  return applyMovementsCsv(sandbox.store, await readFile(file))
}

/**
 * Spreads the changes evenly over time. The steps of a tick are limited, so that requests do not wait long. Missed
 * steps are made up for by later ticks, up to one full tick.
 */
function startActivity(sandbox: SandboxErp, perMinute: number, seed: number): NodeJS.Timeout | undefined {
  if (perMinute <= 0) return undefined
  const activity = new Activity(sandbox.store, seed, sandbox.clock)
  const perMs = perMinute / 60_000
  let due = 0
  let before = performance.now()
  return setInterval(
    () => {
      const now = performance.now()
      due = Math.min(maxStepsPerTick, due + (now - before) * perMs)
      before = now
      const steps = Math.floor(due)
      due -= steps
      activity.performSteps(steps)
    },
    Math.max(minTickMs, 1 / perMs),
  )
}
