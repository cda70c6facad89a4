import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CutConnection, type Erp, ok, operationIds } from './erp.ts'
import { erpServer } from './server.ts'
import { createInMemoryErp } from './testing/in-memory-erp.ts'

const token = 'a-token-of-the-erp'
const failures: string[] = []
const { erp } = createInMemoryErp()
let isCut = false
const begun = Promise.withResolvers<void>()
const aborted = Promise.withResolvers<void>()
const broken: Erp = {
  ...erp,
  addresses: async () => {
    throw new Error('secret: the database is on fire')
  },
  shipping_methods: async () => {
    if (isCut) throw new CutConnection(ok({ shipping_methods: [] }))
    return erp.shipping_methods({})
  },
  sellable: (_input, options) =>
    new Promise((_, reject) => {
      begun.resolve()
      options?.signal?.addEventListener('abort', () => {
        aborted.resolve()
        reject(new Error('given up'))
      })
    }),
}
const server = createServer(erpServer(broken, { token, onFailure: (path) => failures.push(path) }))
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address !== null && typeof address === 'object') url = `http://127.0.0.1:${address.port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function post(path: string, body: string, authorization = `Bearer ${token}`, signal?: AbortSignal) {
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { authorization },
    body,
    ...(signal ? { signal } : {}),
  })
  const text = await response.text()
  return { status: response.status, text, type: response.headers.get('content-type') }
}

describe('erpServer', () => {
  it('responds to every operation with ok or rejected', async () => {
    const reference = 'a-reference'
    const limits = { expected_total: null, max_total: null, client_order_number: null, remark: null }
    const request = {
      order_type: 'reservation',
      customer_code: 'CUSTOMER',
      session: 'none',
      lines: [{ sku: 'STYLE-10-A', quantity: 1 }],
      warehouse_codes: ['NORTH'],
      delivery: null,
      payment_method: 'invoice',
    }
    const whose = { customer_code: 'CUSTOMER', currency: null }
    const span = { from: '2026-10-01T00:00:00.000Z', to: null, after: null, skip: 0, limit: 1 }
    const inputs: Record<string, unknown> = {
      balances: whose,
      transactions: { ...whose, ...span },
      bills: { ...whose, ...span, status: null },
      refunds: { ...whose, ...span, status: null },
      freight_bills: { ...whose, ...span },
      'stock.snapshot': { warehouse_code: 'NORTH', after: null, limit: 1 },
      'stock.read': { warehouse_code: 'NORTH', skus: ['STYLE-10-A'] },
      'stock.changed': { warehouse_code: 'NORTH', cursor: null },
      'products.snapshot': { after: null, limit: 1 },
      'products.read': { product_codes: ['STYLE-10'] },
      'products.changed': { cursor: null },
      sign_in: { username: 'someone', password: 'wrong' },
      quote: { ...request, allow_partial: false },
      hold: { ...request, reference, replaces: null, expires_at: '2026-11-21T12:00:00Z' },
      submit: { ...request, ...limits, reference, hold_reference: null, allow_partial: true },
      release: { reference, reason: 'release' },
      void: { reference },
      lookup: { reference },
      settle: { reference },
      'documents.changed': { cursor: null },
      'documents.read': { references: [reference] },
    }
    const refused = ['sign_in', 'quote', 'hold', 'submit', 'release', 'void']
    const asked = operationIds.filter((id) => !['addresses', 'sellable'].includes(id))
    for (const id of asked) {
      const { status, text, type } = await post(id, JSON.stringify(inputs[id] ?? {}))
      expect([id, status, type]).toEqual([id, 200, 'application/json'])
      expect(Object.keys(JSON.parse(text))).toEqual([refused.includes(id) ? 'rejected' : 'ok'])
    }
  })

  it.each(['', 'Bearer', 'Bearer ', `Bearer ${token}x`, `Bearer  ${token}`, token, `Basic ${token}`])(
    'refuses the authorization %j with 401',
    async (authorization) => {
      expect(await post('describe', '{}', authorization)).toMatchObject({ status: 401 })
    },
  )

  it('accepts the scheme in any case (RFC 9110)', async () => {
    expect(await post('describe', '{}', `bearer ${token}`)).toMatchObject({ status: 200 })
  })

  it.each(['', 'nothing', '__proto__', 'toString', 'describe/', 'describe?x=1'])(
    'refuses the operation %j with 404',
    async (path) => {
      expect(await post(path, '{}')).toMatchObject({ status: 404 })
    },
  )

  it('refuses invalid input with 400 and names the field', async () => {
    const answer = await post('stock.read', '{"warehouse_code":"NORTH","skus":[]}')
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('skus') })
  })

  it('refuses a body over its limit with a 413 that the sender receives', async () => {
    const limit = 4 * 1024 * 1024
    const createBody = (bytes: number) => `{"pad":"${'x'.repeat(bytes - '{"pad":""}'.length)}"}`
    expect(await post('describe', createBody(limit))).toMatchObject({ status: 200 })
    expect(await post('describe', createBody(limit + 1))).toMatchObject({ status: 413 })
    expect(await post('describe', createBody(10 * limit))).toMatchObject({ status: 413 })
    expect(await post('describe', '{}')).toMatchObject({ status: 200 })
  })

  it('reports to the caller only that the ERP failed, and passes the error to onFailure', async () => {
    failures.length = 0
    const answer = await post('addresses', '{"customer_code":"A"}')
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('secret')
    expect(failures).toEqual(['/addresses'])
  })

  it('aborts an operation whose caller has disconnected', async () => {
    const controller = new AbortController()
    const call = post('sellable', '{"customer_code":"A"}', undefined, controller.signal)
    begun.promise.then(() => controller.abort())
    await expect(call).rejects.toThrow()
    await aborted.promise
  })

  it('sends half of the response for CutConnection, without reporting a failure', async () => {
    isCut = true
    const before = failures.length
    await expect(post('shipping_methods', '{}')).rejects.toThrow('terminated')
    expect(failures).toHaveLength(before)
    isCut = false
  })
})
