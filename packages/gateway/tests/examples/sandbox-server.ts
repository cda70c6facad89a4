import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandboxControls } from '@trade-gateway/sandbox-erp/controls'
import { createSandboxControl } from '../../src/upstream/steer.ts'
import type { TestGateway } from '../harness.ts'

const token = 'a-token-of-the-sandbox-erp'

/** Gives a test gateway the controls of its sandbox ERP, over HTTP as in a real sandbox. */
export async function serveSandboxControls(house: TestGateway): Promise<{ close(): void }> {
  const server = createServer(createSandboxControls(house.sandbox, { token, onFailure: () => {} }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  Object.assign(house.gateway.upstream, { steer: createSandboxControl(`http://127.0.0.1:${port}`, token) })
  return {
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
