import { ConfigError, UnavailableError } from '@trade-gateway/connector-kit/settings'
import { expect, it } from 'vitest'
import { readLiveConfig } from '../tests/live.ts'
import { readPlaces } from './places.ts'
import { Rpc } from './rpc.ts'
import { createTestEnvironment, serveLocally } from './testing/local-tryton.ts'

const open = (url: string) => {
  const config = readLiveConfig({ url })
  return readPlaces(new Rpc({ ...config, environment: createTestEnvironment({ at: 0 }) }), config)
}

/** Serves what returns an HTTP status to everything. */
const serveStatus = (status: number) =>
  serveLocally((_request, response) => response.writeHead(status).end('Nothing here.'))

it('A server that is not Tryton is refused at the start in a sentence', async () => {
  const url = await serveStatus(404)
  const opening = open(url)
  await expect(opening).rejects.toThrow(ConfigError)
  await expect(opening).rejects.toThrow(
    `There is no Tryton at ${url} (HTTP 404 Nothing here.): check TRYTON_URL.`,
  )
})

it.each([
  ['listens nowhere', 'http://127.0.0.1:1'],
  ['is starting behind its proxy', undefined],
])('A Tryton that %s may be there at the next start', async (_name, unused) => {
  const url = unused ?? (await serveStatus(503))
  const opening = open(url)
  await expect(opening).rejects.toThrow(UnavailableError)
  await expect(opening).rejects.toThrow(/^Tryton does not respond at .*: start it, or check TRYTON_URL\.$/)
})
