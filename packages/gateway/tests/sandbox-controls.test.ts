/** The sandbox's controls, called through the gateway. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandboxControls } from '@trade-gateway/sandbox-erp/controls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorTable } from '../src/contract/error-table.ts'
import { createSandboxControl } from '../src/upstream/steer.ts'
import { adminToken, buyers, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

let house: TestGateway
let server: Server
let tokens: readonly [string, string]
const erpToken = 'a-token-of-the-sandbox-erp'

beforeAll(async () => {
  house = await openTestGateway()
  server = createServer(createSandboxControls(house.sandbox, { token: erpToken, onFailure: () => {} }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  Object.assign(house.gateway.upstream, { steer: createSandboxControl(`http://127.0.0.1:${port}`, erpToken) })
  tokens = [await signInBuyer(house, buyers[0]), await signInBuyer(house, buyers[1])]
})
afterAll(async () => {
  server.close()
  await house.close()
})

const sendControl = (
  name: string,
  body: object,
  how: { admin?: string; token?: string } = { admin: adminToken },
) => call(house, 'POST', `/sandbox/${name}`, { body, ...how })

async function submitDropship(number: string, headers: Record<string, string> = {}) {
  const body = {
    sku: 'SBX-SHORT-3',
    quantity: 1,
    client_order_number: number,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
  return call(house, 'POST', '/api/v1/dropship-orders/submit', { token: tokens[0], body, headers })
}

describe('the controls', () => {
  it('sell out, and the next preview is short', async () => {
    expect(
      (await sendControl('stock', { warehouse_code: 'AUSYD1', sku: 'SBX-LAST-1', on_hand: 0 })).status,
    ).toBe(200)
    await house.settle()
    const stock = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?sku=SBX-LAST-1', {
      token: tokens[0],
    })
    expect(stock.json.data[0].quantity_available).toBe(0)
  })

  it('ship an own order with its bearer, another channel’s never, and the shipment is told', async () => {
    const { json } = await submitDropship('SHIP-1')
    const { dropship_order_id } = json.data
    const foreign = await sendControl('ship', { dropship_order_id }, { token: tokens[1] })
    expect(foreign.json.error.code).toBe('OWNERSHIP_DENIED')
    expect((await sendControl('ship', { dropship_order_id }, {})).json.error.code).toBe('AUTH_MISSING_TOKEN')
    expect((await sendControl('ship', { dropship_order_id }, { token: tokens[0] })).status).toBe(200)
    await house.settle()
    const read = await call(house, 'GET', `/api/v1/dropship-orders/${dropship_order_id}`, {
      token: tokens[0],
    })
    expect(read.json.data).toMatchObject({ status: 'shipped' })
    expect(read.json.data.shipment_id).toMatch(/^shp_/)
  })

  it('want the admin token', async () => {
    expect((await sendControl('clock', { advance_seconds: 1 }, {})).json.error.code).toBe(
      'ADMIN_UNAUTHORIZED',
    )
  })

  it('say why something cannot be', async () => {
    const { json } = await sendControl('stock', { warehouse_code: 'AUSYD1', sku: 'NO-SUCH', on_hand: 0 })
    expect(json.error).toMatchObject({ code: 'UPSTREAM_REJECTED' })
    expect(json.error.message).toContain('NO-SUCH')
  })
})

describe('X-Sandbox-Fault', () => {
  it('lets the answer be lost after the order was made, and the same key finds it', async () => {
    const headers = { 'idempotency-key': 'fault-1', 'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit;times=1' }
    const lost = await submitDropship('FAULT-1', headers)
    expect(lost.json.error).toMatchObject({ code: 'UPSTREAM_ERROR', reason: 'upstream_unknown' })
    expect(lost.json.error.hint).toContain('Retry with the SAME `Idempotency-Key`')
    const found = await submitDropship('FAULT-1', { 'idempotency-key': 'fault-1' })
    expect(found.json.data).toMatchObject({
      client_order_number: 'FAULT-1',
      status: 'pending',
      in_doubt: false,
    })
    expect(found.headers.get('idempotent-replayed')).toBe('true')
  })

  it.each(['INTERNAL', 'AUTHZ_UNAVAILABLE'])(
    'knows %s with options too, and the ERP hears nothing of it',
    async (code) => {
      for (const fault of [code, `${code};times=1`, `${code} ; times=1`]) {
        const headers = { 'x-sandbox-fault': fault }
        const { json } = await call(house, 'GET', '/api/v1/me', { token: tokens[0], headers })
        expect(json.error.code).toBe(code)
      }
    },
  )

  it('names every code that the gateway reproduces itself in the sentence about an unknown one', async () => {
    const read = (code: string) =>
      call(house, 'GET', '/api/v1/me', { token: tokens[0], headers: { 'x-sandbox-fault': code } })
    const codes: string[] = []
    for (const code of Object.keys(errorTable)) if ((await read(code)).status !== 200) codes.push(code)
    expect(codes.length).toBeGreaterThan(0)
    const { json } = await submitDropship('FAULT-4', { 'x-sandbox-fault': 'NOPE' })
    const [, named = ''] = /of the gateway itself, (.*);/.exec(json.error.message) ?? []
    expect(named.split(' or ').toSorted()).toEqual(codes.toSorted())
  })

  it('tells who sent no key to look the order up, not to retry with one', async () => {
    const { json } = await submitDropship('FAULT-3', {
      'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit;times=1',
    })
    expect(json.error).toMatchObject({ code: 'UPSTREAM_ERROR', reason: 'upstream_unknown' })
    expect(`${json.error.message} ${json.error.hint}`).not.toContain('SAME')
    expect(json.error.hint).toContain('Look the document up by its id or `client_order_number`')
  })

  it('concerns the caller’s own request only', async () => {
    const rejected = await submitDropship('FAULT-2', { 'x-sandbox-fault': 'UPSTREAM_REJECTED' })
    expect(rejected.json.error.code).toBe('UPSTREAM_REJECTED')
    expect((await submitDropship('FAULT-2')).status).toBe(200)
  })
})
