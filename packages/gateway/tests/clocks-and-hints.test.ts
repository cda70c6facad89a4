/**
 * How the gateway copes with an ERP whose clock, lists of changes, stock figures or responses are late, wrong or out of
 * sequence.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Capabilities, type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { createSandboxControls } from '@trade-gateway/sandbox-erp/controls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { takeFigureNumber } from '../src/stock/figure-numbers.ts'
import { rereadSkus } from '../src/stock/reread.ts'
import { createSandboxControl } from '../src/upstream/steer.ts'
import { adminToken, buyers, type CallResult, call, openTestGateway, type TestGateway } from './harness.ts'
import { waitForLocks } from './lock-waits.ts'
import { syncStock } from './sync-stock.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  countHeldAtErp,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  listErpDocuments,
  openShop,
  passTime,
  setStock,
} from './trade.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const holdLife = 15 * minute
const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const at = '/dropship-orders'

/** Lets calls pass. Once armed, it makes the next call wait until the test opens it. */
class Gate {
  #isArmed = false
  #arrived = Promise.withResolvers<void>()
  #go = Promise.withResolvers<void>()

  arm() {
    this.#isArmed = true
    this.#arrived = Promise.withResolvers()
    this.#go = Promise.withResolvers()
  }

  async waitIfArmed() {
    if (!this.#isArmed) return
    this.#isArmed = false
    this.#arrived.resolve()
    await this.#go.promise
  }

  /** Resolves when a call waits. */
  get arrived() {
    return this.#arrived.promise
  }

  open() {
    this.#go.resolve()
  }
}

describe('the window of DUPLICATE_SUSPECTED', () => {
  it.each([
    ['an hour behind', -hour],
    ['right', 0],
    ['an hour ahead', hour],
  ])('is ours where the ERP’s clock is %s', async (_name, erpAheadMs) => {
    const house = await openTestGateway({
      styles: 5,
      erpAheadMs,
      journey: never,
      settings: { DUPLICATE_WINDOW_SECONDS: '60' },
    })
    const shop = openShop(house)
    const submit = (body: unknown) => shop.post(`${at}/submit`, body)
    const body = buildDropship(await shop.createSku())
    const window_ends_at = new Date(house.clock.now() + minute).toISOString()
    const first = expectData(await submit(body))
    expectError(await submit(body), 'DUPLICATE_SUSPECTED', { window_ends_at })
    await house.settle()
    house.clock.advance(minute - 1)
    expectError(await submit(body), 'DUPLICATE_SUSPECTED', { window_ends_at })
    house.clock.advance(1)
    const again = expectData(await submit(body))
    expect(again.dropship_order_id).not.toBe(first.dropship_order_id)
    expectError(await submit(body), 'DUPLICATE_SUSPECTED')
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(2)
    await house.close()
  })
})

describe('the sandbox’s clock that was set forward', () => {
  it('leaves a new preview its 15 minutes', async () => {
    const house = await openTestGateway({ styles: 10, journey: never })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 1 })
    house.sandbox.steering.advance(3600)
    const body = buildDropship(sku)
    const { dropship_order_id, hold } = expectData(await shop.post(`${at}/allocation-preview`, body))
    expect(hold.expires_at).toBe(new Date(house.clock.now() + holdLife).toISOString())
    await passTime(house, holdLife - 1)
    await house.settle()
    expect([countHeldAtErp(house, sku), await shop.readAvailable(sku)]).toEqual([1, 0])
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`)).status).toBe('reserved')
    expectData(await shop.post(`${at}/submit`, { ...body, dropship_order_id }))

    const over = buildDropship(await shop.createSku({ AUSYD1: 1 }))
    expectData(await shop.post(`${at}/allocation-preview`, over))
    await passTime(house, holdLife)
    expect([countHeldAtErp(house, over.sku), await shop.readAvailable(over.sku)]).toEqual([0, 1])
    await house.close()
  })
})

describe('a write under way', () => {
  let house: TestGateway
  let shop: Buyer
  const gate = new Gate()
  let isLost = false
  let isAway = false

  beforeAll(async () => {
    house = await openTestGateway({
      styles: 20,
      journey: never,
      capabilities: { lookup: 'none', settles: false },
      wrapErp: (erp) => ({
        ...erp,
        async 'documents.read'(input, options) {
          if (isAway) throw new UnknownOutcome('unreachable', 'Nobody is there.')
          return erp['documents.read'](input, options)
        },
        async void(input, options) {
          await gate.waitIfArmed()
          if (isLost) throw new UnknownOutcome('timeout', 'Nothing came back.')
          return erp.void(input, options)
        },
      }),
    })
    shop = openShop(house)
  })
  afterAll(() => house.close())

  const kinds: readonly (readonly [string, () => Promise<string>])[] = [
    [
      'wholesale order',
      async () => {
        const { order_id } = await createDraft(shop, await shop.createSku())
        expectData(await shop.post(`/orders/${order_id}/submit`))
        return `/orders/${order_id}`
      },
    ],
    [
      'drop-ship order',
      async () => {
        const order = expectData(await shop.post(`${at}/submit`, buildDropship(await shop.createSku())))
        return `${at}/${order.dropship_order_id}`
      },
    ],
  ]
  const readId = (path: string) => path.split('/')[2] ?? ''

  it.each(kinds)(
    'does not swallow that the %s shipped meanwhile, though the ERP is away next',
    async (_name, made) => {
      const path = await made()
      await syncDocuments(house.gateway)
      gate.arm()
      const voiding = shop.send('DELETE', path)
      await gate.arrived
      house.sandbox.steering.ship(await findReference(house, readId(path)))
      await syncDocuments(house.gateway)
      expect(expectData(await shop.get(path))).toMatchObject({ in_doubt: true })
      gate.open()
      expectError(await voiding, 'UPSTREAM_REJECTED', { reason: 'already_shipped' })

      isAway = true
      await expect(syncDocuments(house.gateway)).rejects.toThrow('Nobody is there.')
      isAway = false
      await syncDocuments(house.gateway)
      const shipped = expectData(await shop.get(path))
      expect(shipped.in_doubt).toBe(false)
      if (shipped.lines) expect(shipped.lines).toMatchObject([{ quantity: 2, quantity_shipped: 2 }])
      else expect(shipped).toMatchObject({ status: 'shipped', shipment_id: expect.any(String) })
      const shipments = (await shop.get('/shipments')).json.data
      expect(JSON.stringify(shipments)).toContain(readId(path))
      const hints = await house.gateway.store.db.selectFrom('document_hints').selectAll().execute()
      expect(hints).toEqual([])
    },
  )

  it.each(kinds)('keeps a second void of the %s waiting, which gets the same result', async (_name, made) => {
    const path = await made()
    gate.arm()
    const first = shop.send('DELETE', path)
    await gate.arrived
    const locked = waitForLocks(house, 1)
    const later = shop.send('DELETE', path)
    await locked
    // A second void that did not wait would read the order before this read does.
    expect(expectData(await shop.get(path))).toMatchObject({ in_doubt: true })
    gate.open()
    expect(expectData(await later)).toEqual(expectData(await first))
  })

  /** Returns the only audit row of a request. */
  const readAuditRow = async ({ headers }: CallResult) => {
    const rows = await house.gateway.store.db
      .selectFrom('admin_audit')
      .select('detail')
      .where('request_id', '=', headers.get('x-request-id'))
      .execute()
    expect(rows).toHaveLength(1)
    return JSON.parse(rows[0]?.detail ?? '')
  }

  it.each(kinds)('is not settled as found while the ERP still has the %s', async (_name, made) => {
    const path = await made()
    isLost = true
    expectError(await shop.send('DELETE', path), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    isLost = false
    const before = expectData(await shop.get(path))
    expect(before.in_doubt).toBe(true)
    const open = await call(house, 'GET', '/admin/api/writes-in-doubt', { admin: adminToken })
    expect(open.json.data).toContainEqual(
      expect.objectContaining({
        document_id: readId(path),
        client_order_number: before.client_order_number,
      }),
    )
    const settleWrite = (outcome: string) =>
      call(house, 'POST', `/admin/api/writes-in-doubt/${readId(path)}/settle`, {
        admin: adminToken,
        body: { outcome },
      })
    expectError(await settleWrite('found'), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    expect(expectData(await shop.get(path))).toEqual(before)
    expectError(await shop.send('DELETE', path), 'UPSTREAM_TIMEOUT')

    await house.sandbox.erp.void({ reference: await findReference(house, readId(path)) })
    isAway = true
    expectError(await settleWrite('found'), 'UPSTREAM_ERROR')
    isAway = false
    const settled = await settleWrite('found')
    expectData(settled)
    expect(await readAuditRow(settled)).toMatchObject({
      status: 200,
      before: { document_id: readId(path), outcome: 'unknown' },
      after: { document_id: readId(path), outcome: 'found' },
    })
    expect(expectData(await shop.get(path))).toMatchObject({ status: 'cancelled', in_doubt: false })
    expectError(await settleWrite('found'), 'NOT_FOUND')
  })
})

describe('an order that the account’s preferences completed', () => {
  it('is the same order when the same submit comes again', async () => {
    const house = await openTestGateway({ styles: 10 })
    const shop = openShop(house, buyers[1])
    const lines = [{ sku: await shop.createSku(), quantity: 1 }]
    const { order_id } = expectData(await shop.post('/orders', { warehouse_code: 'AUSYD1', lines }), 201)
    const submit = (body?: unknown) => shop.post(`/orders/${order_id}/submit`, body)
    const body = { shipping: { shipping_method_id: 'au-standard' } }
    const submitted = expectData(await submit(body))
    expect(submitted.shipping).toMatchObject({ ...body.shipping, address_id: expect.any(String) })
    for (const same of [body, undefined, { shipping: submitted.shipping }, body]) {
      expect(expectData(await submit(same))).toEqual(submitted)
    }
    const other = { shipping: { shipping_method_id: 'au-express' } }
    expectError(await submit(other), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    await house.close()
  })
})

describe('a stock read without a counter that a submit overtook', () => {
  const ways: readonly (readonly [
    string,
    Partial<Capabilities>,
    (house: TestGateway, sku: string) => Promise<void>,
  ])[] = [
    ['named SKUs', {}, (house, sku) => rereadSkus(house.gateway, { warehouse_code: 'AUSYD1' }, [sku])],
    ['the sync by hints', {}, (house) => syncStock(house.gateway)],
    ['the sync of whole warehouses', { changes: 'none' }, (house) => syncStock(house.gateway)],
  ]

  it.each(ways)('does not take back its figure: %s', async (_name, more, reading) => {
    const gate = new Gate()
    let watched: string | undefined
    /** Delays the response, so that it is outdated when it arrives. */
    const delayResponse = async <T>(answer: T): Promise<T> => {
      if (watched !== undefined && JSON.stringify(answer).includes(watched)) await gate.waitIfArmed()
      return answer
    }
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false, ...more },
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => delayResponse(await erp['stock.read'](input, options)),
        'stock.snapshot': async (input, options) =>
          delayResponse(await erp['stock.snapshot'](input, options)),
      }),
    })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 10 })
    house.clock.advance(2 * minute)
    setStock(house, 'AUSYD1', sku, 9)
    watched = sku
    gate.arm()
    const read = reading(house, sku)
    await gate.arrived
    house.clock.advance(1)
    const body = buildDropship(sku, { quantity: 3, warehouse_code: 'AUSYD1' })
    expectData(await shop.post(`${at}/submit`, body))
    expect(await shop.readAvailable(sku)).toBe(6)
    gate.open()
    await read
    await house.gateway.mirror.stock.follow()
    expect(await shop.readAvailable(sku)).toBe(6)

    house.clock.advance(2 * minute)
    setStock(house, 'AUSYD1', sku, 8)
    await reading(house, sku)
    await house.gateway.mirror.stock.follow()
    expect(await shop.readAvailable(sku)).toBe(5)
    await house.close()
  })
})

describe('a stock figure without a counter', () => {
  /** Delays the response of a submit, which the ERP has performed. */
  const delaySubmit =
    (erp: Erp, gate: Gate): Erp['submit'] =>
    async (input, options) => {
      const answer = await erp.submit(input, options)
      await gate.waitIfArmed()
      return answer
    }

  /** Submits three units, and resolves once the ERP has them and its response is delayed. */
  async function beginSubmit(shop: ReturnType<typeof openShop>, sku: string, gate: Gate) {
    gate.arm()
    const body = buildDropship(sku, { quantity: 3, warehouse_code: 'AUSYD1' })
    const response = shop.post(`${at}/submit`, body)
    await gate.arrived
    return { response }
  }

  it('is taken from the ERP although a clock that was ahead is right again', async () => {
    const house = await openTestGateway({ styles: 5, capabilities: { stock_seq: false } })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 10 })
    house.clock.advance(2 * minute)
    setStock(house, 'AUSYD1', sku, 9)
    await house.settle()
    expect(await shop.readAvailable(sku)).toBe(9)
    house.clock.advance(-2 * minute)
    setStock(house, 'AUSYD1', sku, 8)
    await house.settle()
    expect(await shop.readAvailable(sku)).toBe(8)
    await house.close()
  })

  it('of a write whose response is late does not replace what was read since', async () => {
    const gate = new Gate()
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        submit: delaySubmit(erp, gate),
      }),
    })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 10 })
    const submitting = await beginSubmit(shop, sku, gate)
    setStock(house, 'AUSYD1', sku, 20)
    await house.settle()
    expect(await shop.readAvailable(sku)).toBe(17)
    gate.open()
    expectData(await submitting.response)
    expect(await shop.readAvailable(sku)).toBe(17)
    await house.settle()
    expect(await shop.readAvailable(sku)).toBe(17)
    await house.close()
  })

  it('that says what is known is newer than a late one that says otherwise', async () => {
    const gate = new Gate()
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => {
          const answer = await erp['stock.read'](input, options)
          await gate.waitIfArmed()
          return answer
        },
      }),
    })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 10 })
    const reread = () => rereadSkus(house.gateway, { warehouse_code: 'AUSYD1' }, [sku])
    setStock(house, 'AUSYD1', sku, 9)
    gate.arm()
    const late = reread()
    await gate.arrived
    setStock(house, 'AUSYD1', sku, 10)
    await reread()
    gate.open()
    await late
    await house.gateway.mirror.stock.follow()
    expect(await shop.readAvailable(sku)).toBe(10)
    await house.close()
  })

  it.each([
    ['everything is to be read', true],
    ['the SKU is named', false],
  ])('is confirmed if %s, so that no older one comes after it', async (_name, everything) => {
    const gate = new Gate()
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        submit: delaySubmit(erp, gate),
        'stock.changed': async (input, options) => {
          const answer = await erp['stock.changed'](input, options)
          return 'ok' in answer && everything ? { ok: { ...answer.ok, everything } } : answer
        },
      }),
    })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 10 })
    const submitting = await beginSubmit(shop, sku, gate)
    // The ERP takes the order back, and all is as it was.
    const { store } = house.sandbox
    store.run("update warehouses set stock_seq = stock_seq + 1 where warehouse_code = 'AUSYD1'")
    store.run(
      `update stock set held = 0, stock_seq = (select stock_seq from warehouses where warehouse_code = 'AUSYD1')
       where warehouse_code = 'AUSYD1' and sku = ?`,
      sku,
    )
    await house.settle()
    gate.open()
    expectData(await submitting.response)
    expect(await shop.readAvailable(sku)).toBe(10)
    await house.close()
  })

  it('has a higher number than those that a database has lost', async () => {
    const house = await openTestGateway({ styles: 1, capabilities: { stock_seq: false } })
    const take = async () => (await takeFigureNumber(house.gateway)) ?? 0
    const numbers = [await take(), await take()]
    await house.gateway.store.db
      .updateTable('counters')
      .set({ value: 1 })
      .where('name', '=', 'stock figures')
      .execute()
    house.clock.advance(1_000)
    numbers.push(await take(), await take())
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
    expect(new Set(numbers).size).toBe(4)
    await house.close()
  })

  it('that was hinted during a comparison is read once more', async () => {
    const asked: string[] = []
    let onChanged = () => {}
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => {
          asked.push(...input.skus)
          return erp['stock.read'](input, options)
        },
        'stock.changed': async (input, options) => {
          if (input.warehouse_code === 'AUSYD1') onChanged()
          return erp['stock.changed'](input, options)
        },
      }),
    })
    const sku = await openShop(house).createSku({ AUSYD1: 10 })
    await house.settle()
    await house.gateway.store.db
      .updateTable('warehouses')
      .set({ compare_requested_at: 1 })
      .where('warehouse_code', '=', 'AUSYD1')
      .execute()
    let calls = 0
    onChanged = () => {
      calls += 1
      // The first call is of the turn of the hints, the second of those before the comparison.
      if (calls === 3) setStock(house, 'AUSYD1', sku, 9)
    }
    await syncStock(house.gateway)
    asked.length = 0
    await syncStock(house.gateway)
    expect(asked).toContain(sku)
    await house.close()
  })
})

describe('an ERP that answers the next SKUs while the gateway writes the last ones', () => {
  it('is asked once for a SKU that it names twice', async () => {
    const asked: string[] = []
    const house = await openTestGateway({
      styles: 5,
      capabilities: { stock_seq: false },
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => {
          asked.push(...input.skus)
          return erp['stock.read'](input, options)
        },
      }),
    })
    const sku = await openShop(house).createSku({ AUSYD1: 10 })
    const others = Array.from({ length: 700 }, (_, index) => `NONE-${index}`)
    asked.length = 0
    await rereadSkus(house.gateway, { warehouse_code: 'AUSYD1' }, [sku, ...others, sku])
    expect(asked).toEqual([sku, ...others])
    await house.close()
  })
})

describe('an ERP that locks warehouses', () => {
  it('never gets a void or a release beside a submit in the same warehouse', async () => {
    let [now, most] = [0, 0]
    const countAndCall = async <T>(work: () => Promise<T>): Promise<T> => {
      now += 1
      most = Math.max(most, now)
      // In these turns of the event loop, every other request arrives here too, unless something delays it.
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return work()
    }
    const house = await openTestGateway({
      styles: 10,
      journey: never,
      capabilities: { serialise: 'warehouse' },
      wrapErp: (erp: Erp) => ({
        ...erp,
        submit: (input, options) => countAndCall(() => erp.submit(input, options)),
        void: (input, options) => countAndCall(() => erp.void(input, options)),
        release: (input, options) => countAndCall(() => erp.release(input, options)),
      }),
    })
    const shop = openShop(house)
    const sku = await shop.createSku({ AUSYD1: 50 })
    const buildDropshipBody = () => buildDropship(sku, { warehouse_code: 'AUSYD1' })
    const submit = (body: unknown) => shop.post(`${at}/submit`, body)
    const dropship = expectData(await submit(buildDropshipBody()))
    const draft = await createDraft(shop, sku)
    expectData(await shop.post(`/orders/${draft.order_id}/submit`))
    const previews = []
    for (let n = 0; n < 2; n++)
      previews.push(expectData(await shop.post(`${at}/allocation-preview`, buildDropshipBody())))
    const lines = [{ sku, quantity: 1 }]
    const reservation = { warehouse_code: 'AUSYD1', lines }
    const { reservation_id } = expectData(await shop.post('/reservations', reservation), 201)
    ;[now, most] = [0, 0]
    const answers: CallResult[] = await Promise.all([
      submit(buildDropshipBody()),
      shop.send('DELETE', `${at}/${dropship.dropship_order_id}`),
      submit(buildDropshipBody()),
      shop.send('DELETE', `/orders/${draft.order_id}`),
      shop.send('DELETE', `/holds/${previews[0]?.hold.hold_id}`),
      shop.send('DELETE', `${at}/${previews[1]?.dropship_order_id}/allocation`),
      shop.send('DELETE', `/reservations/${reservation_id}`),
    ])
    for (const answer of answers) expectData(answer)
    expect(most).toBe(1)
    expect(countHeldAtErp(house, sku)).toBe(2)
    await house.close()
  })
})

describe('what a caller of the sandbox asks for', () => {
  it('as a fault opens the circuit for nobody', async () => {
    const house = await openTestGateway({ styles: 5 })
    const [shop, other] = [openShop(house), openShop(house, buyers[1])]
    const sku = await other.createSku()
    const wish = { quantity: 1, recipient: alex }
    const headers = { 'x-sandbox-fault': 'UPSTREAM_ERROR' }
    // Lets the circuit breaker forget the calls that were made while the gateway started.
    house.clock.advance(minute)
    for (let n = 0; n < 25; n++) {
      const body = { ...wish, sku: 'SBX-SHORT-3', client_order_number: createOrderNumber() }
      expectError(await shop.post(`${at}/allocation-preview`, body, headers), 'UPSTREAM_ERROR')
      expect(house.gateway.upstream.circuit).toBe('closed')
    }
    const answer = await other.post(`${at}/allocation-preview`, buildDropship(sku))
    expect(expectData(answer).fulfillable).toBe(true)
    await house.close()
  })

  it('with a key is never replayed to who has no token', async () => {
    const house = await openTestGateway({ styles: 5, journey: never })
    const token = 'a-token-of-the-sandbox-erp'
    const server = createServer(createSandboxControls(house.sandbox, { token, onFailure: () => {} }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    Object.assign(house.gateway.upstream, { steer: createSandboxControl(`http://127.0.0.1:${port}`, token) })
    const [shop, other] = [openShop(house), openShop(house, buyers[1])]
    const { dropship_order_id } = expectData(
      await shop.post(`${at}/submit`, buildDropship(await shop.createSku())),
    )
    const shipOrder = (more: object) =>
      call(house, 'POST', '/sandbox/ship', {
        headers: { 'idempotency-key': 'ship-once' },
        body: { dropship_order_id },
        ...more,
      })
    expectData(await shipOrder({ token: await shop.token() }))
    const unsigned = await shipOrder({})
    expectError(unsigned, 'AUTH_MISSING_TOKEN')
    const foreign = await shipOrder({ token: await other.token() })
    expectError(foreign, 'OWNERSHIP_DENIED')
    for (const { headers } of [unsigned, foreign]) expect(headers.get('idempotent-replayed')).toBeNull()
    server.close()
    await house.close()
  })
})
