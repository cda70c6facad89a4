import { createServer } from 'node:http'
import { erpServer } from '@trade-gateway/connector'
import type { Config } from './config.ts'
import { systemEnvironment } from './environment.ts'
import { openMedusa } from './erp.ts'
import { maxRequestMs } from './steps.ts'

export interface RunningConnector {
  readonly url: string
  close(): Promise<void>
}

/** Opens the connector and serves it on 127.0.0.1. Throws `ConfigError` if Medusa is not as the configuration says. */
export async function serve(
  config: Config,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<RunningConnector> {
  const { erp, sweep } = await openMedusa(config, { environment: systemEnvironment })
  const server = createServer(erpServer(erp, { token, onFailure: logFailure }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const sweeping = setTimeout(
    () => sweep().catch((error: unknown) => logFailure('sweep', error)),
    maxRequestMs,
  )
  const address = server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://127.0.0.1:${boundPort}`,
    close: async () => {
      clearTimeout(sweeping)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function logFailure(operation: string, error: unknown) {
  const text = error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
  systemEnvironment.log(`Medusa connector: ${operation} failed: ${text}`)
}
