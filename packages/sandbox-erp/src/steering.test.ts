import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSandboxControls } from './controls.ts'
import { faultCodes } from './faults/fault.ts'
import { serve } from './serve.ts'
import {
  createDropshipFields,
  createHoldInput,
  createSubmitInput,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from './testing/test-erp.ts'

const token = 'a token of the test'
let erp: TestErp
let server: Server
let url = ''

beforeEach(async () => {
  erp = await openTestErp()
  server = createServer(
    createSandboxControls(erp, { token, onFailure: (_path, error) => expect.unreachable(String(error)) }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  erp.close()
})

/** Sends a request and returns status and body; without a body it is a GET. */
async function callControl(
  path: string,
  body?: unknown,
  authorization = `Bearer ${token}`,
): Promise<[number, unknown]> {
  const method = body === undefined ? 'GET' : 'POST'
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(`${url}/sandbox/${path}`, { method, headers: { authorization }, ...sent })
  return [response.status, await response.json()]
}

async function submitOrder(reference: string, more: Parameters<typeof createSubmitInput>[3] = {}) {
  return unwrap(await erp.erp.submit(createSubmitInput(erp, reference, { [plentiful]: 2 }, more))).document
}

describe('the controls', () => {
  it('let an order leave now', async () => {
    await submitOrder('o-1')
    const shipments = [expect.objectContaining({ warehouse_code: 'AUSYD1' })]
    expect(await callControl('ship', { reference: 'o-1' })).toMatchObject([
      200,
      { document: { status: 'shipped', shipments } },
    ])
    expect(readStock(erp, plentiful)).toEqual([9_998, 0])
    expect((await callControl('ship', { reference: 'o-1' }))[0]).toBe(409)
    expect((await callControl('ship', { reference: 'never' }))[0]).toBe(404)
  })

  it('intercept a drop-ship order, and no other', async () => {
    await submitOrder('o-1', createDropshipFields())
    await submitOrder('o-2')
    const document = { status: 'intercepted', status_raw: 'INTERCEPTED' }
    expect(await callControl('intercept', { reference: 'o-1' })).toMatchObject([200, { document }])
    expect(readStock(erp, plentiful)).toEqual([10_000, 2])
    expect((await callControl('intercept', { reference: 'o-2' }))[0]).toBe(409)
  })

  it('sell out, but never what is held', async () => {
    await submitOrder('o-1')
    const place = { warehouse_code: 'AUSYD1', sku: plentiful }
    expect(await callControl('stock', { ...place, on_hand: 2 })).toEqual([
      200,
      { stock_seq: expect.any(Number) },
    ])
    expect(await callControl('stock', { ...place, on_hand: 1 })).toMatchObject([
      409,
      { failed: expect.stringContaining('2 of') },
    ])
    expect(readStock(erp, plentiful)).toEqual([2, 2])
    expect((await callControl('stock', { ...place, on_hand: -1 }))[0]).toBe(400)
    expect((await callControl('stock', { ...place, sku: 'NOPE', on_hand: 1 }))[0]).toBe(404)
  })

  it('change a price everywhere or in one warehouse', async () => {
    const readPrices = () =>
      erp.store
        .all('select price_wholesale from stock where sku = ? order by warehouse_code', plentiful)
        .map((row) => row.price_wholesale)
    expect(await callControl('price', { sku: plentiful, price_wholesale: 777 })).toEqual([200, { rows: 3 }])
    expect(readPrices()).toEqual([777, 777, 777])
    await callControl('price', { sku: plentiful, price_wholesale: 888, warehouse_code: 'AUSYD2' })
    expect(readPrices()).toEqual([777, 888, 777])
    expect((await callControl('price', { sku: 'NOPE', price_wholesale: 1 }))[0]).toBe(404)
    expect((await callControl('price', { sku: plentiful, price_wholesale: 0 }))[0]).toBe(400)
  })

  it('pay for an order that is not paid, once, or into an account', async () => {
    const { costs } = await submitOrder('o-1', { payment_method: 'alipay' })
    const readBalance = () =>
      Number(
        erp.store.one(
          "select balance from ledger_accounts where customer_code = 'CUST-HARBOUR' and currency = 'AUD'",
        )?.balance,
      )
    const before = readBalance()
    expect(await callControl('pay', { reference: 'o-1' })).toMatchObject([200, { document: { paid: true } }])
    expect(readBalance()).toBe(before + (costs?.total ?? 0))
    expect((await callControl('pay', { reference: 'o-1' }))[0]).toBe(409)
    expect((await callControl('pay', { reference: 'never' }))[0]).toBe(404)
    const transfer = { customer_code: 'CUST-HARBOUR', currency: 'AUD', amount: 100 }
    expect(await callControl('pay', transfer)).toEqual([200, { balance: readBalance() }])
    expect((await callControl('pay', { ...transfer, currency: 'EUR' }))[0]).toBe(404)
    expect((await callControl('pay', { ...transfer, amount: 0 }))[0]).toBe(400)
    expect((await callControl('pay', { reference: 'o-1', amount: 1 }))[0]).toBe(400)
  })

  it('set the clock forward, which lets holds expire', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(await callControl('clock', { advance_seconds: 900 })).toEqual([
      200,
      { now: '2026-11-21T12:15:00.000Z' },
    ])
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
    expect((await callControl('clock', { advance_seconds: -1 }))[0]).toBe(400)
  })

  it('plan faults, report their effects, and end them', async () => {
    expect((await callControl('faults', { before: 1 }))[0]).toBe(200)
    await expect(submitOrder('o-1')).rejects.toThrow('failed')
    expect((await callControl('faults'))[1]).toMatchObject({
      plan: { before: 1 },
      shown: { UPSTREAM_ERROR: 1 },
    })
    expect((await callControl('faults', {}))[1]).toMatchObject({ plan: {} })
    expect((await submitOrder('o-1')).status).toBe('open')
    expect(await callControl('faults', { before: 2 })).toMatchObject([
      400,
      { failed: expect.stringContaining('before') },
    ])
    expect((await callControl('faults', { before: 0.7, late: 0.7 }))[0]).toBe(400)
  })

  it('list every document in pages, duplicates too', async () => {
    await submitOrder('o-1', { client_order_number: 'PO-7' })
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 1 }))
    const order = {
      reference: 'o-1',
      copy: 0,
      number: 'SO-000001',
      kind: 'order',
      client_order_number: 'PO-7',
    }
    const [one, other] = erp.steering.listDocuments().documents.map(({ id }) => id)
    expect((await callControl('documents?limit=1'))[1]).toMatchObject({ documents: [order], next: one })
    expect((await callControl(`documents?limit=1&after=${one}`))[1]).toMatchObject({
      documents: [{ reference: 'h-1', status: 'held' }],
      next: other,
    })
    expect((await callControl(`documents?after=${other}`))[1]).toEqual({ documents: [], next: null })
    expect((await callControl('documents?limit=0'))[0]).toBe(400)
    expect((await callControl('documents?colour=red'))[0]).toBe(400)
  })

  it('sum the stock up', async () => {
    await submitOrder('o-1')
    const row = erp.store.one("select sum(on_hand) as on_hand from stock where warehouse_code = 'AUSYD1'")
    const sydney = { warehouse_code: 'AUSYD1', on_hand: row?.on_hand, held: 2 }
    expect((await callControl('stock-totals'))[1]).toMatchObject({
      warehouses: [sydney, { warehouse_code: 'AUSYD2', held: 0 }, { warehouse_code: 'CHNZJ1', held: 0 }],
      held_rows: [{ warehouse_code: 'AUSYD1', sku: plentiful, on_hand: 10_000, held: 2 }],
      more: false,
    })
  })

  it('are refused without the token, and say what there is', async () => {
    expect((await callControl('stock-totals', undefined, 'Bearer x'))[0]).toBe(401)
    expect(await callControl('nope')).toMatchObject([
      404,
      { failed: expect.stringContaining('POST /sandbox/faults') },
    ])
    expect((await callControl('ship', 'not json'))[0]).toBe(400)
    expect((await callControl('ship', { reference: 'o-1', more: 1 }))[0]).toBe(400)
    expect((await callControl('ship', { reference: 'x'.repeat(70_000) }))[0]).toBe(413)
  })
})

describe('the README', () => {
  it('names every control and every fault', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const { failed } = z.object({ failed: z.string() }).parse((await callControl('nope'))[1])
    const named = [...readme.matchAll(/^\| `((?:GET|POST) [^`]+)`/gm)].map(([, control]) => control)
    expect(named.toSorted()).toEqual(failed.match(/(GET|POST) [a-z/-]+/g)?.toSorted())
    for (const code of faultCodes) expect(readme).toContain(`| \`${code}\` | `)
  })
})

describe('a sandbox ERP that is served', () => {
  it('keeps documents and the time that it was set to over a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandbox-steering-'))
    const settings = {
      port: 0,
      database: join(directory, 'erp.db'),
      seed: 1,
      activity: 0,
      token,
      accounts: [{ account_id: 'a', username: 'u', password: 'p', name: 'n', customer_code: 'CUST-HARBOUR' }],
      handover_ms: null,
      shipping_ms: 1_000,
    }
    let running = await serve(settings)
    const { session } = unwrap(await running.sandbox.erp.sign_in({ username: 'u', password: 'p' }))
    const input = createSubmitInput(erp, 'o-1', { 'SBX-LAST-1': 1 }, { session })
    const { document } = unwrap(await running.sandbox.erp.submit(input))
    expect(document.status).toBe('open')
    running.sandbox.steering.advance(3_600)
    const later = running.sandbox.clock.now()
    await running.close()
    running = await serve(settings)
    expect(running.sandbox.clock.now()).toBeGreaterThanOrEqual(later)
    const shipped = unwrap(await running.sandbox.erp.lookup({ reference: 'o-1' })).document
    expect(shipped).toMatchObject({ number: document.number, status: 'shipped' })
    await running.close()
    await rm(directory, { recursive: true })
  })
})
