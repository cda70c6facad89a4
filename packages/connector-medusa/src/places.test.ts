import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ConfigError, UnavailableError } from '@trade-gateway/connector-kit/settings'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from './config.ts'
import { MedusaHttp } from './http.ts'
import { readPlaces } from './places.ts'

/** Looks up the sandbox's places where a server is that answers as given to everything. */
async function open(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // A server that listens on a port has an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = await readConfig({
    MEDUSA_URL: url,
    MEDUSA_SECRET_KEY: 'sk_1',
    MEDUSA_PUBLISHABLE_KEY: 'pk_1',
    MEDUSA_CONFIG: join(import.meta.dirname, '../sandbox.json'),
  })
  return readPlaces(new MedusaHttp({ url, headers: {} }), config)
}

it.each<[string, RequestListener]>([
  ['is starting behind its proxy', (_request, response) => response.writeHead(503).end('<p>Starting</p>')],
  ['cuts the connection', (request) => request.socket.destroy()],
])('A Medusa that %s may be there at the next start', async (_name, listener) => {
  const opening = open(listener)
  await expect(opening).rejects.toThrow(UnavailableError)
  await expect(opening).rejects.toThrow(/^Medusa does not respond at .*\. Start it, or check MEDUSA_URL\.$/)
})

it.each<[string, RequestListener]>([
  ['a page', (_request, response) => response.end('<p>Welcome</p>')],
  ['other JSON', (_request, response) => response.end('{"status":"up"}')],
  ['a status that no read has', (_request, response) => response.writeHead(405).end()],
  ['a refusal', (_request, response) => response.writeHead(400).end('{"message":"No such field"}')],
  ['that it has nothing there', (_request, response) => response.writeHead(404).end('<p>Not found</p>')],
])(
  'A server that answers as no Medusa does is a wrong address and no outage: %s',
  async (_name, listener) => {
    const opening = open(listener)
    await expect(opening).rejects.toThrow(ConfigError)
    await expect(opening).rejects.toThrow(
      /^What responds at http:.* is no Medusa .*\. Check MEDUSA_URL: GET /,
    )
  },
)
