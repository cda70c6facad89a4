import {
  describeFailedCall,
  type RunningConnector,
  type ServeOptions as ServerOptions,
  serveErp,
} from '@trade-gateway/connector-kit/serve'
import type { Config } from './config.ts'
import { type Connector, openConnector } from './connector.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { createTrytonErp } from './erp.ts'
import { sweep } from './orders/settle.ts'

const sweepEveryMs = 60_000

export interface ServeOptions extends ServerOptions {
  readonly environment?: Environment
  readonly onStep?: Connector['onStep']
}

/** Connects to Tryton and serves it. Throws `ConfigError` if the configuration does not fit Tryton. */
export async function serve(config: Config, options: ServeOptions): Promise<RunningConnector> {
  const { log, environment = systemEnvironment, onStep } = options
  const connector = await openConnector(config, { environment, log, ...(onStep ? { onStep } : {}) })
  const { erp, orders } = createTrytonErp(connector)
  const server = await serveErp(erp, options)
  const runSweep = () =>
    sweep(orders).then(
      (count) => count > 0 && log(`settled ${count} references that were left begun`),
      (error) => log(describeFailedCall('sweep', error)),
    )
  // Also now: a connector that is restarted more often than that would never sweep.
  void runSweep()
  const timer = setInterval(runSweep, sweepEveryMs)
  return {
    url: server.url,
    close: () => {
      clearInterval(timer)
      return server.close()
    },
  }
}
