import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { erpServer } from '@trade-gateway/connector'
import type { Account } from './accounts.ts'
import type { LeftOut } from './catalogue/catalogue.ts'
import { Random } from './catalogue/random.ts'
import { systemClock } from './clock.ts'
import { openSandboxErp, type SandboxErp } from './erp.ts'
import { moveSomething } from './movements.ts'
import { catalogueSource } from './source.ts'

/** All that one running sandbox ERP needs to know. */
export interface ServeSettings {
  /** Port on 127.0.0.1; 0 takes any free one. */
  readonly port: number
  readonly database: string
  readonly catalogue?: string
  readonly seed: number
  /** Stock changes a minute; 0 = still. */
  readonly activity: number
  readonly token: string
  readonly accounts: readonly Account[]
}

export interface RunningErp {
  readonly url: string
  readonly sandbox: SandboxErp
  /** What of a catalogue file was left out, at the start that read it. */
  readonly left_out: readonly LeftOut[]
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
    catalogue: async () => {
      const catalogue = await source.load(new Date(systemClock.now()).toISOString().slice(0, 10))
      leftOut = catalogue.left_out
      return catalogue
    },
  })
  const server = createServer(erpServer(sandbox.erp, { token: settings.token }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const timer = startActivity(sandbox, settings.activity, settings.seed)
  return {
    url: `http://127.0.0.1:${port}`,
    sandbox,
    left_out: leftOut,
    close: async () => {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      sandbox.close()
    },
  }
}

/** Spreads the changes evenly; more than one a tick where there are many. */
function startActivity(sandbox: SandboxErp, perMinute: number, seed: number): NodeJS.Timeout | undefined {
  if (perMinute <= 0) return undefined
  const shortestTickMs = 100
  const tickMs = Math.max(shortestTickMs, 60_000 / perMinute)
  const random = new Random(seed)
  let due = 0
  return setInterval(() => {
    for (due += (perMinute * tickMs) / 60_000; due >= 1; due -= 1) moveSomething(sandbox.store, random)
  }, tickMs)
}
