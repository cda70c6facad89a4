import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { erpServer } from '@trade-gateway/connector'
import type { Config } from './config.ts'
import { type Connector, openConnector } from './connector.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { createTrytonErp } from './erp.ts'
import { sweep } from './orders/settle.ts'

const sweepEveryMs = 60_000
/** The time for which a stop waits for the requests that are running. */
const maxDrainMs = 45_000

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly log: (line: string) => void
  readonly environment?: Environment
  readonly onStep?: Connector['onStep']
}

export interface RunningConnector {
  readonly url: string
  /** Takes no more requests, and resolves when those that are running have ended. */
  close(): Promise<void>
}

/** Connects to Tryton and serves it. Throws `ConfigError` if the configuration does not fit Tryton. */
export async function serve(config: Config, options: ServeOptions): Promise<RunningConnector> {
  const { host, port, token, log, environment = systemEnvironment, onStep } = options
  const connector = await openConnector(config, { environment, log, ...(onStep ? { onStep } : {}) })
  const { erp, orders } = createTrytonErp(connector)
  const logFailure = (operation: string, error: unknown) =>
    log(`${operation} failed: ${error instanceof Error ? error.message : String(error)}`)
  const server = createServer(erpServer(erp, { token, onFailure: logFailure }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const runSweep = () =>
    sweep(orders).then(
      (count) => count > 0 && log(`settled ${count} references that were left begun`),
      (error) => logFailure('sweep', error),
    )
  const timer = setInterval(runSweep, sweepEveryMs)
  // A server that listens on a host and port has an address with a port.
  const address = server.address() as AddressInfo
  return {
    url: `http://${host}:${address.port}`,
    close: async () => {
      clearInterval(timer)
      const drained = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), maxDrainMs)
      await drained
      clearTimeout(late)
    },
  }
}
