import { ConfigError, UnavailableError } from '@trade-gateway/connector-kit/settings'
import { expect, it } from 'vitest'
import { readLiveConfig } from '../tests/live.ts'
import { findCarrier, readPlaces, requiredModules } from './places.ts'
import { Rpc } from './rpc.ts'
import { createTestEnvironment, serveLocally } from './testing/local-tryton.ts'

const open = (url: string) => {
  const config = readLiveConfig({ url })
  return readPlaces(new Rpc({ ...config, environment: createTestEnvironment({ at: 0 }) }), config)
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text: string
}

/** Serves the same to everything. */
const serveAlways = ({ status = 200, headers = {}, text }: Answer) =>
  serveLocally((_request, response) => response.writeHead(status, headers).end(text))

/** Serves what Tryton answers to the calls of a start: up to the company of the user, `more`, and then what is given. */
const serveCompany = (answer: object, more: Readonly<Record<string, object>> = {}) =>
  serveLocally(async (request, response) => {
    const { method }: { method: string } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const known = new Map<string, object>([
      ['common.server.version', { result: '6.0.29' }],
      ['common.db.login', { result: [1, 'key'] }],
      ...Object.entries(more),
    ])
    response.end(JSON.stringify(known.get(method) ?? answer))
  })

it.each<[string, Answer, string]>([
  ['nothing there', { status: 404, text: 'Nothing here.' }, 'HTTP 404 Nothing here.'],
  ['a page for every path', { text: '<p>Welcome</p>' }, 'the response is not complete'],
  ['pages that are only read', { status: 405, text: '<p>Not allowed</p>' }, 'HTTP 405 Not allowed'],
  ['a port for HTTPS', { status: 400, text: 'Sent to HTTPS port' }, 'HTTP 400 Sent to HTTPS port'],
  ['another address', { status: 301, headers: { location: '/elsewhere' }, text: 'Moved' }, 'HTTP 301 Moved'],
  ['other JSON', { text: '{"status":"up"}' }, 'the result is not as expected: ✖ Invalid input: expected'],
])('A server that is not Tryton is refused at the start in a sentence: %s', async (_name, answer, text) => {
  const url = await serveAlways(answer)
  const opening = open(url)
  await expect(opening).rejects.toThrow(ConfigError)
  await expect(opening).rejects.toThrow(`There is no Tryton at ${url} (${text}`)
  await expect(opening).rejects.toThrow(/\): check TRYTON_URL\.$/)
})

it.each<[string, () => Promise<string>]>([
  ['listens nowhere', async () => 'http://127.0.0.1:1'],
  ['is starting behind its proxy', () => serveAlways({ status: 503, text: 'Starting' })],
  ['cuts the connection', () => serveLocally((request) => request.socket.destroy())],
  ['asks to wait', () => serveAlways({ status: 429, text: 'Too many' })],
  ['has no database yet', () => serveCompany({ error: ['the database system is starting up', ''] })],
])('A Tryton that %s may be there at the next start', async (_name, serve) => {
  const opening = open(await serve())
  await expect(opening).rejects.toThrow(UnavailableError)
  await expect(opening).rejects.toThrow(/^Tryton does not respond at .*: start it, or check TRYTON_URL\.$/)
})

it('A Tryton that answers what none does is no outage: the failure says which call', async () => {
  const opening = open(await serveCompany({ result: { company: 'Sydney' } }))
  await expect(opening).rejects.toMatchObject({
    kind: 'unexpected',
    message: expect.stringMatching(/^model\.res\.user\.get_preferences: the result is not as expected: /),
  })
})

it.each([
  ['sale_shipment_grouping', 'shipment'],
  ['sale_invoice_grouping', 'invoice'],
])('A Tryton with the module %s is refused in a sentence', async (name, shared) => {
  const company = {
    ...{ 'party.': { id: 1, name: 'Trade' }, 'currency.': { id: 1, code: 'AUD' } },
    ...{ id: 1, timezone: 'Australia/Sydney' },
  }
  const url = await serveCompany(
    { result: [...requiredModules, name].map((module) => ({ name: module })) },
    {
      'model.res.user.get_preferences': { result: { company: 1 } },
      'model.company.company.search_read': { result: [company] },
    },
  )
  await expect(open(url)).rejects.toThrow(
    `Tryton may put several orders into one ${shared}: deactivate the module ${name}, as the README says.`,
  )
})

it.each([
  ['none', [], 'Tryton has no carrier whose product has the code FRT.'],
  ['two', ['product', 'product'], 'Tryton has more than one carrier whose product has the code FRT.'],
  [
    'one whose freight depends on the weight',
    ['weight'],
    'The carrier FRT has the cost method "weight", whose freight no quote can foresee: set "Product Price" in Tryton, or leave the carrier out of the settings.',
  ],
])('A carrier of the settings is refused in a sentence if Tryton has %s', (_name, methods, sentence) => {
  const toRow = (carrier_cost_method: string, index: number) => ({
    ...{ id: index + 1, carrier_cost_method, 'party.': { name: 'Truck' } },
    'carrier_product.': { id: 9, code: 'FRT' },
  })
  const find = () =>
    findCarrier(methods.map(toRow), { code: 'FRT', kind: 'delivery', service: undefined, days: [1, 2] })
  expect(find).toThrow(ConfigError)
  expect(find).toThrow(sentence)
})
