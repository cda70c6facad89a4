import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Capabilities, erpServer } from '@trade-gateway/connector'
import type { Account } from './accounts.ts'
import { Activity } from './activity.ts'
import type { LeftOut } from './catalogue/catalogue.ts'
import { systemClock } from './clock.ts'
import { controlsPrefix, sandboxControls } from './controls.ts'
import { openSandboxErp, type SandboxErp } from './erp.ts'
import { InjectedFault } from './faults/faults.ts'
import type { Moved } from './movements.ts'
import { applyMovementsCsv, MalformedMovements, mostMovementBytes } from './movements-csv.ts'
import { catalogueSource } from './source.ts'

/** The activity's timer: at the highest rate, 60,000 a minute, a tick has 50 steps. */
const shortestTickMs = 50
const mostStepsPerTick = 100
/** What happens to documents by itself happens soon, asked or not. */
const dueEveryMs = 200
/** A message between processes knows no Infinity. */
const never = Number.POSITIVE_INFINITY

/** All that one running sandbox ERP needs to know. */
export interface ServeSettings {
  /** Port on 127.0.0.1; 0 takes any free one. */
  readonly port: number
  readonly database: string
  readonly catalogue?: string
  readonly seed: number
  /** A CSV of movements that is applied before the ERP answers anyone, at each start that names it. */
  readonly movements?: string
  /** Stock changes a minute; 0 = still. */
  readonly activity: number
  readonly token: string
  readonly accounts: readonly Account[]
  readonly capabilities?: Partial<Capabilities>
  /** How long after its submit an order is handed over to the warehouse; null: never by itself. */
  readonly handover_ms?: number | null
  /** How long after its submit an order leaves the warehouse; null: never by itself. */
  readonly shipping_ms?: number | null
}

export interface RunningErp {
  readonly url: string
  readonly sandbox: SandboxErp
  /** What of a catalogue file was left out, at the start that read it. */
  readonly left_out: readonly LeftOut[]
  /** What became of the movements that were named. */
  readonly moved: Moved | undefined
  close(): Promise<void>
}

/** Opens the sandbox ERP, serves it on 127.0.0.1 and lets its stock move. */
export async function serve(settings: ServeSettings): Promise<RunningErp> {
  const source = await catalogueSource(settings.catalogue, settings.seed)
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
  const moved = settings.movements === undefined ? undefined : await movedBy(sandbox, settings.movements)
  const { token } = settings
  const operations = erpServer(sandbox.erp, { token, onFailure: tellFailure })
  const controls = sandboxControls(sandbox, { token, onFailure: tellFailure })
  const server = createServer((request, response) => {
    const answer = request.url?.startsWith(controlsPrefix) ? controls : operations
    answer(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const timer = startActivity(sandbox, settings.activity, settings.seed)
  const due = setInterval(() => sandbox.applyDue(), dueEveryMs)
  return {
    url: `http://127.0.0.1:${port}`,
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

function tellFailure(operation: string, error: unknown) {
  if (error instanceof InjectedFault) return
  const story = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`sandbox ERP: ${operation} failed: ${story}\n`)
}

async function movedBy(sandbox: SandboxErp, file: string): Promise<Moved> {
  const { size } = await stat(file)
  if (size > mostMovementBytes)
    throw new MalformedMovements(`${file} has more than ${mostMovementBytes} bytes; divide it.`)
  return applyMovementsCsv(sandbox.store, await readFile(file))
}

/**
 * Spreads the changes evenly over time. A tick is bounded, so that requests never wait long behind it; what a tick
 * could not do is made up for by the next ones, up to one tick's worth.
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
      due = Math.min(mostStepsPerTick, due + (now - before) * perMs)
      before = now
      const steps = Math.floor(due)
      due -= steps
      activity.move(steps)
    },
    Math.max(shortestTickMs, 1 / perMs),
  )
}
