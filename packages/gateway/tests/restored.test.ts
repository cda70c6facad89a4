/**
 * A database that was restored from a backup. The ERP has orders that the database lacks: their channels' retries find
 * them and place none twice, and a person sees those that nobody retries.
 */

import { ok } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { beginRestored } from '../src/start/restored.ts'
import { markRestored, readOrigin } from '../src/store/restores.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { takeBackup } from './backup-tables.ts'
import {
  adminToken,
  buyers,
  call,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import {
  type Buyer,
  buildDropship,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  harbourShipping,
  listErpDocuments,
  openShop,
  passTime,
} from './trade.ts'

const toKey = (key: string) => ({ 'Idempotency-Key': key })

async function listLost(house: TestGateway) {
  const { json } = await call(house, 'GET', '/admin/api/lost-documents', { admin: adminToken })
  return json.data
}

describe('a restored database', () => {
  let house: TestGateway
  let shop: Buyer

  beforeAll(async () => {
    house = await openTestGateway({ styles: 60 })
    shop = openShop(house)
    await shop.token()
  })
  afterAll(() => house.close())

  /** The tokens of before the restore have ended. */
  const reopen = () => {
    shop = openShop(house)
  }

  it('has a row of its audit log about the restore, also if no process had noted the end that was lost', async () => {
    const restore = await takeBackup(house)
    await restore()
    reopen()
    const path = '/admin/api/audit?action=gateway.audit.restore'
    const { json } = await call(house, 'GET', path, { admin: adminToken })
    const [{ number, before, after }] = json.data
    expect([before, after]).toEqual([{ rows: null }, { rows: number - 1 }])
  })

  it('returns the order of a retried create and submit, by the number alone, and places none twice', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const restore = await takeBackup(house)
    const lost = await createDraft(shop, sku, 2, { client_order_number: number })
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, {}))
    await restore()
    reopen()
    const again = await createDraft(shop, sku, 2, { client_order_number: number })
    expect(again).toMatchObject({ order_id: lost.order_id, status: 'draft' })
    const submitted = expectData(await shop.post(`/orders/${again.order_id}/submit`, {}))
    expect(submitted).toMatchObject({ order_id: lost.order_id, status: 'confirmed' })
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it('voids an order at the ERP whose submit was lost and which no sync has found yet', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const { order_id } = await createDraft(shop, sku, 2, { client_order_number: number })
    const restore = await takeBackup(house)
    expectData(await shop.post(`/orders/${order_id}/submit`, {}))
    await restore(async () => {})
    reopen()
    expect(expectData(await shop.send('DELETE', `/orders/${order_id}`)).status).toBe('cancelled')
    expect(listErpDocuments(house, number)).toMatchObject([{ status: 'cancelled' }])
  })

  it('ends the hold of an order that was submitted in the time that was lost', async () => {
    const sku = await shop.createSku()
    const body = buildDropship(sku)
    const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    const restore = await takeBackup(house)
    expectData(await shop.post('/dropship-orders/submit', body))
    await restore()
    reopen()
    await passTime(house, 16 * 60_000)
    const ended = await house.gateway.store.db
      .selectFrom('holds')
      .select(['status', 'released_reason'])
      .where('hold_id', '=', hold.hold_id)
      .executeTakeFirst()
    expect(ended).toEqual({ status: 'confirmed', released_reason: 'submit' })
    const { json } = await shop.get(`/dropship-orders?client_order_number=${body.client_order_number}`)
    expect(json.data).toMatchObject([{ status: 'pending', in_doubt: false }])
  })

  it('confirms a reservation whose order was submitted in the time that was lost, and reserves its number again', async () => {
    const sku = await shop.createSku({ AUSYD1: 9 })
    const lines = [{ sku, quantity: 2 }]
    const body = { warehouse_code: 'AUSYD1', lines, client_order_number: createOrderNumber() }
    const { reservation_id, hold_id } = expectData(await shop.post('/reservations', body), 201)
    const restore = await takeBackup(house)
    const { order_id } = expectData(await shop.post(`/reservations/${reservation_id}/confirm`))
    expectData(await shop.post(`/orders/${order_id}/submit`, { shipping: harbourShipping }))
    await restore()
    reopen()
    // Until its hold expires, the channel can repeat the confirm and the submit, which find the order.
    const read = async (path: string) => expectData(await shop.get(path))
    expect((await read(`/reservations/${reservation_id}`)).status).toBe('reserved')
    await passTime(house, 61 * 60_000)
    expect(await read(`/reservations/${reservation_id}`)).toMatchObject({
      ...{ status: 'confirmed', status_raw: 'CONSUMED', in_doubt: false },
      ...{ order_id: null, cancelled_at: null, updated_at: new Date(house.clock.now()).toISOString() },
    })
    expect(await read(`/holds/${hold_id}`)).toMatchObject({ status: 'confirmed', released_reason: 'submit' })
    const again = expectData(await shop.post('/reservations', body), 201)
    expect(again.reservation_id).not.toBe(reservation_id)
    const { json } = await shop.get('/reservations?status=reserved')
    expect(json.data.map((each: LooseJson) => each.reservation_id)).toEqual([again.reservation_id])
  })

  it('returns the order of a retried create and submit, by the idempotency key alone', async () => {
    const sku = await shop.createSku()
    const restore = await takeBackup(house)
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }], shipping: harbourShipping }
    const key = toKey(`create-${sku}`)
    const lost = expectData(await shop.post('/orders', body, key), 201)
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, {}, toKey(`submit-${sku}`)))
    const before = await shop.readAvailable(sku)
    await restore()
    reopen()
    expect(expectData(await shop.post('/orders', body, key), 201).order_id).toBe(lost.order_id)
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, {}, toKey(`submit-${sku}`)))
    await house.settle()
    expect(await shop.readAvailable(sku)).toBe(before)
  })

  it('finds an order by an id that the database does not have, for its own channel only', async () => {
    const sku = await shop.createSku()
    const restore = await takeBackup(house)
    const number = createOrderNumber()
    const lost = await createDraft(shop, sku, 2, { client_order_number: number })
    const body = { client_order_number: number }
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, body))
    await restore()
    const other = await signInBuyer(house, buyers[1])
    const path = `/api/v1/orders/${lost.order_id}`
    expectError(await call(house, 'GET', path, { token: other }), 'NOT_FOUND')
    reopen()
    const submitted = expectData(await shop.post(`/orders/${lost.order_id}/submit`, body))
    expect(submitted).toMatchObject({ order_id: lost.order_id, client_order_number: number })
    expectError(await call(house, 'GET', path, { token: other }), 'OWNERSHIP_DENIED')
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it('recognises a draft of the backup as submitted since, by its retry or by the sync', async () => {
    const sku = await shop.createSku()
    const numbers = [createOrderNumber(), createOrderNumber()]
    const [first, second] = await Promise.all(
      numbers.map((number) => createDraft(shop, sku, 1, { client_order_number: number })),
    )
    const restore = await takeBackup(house)
    for (const draft of [first, second]) expectData(await shop.post(`/orders/${draft?.order_id}/submit`, {}))
    await restore()
    reopen()
    expect(expectData(await shop.post(`/orders/${first?.order_id}/submit`, {})).status).toBe('confirmed')
    await syncDocuments(house.gateway)
    expect(expectData(await shop.get(`/orders/${second?.order_id}`)).status).toBe('confirmed')
    for (const number of numbers) expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it.each(['before', 'after'])(
    'returns the order of a retry %s the sync that says more than the draft of the backup did',
    async (moment) => {
      const sku = await shop.createSku()
      const lines = [{ sku, quantity: 1 }]
      const { order_id } = expectData(await shop.post('/orders', { lines }), 201)
      const restore = await takeBackup(house)
      const body = {
        shipping: harbourShipping,
        remark: 'Ring twice',
        client_order_number: createOrderNumber(),
      }
      expectData(await shop.post(`/orders/${order_id}/submit`, body))
      await restore(moment === 'before' ? () => house.gateway.sessions.follow() : undefined)
      reopen()
      for (let times = 0; times < 2; times++) {
        const again = expectData(await shop.post(`/orders/${order_id}/submit`, body))
        expect(again).toMatchObject({ order_id, status: 'confirmed', remark: 'Ring twice' })
      }
      expectError(
        await shop.post(`/orders/${order_id}/submit`, { ...body, remark: 'Do not ring' }),
        'UPSTREAM_REJECTED',
      )
      expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
    },
  )

  it('refuses a retry whose lines are not those of the order that the ERP has', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const restore = await takeBackup(house)
    const lost = await createDraft(shop, sku, 2, { client_order_number: number })
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, {}))
    await restore()
    reopen()
    const changed = await createDraft(shop, sku, 3, { client_order_number: number })
    expectError(await shop.post(`/orders/${changed.order_id}/submit`, {}), 'UPSTREAM_REJECTED', {
      reason: 'invalid_state',
    })
    expect(listErpDocuments(house, number)).toHaveLength(1)
  })

  it('returns the drop-ship order of a retried submit with its former id, and places none twice', async () => {
    const sku = await shop.createSku()
    const wish = buildDropship(sku)
    const restore = await takeBackup(house)
    const lost = expectData(await shop.post('/dropship-orders/submit', wish))
    await restore()
    reopen()
    const key = toKey(`dropship-${sku}`)
    const again = expectData(await shop.post('/dropship-orders/submit', wish, key))
    expect(again).toMatchObject({
      dropship_order_id: lost.dropship_order_id,
      serial_number: lost.serial_number,
    })
    expect(expectData(await shop.post('/dropship-orders/submit', wish, key))).toEqual(again)
    expectError(await shop.post('/dropship-orders/submit', wish), 'DUPLICATE_SUSPECTED')
    expect(listErpDocuments(house, wish.client_order_number)).toHaveLength(1)
  })

  it('returns the drop-ship order of a submit that used its preview without naming it with another id, and places none twice', async () => {
    const sku = await shop.createSku()
    const wish = buildDropship(sku)
    const restore = await takeBackup(house)
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    const lost = expectData(await shop.post('/dropship-orders/submit', wish))
    expect(lost.dropship_order_id).toBe(preview.dropship_order_id)
    await restore()
    reopen()
    const again = expectData(await shop.post('/dropship-orders/submit', wish))
    expect(again.serial_number).toBe(lost.serial_number)
    expect(again.dropship_order_id).not.toBe(lost.dropship_order_id)
    const documents = listErpDocuments(house, wish.client_order_number)
    expect(documents.filter(({ kind }) => kind === 'order')).toHaveLength(1)
  })

  it('returns the drop-ship order whose preview is in the backup, and the one whose preview is not', async () => {
    const sku = await shop.createSku()
    const [kept, gone] = [buildDropship(sku), buildDropship(sku)]
    const keptPreview = expectData(await shop.post('/dropship-orders/allocation-preview', kept))
    const restore = await takeBackup(house)
    const gonePreview = expectData(await shop.post('/dropship-orders/allocation-preview', gone))
    const previews = [keptPreview, gonePreview].map(({ dropship_order_id }) => ({ dropship_order_id }))
    const bodies = [
      { ...kept, ...previews[0] },
      { ...gone, ...previews[1] },
    ]
    for (const body of bodies) expectData(await shop.post('/dropship-orders/submit', body))
    await restore()
    reopen()
    for (const body of bodies) {
      const { dropship_order_id } = body
      expect(expectData(await shop.post('/dropship-orders/submit', body))).toMatchObject({
        dropship_order_id,
      })
      const documents = listErpDocuments(house, body.client_order_number)
      expect(documents.filter(({ kind }) => kind === 'order')).toHaveLength(1)
    }
  })

  it('voids a drop-ship order whose preview is in the backup, also if the lost time has voided it', async () => {
    const sku = await shop.createSku()
    const wishes = [buildDropship(sku), buildDropship(sku)]
    const ids: string[] = []
    for (const wish of wishes)
      ids.push(expectData(await shop.post('/dropship-orders/allocation-preview', wish)).dropship_order_id)
    const restore = await takeBackup(house)
    for (const wish of wishes) expectData(await shop.post('/dropship-orders/submit', wish))
    expectData(await shop.send('DELETE', `/dropship-orders/${ids[1]}`))
    // Before the sync, which would find out by itself.
    await restore(() => house.gateway.sessions.follow())
    reopen()
    for (const [at, { client_order_number }] of wishes.entries()) {
      expect(expectData(await shop.send('DELETE', `/dropship-orders/${ids[at]}`))).toMatchObject({
        status: 'cancelled',
      })
      const orders = listErpDocuments(house, client_order_number).filter(({ kind }) => kind === 'order')
      expect(orders).toMatchObject([{ status: 'cancelled' }])
    }
  })

  it('places a drop-ship order again whose former one was cancelled, and refuses another quantity', async () => {
    const sku = await shop.createSku()
    const [cancelled, changed] = [buildDropship(sku), buildDropship(sku)]
    const restore = await takeBackup(house)
    const { dropship_order_id: id } = expectData(await shop.post('/dropship-orders/submit', cancelled))
    expectData(await shop.send('DELETE', `/dropship-orders/${id}`))
    expectData(await shop.post('/dropship-orders/submit', changed))
    await restore()
    reopen()
    const placed = expectData(await shop.post('/dropship-orders/submit', cancelled))
    expect(placed).toMatchObject({ status: 'pending' })
    expect(placed.dropship_order_id).not.toBe(id)
    expectError(
      await shop.post('/dropship-orders/submit', { ...changed, quantity: 2 }),
      'VALIDATION_FAILED',
      {
        param: 'client_order_number',
      },
    )
    expect(listErpDocuments(house, changed.client_order_number)).toHaveLength(1)
  })

  it('holds what a preview asks for, and not what a lost preview with the same place held', async () => {
    const sku = await shop.createSku({ AUSYD1: 20 })
    const wish = buildDropship(sku)
    const { dropship_order_id } = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    const restore = await takeBackup(house)
    const more = { ...wish, quantity: 5 }
    expectData(await shop.post('/dropship-orders/allocation-preview', { ...more, dropship_order_id }))
    // Before the sync, which would find out that the hold of the backup is gone.
    await restore(() => house.gateway.sessions.follow())
    reopen()
    const other = { ...wish, quantity: 3, dropship_order_id }
    expectData(await shop.post('/dropship-orders/allocation-preview', other))
    expect(expectData(await shop.post('/dropship-orders/submit', other))).toMatchObject({ quantity: 3 })
    const orders = listErpDocuments(house, wish.client_order_number).filter(({ kind }) => kind === 'order')
    expect(orders.map(({ lines }) => lines.map(({ quantity }) => quantity))).toEqual([[3]])
  })

  it('lists the orders that nobody retries, until somebody does', async () => {
    const sku = await shop.createSku()
    const restore = await takeBackup(house)
    const wish = buildDropship(sku)
    const lost = await createDraft(shop, sku, 1)
    expectData(await shop.post(`/orders/${lost.order_id}/submit`, {}))
    const { serial_number } = expectData(await shop.post('/dropship-orders/submit', wish))
    await restore()
    reopen()
    await syncDocuments(house.gateway)
    const listed = (await listLost(house)).filter(
      ({ lines }: { lines: { sku: string }[] }) => lines[0]?.sku === sku,
    )
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual(
      expect.objectContaining({ number: serial_number, kind: 'order', order_type: 'dropship' }),
    )
    expectData(await shop.post('/dropship-orders/submit', wish))
    expectData(await shop.get(`/orders/${lost.order_id}`))
    const left = (await listLost(house)).filter(
      ({ lines }: { lines: { sku: string }[] }) => lines[0]?.sku === sku,
    )
    expect(left).toEqual([])
  })

  it('lists a lost hold until it ends', async () => {
    const sku = await shop.createSku({ AUSYD1: 20 })
    const restore = await takeBackup(house)
    expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)))
    await restore()
    reopen()
    const listHolds = async () => {
      await syncDocuments(house.gateway)
      return (await listLost(house)).filter(
        ({ lines }: { lines: { sku: string }[] }) => lines[0]?.sku === sku,
      )
    }
    expect(await listHolds()).toMatchObject([{ kind: 'hold', status: 'held' }])
    await passTime(house, 24 * 3_600_000)
    expect(await listHolds()).toEqual([])
  })

  it('has another event for an order that is found again, so that no reader goes on behind what it has not read', async () => {
    const sku = await shop.createSku()
    const [number, other] = [createOrderNumber(), createOrderNumber()]
    const place = async (client_order_number: string) => {
      const { order_id } = await createDraft(shop, sku, 1, { client_order_number })
      expectData(await shop.post(`/orders/${order_id}/submit`, {}))
      while (await sequenceEvents(house.gateway));
      return order_id
    }
    const readEvents = async (query = '') => {
      const { json } = await shop.get(`/events?type=order.created&page_size=100${query}`)
      return json.data
    }
    while (await sequenceEvents(house.gateway));
    const restore = await takeBackup(house)
    const before = (await readEvents()).length
    const lost = await place(number)
    const [seen] = (await readEvents()).slice(before)
    await restore()
    reopen()
    const fresh = await place(other)
    expect(await place(number)).toBe(lost)
    expectError(await shop.get(`/events?since=${seen.event_id}`), 'NOT_FOUND')
    const after = (await readEvents()).slice(before)
    expect(after.map(({ data }: LooseJson) => data.order_id)).toEqual([fresh, lost])
    expect(after[1].event_id).not.toBe(seen.event_id)
  })

  it('ends the tokens, leases and reports of the backup, and has clients read all stock again', async () => {
    const { db } = house.gateway.store
    const token = await shop.token()
    const { json: before } = await shop.get('/warehouses/AUSYD1/stock?page_size=1')
    const restore = await takeBackup(house)
    await db
      .insertInto('leases')
      .values({ name: 'of the backup', holder: 'prc_dead', term: 7, beats: 3 })
      .execute()
    await restore()
    expectError(await call(house, 'GET', '/api/v1/me', { token }), 'AUTH_INVALID_TOKEN')
    const lease = await db
      .selectFrom('leases')
      .selectAll()
      .where('name', '=', 'of the backup')
      .executeTakeFirst()
    expect(lease).toMatchObject({ holder: null, term: 7 })
    await house.settle()
    reopen()
    const { json } = await shop.get(`/warehouses/AUSYD1/stock/changes?since=${before.version}`)
    expect(json).toMatchObject({ needs_full_sync: true, full_sync_reason: 'other_epoch' })
    const etag = `"${before.version}"`
    const whole = await shop.send('GET', '/warehouses/AUSYD1/stock?page_size=1', {
      headers: { 'If-None-Match': etag },
    })
    expect(whole.status).toBe(200)
  })
})

describe('a restored database in front of an ERP whose clock is 30 s behind', () => {
  it('has no second order for a drop-ship submit that is repeated after the sync found its order', async () => {
    const house = await openTestGateway({
      styles: 5,
      erpAheadMs: -30_000,
      journey: { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY },
      settings: { DUPLICATE_WINDOW_SECONDS: '60' },
    })
    try {
      const before = openShop(house)
      const body = buildDropship(await before.createSku())
      const preview = expectData(await before.post('/dropship-orders/allocation-preview', body))
      const restore = await takeBackup(house)
      expectData(await before.post('/dropship-orders/submit', body))
      await restore()
      house.clock.advance(60_000)
      const shop = openShop(house)
      const again = expectData(await shop.post('/dropship-orders/submit', body))
      expect(again.dropship_order_id).toBe(preview.dropship_order_id)
      // The window begins with the repetition, whatever the ERP's clock said at the submit.
      house.clock.advance(50_000)
      expectError(await shop.post('/dropship-orders/submit', body), 'DUPLICATE_SUSPECTED')
      const listOrders = () =>
        listErpDocuments(house, body.client_order_number).filter(({ kind }) => kind === 'order')
      expect(listOrders()).toHaveLength(1)
      house.clock.advance(60_000)
      expectData(await shop.post('/dropship-orders/submit', body))
      expect(listOrders()).toHaveLength(2)
    } finally {
      await house.close()
    }
  })
})

it('takes an order that an earlier restore lost for no repetition once the time for repetitions is over', async () => {
  const house = await openTestGateway({
    styles: 5,
    journey: { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY },
  })
  try {
    const before = openShop(house)
    const body = buildDropship(await before.createSku())
    expectData(await before.post('/dropship-orders/allocation-preview', body))
    const restore = await takeBackup(house)
    const lost = expectData(await before.post('/dropship-orders/submit', body))
    await restore()
    house.clock.advance(60 * 24 * 60 * 60_000)
    await house.settle()
    const restoreAgain = await takeBackup(house)
    await restoreAgain()
    const next = expectData(await openShop(house).post('/dropship-orders/submit', body))
    expect(next.dropship_order_id).not.toBe(lost.dropship_order_id)
  } finally {
    await house.close()
  }
})

describe('a restore by a host whose clock is two hours ahead', () => {
  let house: TestGateway

  beforeAll(async () => {
    house = await openTestGateway({ styles: 5 })
  })
  afterAll(() => house.close())

  async function restoreAhead() {
    const { gateway, clock } = house
    const ahead = {
      now: () => clock.now() + 2 * 3_600_000,
      monotonic: () => clock.monotonic(),
      machine: () => 0,
    }
    await markRestored(gateway.store.db, clock.now())
    await beginRestored({ ...gateway, clock: ahead })
  }

  it('ends the tokens that others still accept', async () => {
    const token = await signInBuyer(house)
    await restoreAhead()
    expectError(await call(house, 'GET', '/api/v1/me', { token }), 'AUTH_INVALID_TOKEN')
  })

  it('is not taken for the newest after a restore by a host whose clock is right', async () => {
    await restoreAhead()
    const { memory, store, clock } = house.gateway
    const former = memory.restores.at(-1)
    await markRestored(store.db, clock.now() + 1)
    await beginRestored(house.gateway)
    expect(memory.restores.at(-1)).toMatchObject({
      taken_at: clock.now() + 1,
      restored_at: Number(former?.restored_at) + 1,
    })
    expect(readOrigin(memory)).not.toBe(former?.origin)
  })

  it('is later than its backup even if the clock of the backup was ahead', async () => {
    const { memory, store, clock } = house.gateway
    const taken_at = clock.now() + 5 * 3_600_000
    await markRestored(store.db, taken_at)
    await beginRestored(house.gateway)
    expect(memory.restores.at(-1)).toMatchObject({ taken_at, restored_at: taken_at + 1 })
  })
})

describe('a restored database in front of an ERP that no longer knows what has changed', () => {
  it('has the orders whose drafts and previews were submitted in the time that was lost', async () => {
    let isForgotten = false
    const house = await openTestGateway({
      styles: 30,
      wrapErp: (erp) => ({
        ...erp,
        'documents.changed': async (input, options) => {
          if (!isForgotten) return erp['documents.changed'](input, options)
          isForgotten = false
          const now = await erp['documents.changed']({ cursor: null }, options)
          return 'ok' in now ? ok({ ...now.ok, everything: true, references: [] }) : now
        },
      }),
    })
    try {
      const before = openShop(house)
      const { order_id } = await createDraft(before, await before.createSku(), 2)
      const untouched = await createDraft(before, await before.createSku(), 2)
      const body = buildDropship(await before.createSku())
      expectData(await before.post('/dropship-orders/allocation-preview', body))
      const restore = await takeBackup(house)
      expectData(await before.post(`/orders/${order_id}/submit`, {}))
      expectData(await before.post('/dropship-orders/submit', body))
      isForgotten = true
      await restore()
      const shop = openShop(house)
      const { json } = await shop.get('/orders')
      const states = json.data.map((each: LooseJson) => [each.order_id, each.status])
      expect(states).toContainEqual([order_id, 'confirmed'])
      expect(states).toContainEqual([untouched.order_id, 'draft'])
      const dropship = await shop.get(`/dropship-orders?client_order_number=${body.client_order_number}`)
      expect(dropship.json.data[0].submitted_at).not.toBeNull()
    } finally {
      await house.close()
    }
  })
})
