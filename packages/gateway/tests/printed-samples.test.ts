/**
 * The samples of the reference, as printed: curl and the SDK are run against a gateway on the sandbox, the SDK’s are
 * checked by the compiler, and the commands are parsed by `tgw` itself.
 */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../cli/src/command-line.ts'
import { commands } from '../../cli/src/commands.ts'
import { TradeGateway } from '../../sdk/src/index.ts'
import { catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { toCli } from '../src/pages/reference/cli-sample.ts'
import { toCurl, toMcpCall, toSample } from '../src/pages/reference/samples.ts'
import { toSdk } from '../src/pages/reference/sdk-sample.ts'
import { documentedEndpoints } from '../src/pages/site.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { serveSandboxControls } from './examples/sandbox-server.ts'
import { adminToken, buyers, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { alex, type Buyer, createOrderNumber, harbourShipping, openShop, setStock } from './trade.ts'

const run = promisify(execFile)
/** A module with `await` at its top level, without the import of its first line. */
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
const root = join(import.meta.dirname, '../../..')
const calls = documentedEndpoints.filter(({ access }) => access !== 'admin')

let house: TestGateway
let controls: { close(): void }
let shop: Buyer
let folder: string

beforeAll(async () => {
  house = await openTestGateway({ styles: 160 })
  controls = await serveSandboxControls(house)
  await signInBuyer(house)
  shop = openShop(house)
  folder = await mkdtemp(join(tmpdir(), 'trade-gateway-printed-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'samples'))
})
afterAll(async () => {
  controls.close()
  await house.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Creates the documents that a sample’s variables stand for, each in a state in which the call succeeds. */
const makers: Readonly<Record<string, (endpoint: Endpoint) => Promise<string>>> = {
  async ORDER_ID({ id }) {
    const body = { lines: [{ sku: await shop.createSku(), quantity: 1 }], shipping: harbourShipping }
    const { order_id } = (await shop.post('/orders', body)).json.data
    // Only what was submitted can be shipped.
    for (const step of id === 'sandbox.ship' ? ['preview', 'submit'] : [])
      expect((await shop.post(`/orders/${order_id}/${step}`)).text).toContain(order_id)
    return order_id
  },
  async DROPSHIP_ORDER_ID(endpoint) {
    const own = {
      ...{ sku: await shop.createSku(), quantity: 1 },
      ...{ client_order_number: createOrderNumber(), recipient: alex },
    }
    const { id } = endpoint
    // A submit repeats its preview.
    const { dropship_order_id: _id, max_total: _total, ...repeated } = Object(toSample(endpoint).body)
    const path = id === 'dropship.release' || id === 'dropship.submit' ? 'allocation-preview' : 'submit'
    const answer = await shop.post(`/dropship-orders/${path}`, id === 'dropship.submit' ? repeated : own)
    expect(answer.status, answer.text).toBe(200)
    return answer.json.data.dropship_order_id
  },
  async RESERVATION_ID() {
    const lines = [{ sku: await shop.createSku(), quantity: 1 }]
    return (await shop.post('/reservations', { warehouse_code: 'AUSYD1', lines })).json.data.reservation_id
  },
  async HOLD_ID() {
    await makers.RESERVATION_ID?.(anyEndpoint)
    return (await shop.get('/holds')).json.data[0].hold_id
  },
  async CART_ID() {
    const items = [{ sku: await shop.createSku(), quantity: 1 }]
    return (await shop.post('/carts', { items })).json.data.cart_id
  },
  async SHIPMENT_ID() {
    const dropship_order_id = await makers.DROPSHIP_ORDER_ID?.(anyEndpoint)
    await control('ship', { dropship_order_id })
    await house.settle()
    return (await shop.get('/shipments')).json.data[0].shipment_id
  },
  async ENDPOINT_ID() {
    const [known] = (await shop.get('/webhook-endpoints')).json.data
    if (known) return known.endpoint_id
    const body = { url: 'https://hooks.example.com/trade', event_types: ['order.created'] }
    return (await shop.post('/webhook-endpoints', body)).json.data.endpoint_id
  },
  async DELIVERY_ID() {
    const id = await makers.ENDPOINT_ID?.(anyEndpoint)
    await shop.post(`/webhook-endpoints/${id}/test`)
    return (await shop.get(`/webhook-deliveries?endpoint_id=${id}`)).json.data[0].delivery_id
  },
  async EVENT_ID() {
    await makers.DROPSHIP_ORDER_ID?.(anyEndpoint)
    while (await sequenceEvents(house.gateway));
    return (await shop.get('/events')).json.data[0].event_id
  },
  async REQUEST_ID() {
    return (await shop.get('/orders/ord_00000000000000000000000000')).headers.get('x-request-id') ?? ''
  },
  KEY: async () => createOrderNumber(),
  NAME: async () => 'my-shop',
  TOKEN: () => signInBuyer(house),
  BASE: async () => house.url,
  USERNAME: async () => buyers[0].username,
  PASSWORD: async () => buyers[0].password,
}
const [anyEndpoint] = calls as [Endpoint]

async function control(name: string, body: object) {
  const answer = await call(house, 'POST', `/sandbox/${name}`, { token: await shop.token(), body })
  if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`)
}

/** Sets the variables that a text uses. */
async function prepare(endpoint: Endpoint, code: string): Promise<Record<string, string>> {
  // The same order again within the window would be suspected to be a duplicate.
  house.clock.advance(16 * 60_000)
  for (const sku of code.match(/\b(?:SBX|ACA-0132)-[A-Z0-9-]+/g) ?? []) setStock(house, 'AUSYD1', sku, 50)
  await house.settle()
  const names = new Set((code.match(/\$?\b[A-Z][A-Z_]+\b/g) ?? []).map((name) => name.replace('$', '')))
  const found: Record<string, string> = {}
  for (const name of names) {
    const make = makers[name]
    if (make) found[name] = await make(endpoint)
  }
  return found
}

const named = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => [endpoint.id, endpoint] as const)

describe.each(named(calls))('%s', (_id, endpoint) => {
  const sample = toSample(endpoint)

  it('has a curl sample that runs as printed', async () => {
    const code = toCurl(sample)
    const env = { PATH: process.env.PATH ?? '', ...(await prepare(endpoint, code)) }
    const { stdout } = await run('bash', ['-c', `set -u; ${code} -w '\\n%{http_code}'`], { env })
    const [status = ''] = stdout.split('\n').slice(-1)
    expect(`${status} ${stdout.slice(0, 300)}`).toMatch(new RegExp(`^${endpoint.status ?? 200} `))
  })

  it('has an SDK sample that runs as printed', async () => {
    const code = toSdk(endpoint, sample)
    if (code === undefined) throw new Error('there is none')
    const [imported = '', ...lines] = code.split('\n')
    expect(imported).toBe("import { TradeGateway } from '@trade-gateway/sdk'")
    const rows: unknown[] = []
    const module: unknown = new AsyncFunction('TradeGateway', 'process', 'console', lines.join('\n'))
    if (typeof module !== 'function') throw new Error('no function')
    await module(
      TradeGateway,
      { env: await prepare(endpoint, code) },
      { log: (row: unknown) => rows.push(row) },
    )
    expect(rows.every((row) => row !== undefined)).toBe(true)
  })
})

describe('the SDK’s samples', () => {
  it('are accepted by the compiler, one for each endpoint of the contract', async () => {
    const options = {
      noEmit: true,
      strict: true,
      noUnusedLocals: true,
      module: 'nodenext',
      target: 'esnext',
      types: ['node'],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
    }
    for (const endpoint of calls)
      await writeFile(
        join(folder, 'samples', `${endpoint.id}.mts`),
        toSdk(endpoint, toSample(endpoint)) ?? '',
      )
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['samples'] }),
    )
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['-p', folder]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
    expect(catalogue.filter((endpoint) => !toSdk(endpoint, toSample(endpoint)))).toEqual([])
  })
})

describe('the commands', () => {
  const printed = documentedEndpoints.flatMap((endpoint) => {
    const code = toCli(endpoint, toSample(endpoint))
    return code === undefined ? [] : [[endpoint.id, code] as const]
  })

  it.each(printed)('of %s is one of tgw', async (_id, code) => {
    // The shell splits the words; a function stands for the program.
    const script = `tgw() { printf '%s\\0' "$@"; cat >&2; }\n${code.includes('<<') ? code : `${code} </dev/null`}`
    const { stdout, stderr } = await run('bash', ['--norc', '-c', script], {
      env: {
        PATH: process.env.PATH ?? '',
        ORDER_ID: 'ord_1',
        DROPSHIP_ORDER_ID: 'dso_1',
        ENDPOINT_ID: 'whe_1',
        REQUEST_ID: 'req_1',
        NAME: 'my-shop',
      },
    })
    const words = stdout.split('\0').slice(0, -1)
    const { command, given } = parseCommandLine(words, {}, commands)
    expect(command, code).toBeDefined()
    for (const value of Object.values(given.args)) expect(value).not.toBe('')
    if (code.includes('<<')) expect(JSON.parse(stderr)).toBeTypeOf('object')
  })

  it('are there for every call of a channel, and MCP beside them for the contract’s', () => {
    const bearers = documentedEndpoints.filter(({ access }) => access === 'bearer')
    expect(bearers.filter((endpoint) => !toCli(endpoint, toSample(endpoint)))).toEqual([])
    const reached = catalogue.filter((endpoint) => toMcpCall(toSample(endpoint)))
    expect(catalogue.filter((endpoint) => !reached.includes(endpoint)).map(({ id }) => id)).toEqual([
      'auth.token',
    ])
  })
})

describe('a sample', () => {
  it('presets nothing that ends more than the one thing that it is about', () => {
    for (const endpoint of documentedEndpoints) {
      const text = JSON.stringify([toSample(endpoint).body ?? null, toSample(endpoint).query])
      expect(text, endpoint.id).not.toMatch(/"all":true|"confirm\w*":true|"force\w*":true/)
    }
    expect(adminToken).not.toBe('')
  })
})
