import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Erp, erpServer, idleConnectionMs, prepareStop } from '@trade-gateway/connector'

export interface ServeOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The bearer token of callers. */
  readonly token: string
  /** Writes one entry for the operator. */
  readonly log: (entry: string) => void
}

export interface RunningConnector {
  readonly url: string
  /** Takes no more requests, and resolves when those that are running have ended. */
  close(): Promise<void>
}

/** Serves an `Erp` over HTTP. Throws if the address cannot be listened on. */
export async function serveErp(
  erp: Erp,
  { host, port, token, log }: ServeOptions,
): Promise<RunningConnector> {
  const onFailure = (operation: string, error: unknown) => log(describeFailedCall(operation, error))
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, erpServer(erp, { token, onFailure }))
  const close = prepareStop(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // A server that listens on a host and port has an address with a port.
  const address = server.address() as AddressInfo
  return { url: `http://${host}:${address.port}`, close }
}

/** Describes a failure of an operation or of a task for the log, with where it came from. */
export function describeFailedCall(what: string, error: unknown): string {
  return `${what} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}
