/** An ERP behind HTTP, as the gateway reaches a real one: `erpServer` serves it, and the gateway has the `erpClient`. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Erp, type ErpClient, erpClient, erpServer } from '@trade-gateway/connector'

const token = 'a-token-for-tests'

export interface ServedErp {
  readonly client: ErpClient
  /** Serves this ERP, and returns the client of it. */
  serve(erp: Erp): Erp
  close(): Promise<void>
}

export async function openServedErp(options?: Parameters<typeof erpClient>[2]): Promise<ServedErp> {
  let handle: ReturnType<typeof erpServer> | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = erpClient(`http://127.0.0.1:${port}`, token, options)
  return {
    client,
    serve(erp) {
      handle = erpServer(erp, { token })
      return client.erp
    },
    async close() {
      await client.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
