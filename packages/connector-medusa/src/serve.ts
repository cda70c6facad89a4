import {
  describeFailedCall,
  type RunningConnector,
  type ServeOptions,
  serveErp,
} from '@trade-gateway/connector-kit/serve'
import type { Config } from './config.ts'
import { systemEnvironment } from './environment.ts'
import { openMedusa } from './erp.ts'
import { maxRequestMs } from './steps.ts'

/** Opens the connector and serves it. Throws `ConfigError` if Medusa is not as the configuration says. */
export async function serve(config: Config, options: ServeOptions): Promise<RunningConnector> {
  const { log } = options
  const { erp, sweep } = await openMedusa(config, { environment: { ...systemEnvironment, log } })
  const server = await serveErp(erp, options)
  const sweeping = setTimeout(
    () => sweep().catch((error: unknown) => log(describeFailedCall('sweep', error))),
    maxRequestMs,
  )
  return {
    url: server.url,
    close: () => {
      clearTimeout(sweeping)
      return server.close()
    },
  }
}
