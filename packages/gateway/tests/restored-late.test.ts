/**
 * Orders that were under way to the ERP, or tried again there, in the time that a restore lost. A retry places none of
 * them twice, whenever they arrive and under whichever reference the ERP has them.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { beginRestored } from '../src/start/restored.ts'
import { toJson } from '../src/store/json.ts'
import { awaitLateWrites } from '../src/writes/lost.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { takeBackup } from './backup-tables.ts'
import { expectLost, lostSubmits, openSite, type Site } from './late-erp.ts'
import {
  type Buyer,
  buildDropship,
  createDraft,
  expectData,
  expectError,
  listErpDocuments,
  openShop,
  tokenLifeMs,
} from './trade.ts'

const maxRequestMs = 20_000

let site: Site
beforeAll(async () => {
  site = await openSite({ lookup: 'strong', max_request_ms: maxRequestMs, settles: true })
})
afterAll(() => site.house.close())

/** Takes a backup. The returned function restores it, so much later that the clients ask for new tokens. */
async function takeBackupOfSite() {
  // What an earlier test left under way arrives no more.
  site.house.clock.advance(maxRequestMs)
  const restore = await takeBackup(site.house)
  return async (laterMs: number) => {
    site.house.clock.advance(tokenLifeMs)
    await restore(site.house.settle, laterMs)
  }
}

const settleOnce = () => settleAll(site.house.gateway, writes)

describe.each(lostSubmits)('a %s of the lost time', (_document, lose) => {
  it('that arrives at the ERP after the first retry is placed once', async () => {
    const { house, erp } = site
    const restore = await takeBackupOfSite()
    const lost = await lose(site)
    await restore(0)
    expectError(await lost.sendAgain(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    house.clock.advance(maxRequestMs - 1)
    expectError(await lost.sendAgain(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    await erp.deliver()
    expectData(await lost.sendAgain())
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })

  it.each([1, 2])('that the ERP fenced %i times before it was placed is found', async (times) => {
    const { house, erp } = site
    const restore = await takeBackupOfSite()
    const lost = await lose(site)
    for (let fence = 1; fence < times; fence++) {
      await settleOnce()
      await expectLost(erp, () => lost.sendAgain())
    }
    await settleOnce()
    expectData(await lost.sendAgain())
    erp.underWay.splice(0)
    await restore(maxRequestMs)
    expectData(await lost.sendAgain())
    expect(listErpDocuments(house, lost.number)).toHaveLength(1)
  })
})

describe('a wholesale order whose draft is in the backup', () => {
  it('is found by its id, if the ERP fenced its first reference, which no sync knows', async () => {
    const { house, erp, shop } = site
    const { order_id } = await createDraft(shop, await shop.createSku(), 1)
    const restore = await takeBackupOfSite()
    const submit = () => shop.post(`/orders/${order_id}/submit`, {})
    await expectLost(erp, submit)
    await settleOnce()
    expectData(await submit())
    erp.underWay.splice(0)
    await restore(maxRequestMs)
    await syncDocuments(house.gateway)
    const buyer = openShop(house)
    expect(expectData(await buyer.get(`/orders/${order_id}`)).status).toBe('confirmed')
    expect((await buyer.get('/orders')).json.data[0]).toMatchObject({ order_id, status: 'confirmed' })
  })
})

describe('a drop-ship order whose preview is in the backup', () => {
  it('keeps the id of its preview, also if the ERP fenced its first reference', async () => {
    const { house, erp, shop } = site
    const body = buildDropship(await shop.createSku())
    const { dropship_order_id } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    const restore = await takeBackupOfSite()
    const submit = (buyer: Buyer) => buyer.post('/dropship-orders/submit', { ...body, dropship_order_id })
    await expectLost(erp, () => submit(shop))
    await settleOnce()
    expectData(await submit(shop))
    erp.underWay.splice(0)
    await restore(maxRequestMs)
    expect(expectData(await submit(openShop(house)))).toMatchObject({ dropship_order_id })
    const orders = listErpDocuments(house, body.client_order_number).filter(({ kind }) => kind === 'order')
    expect(orders).toHaveLength(1)
  })

  it.each(['voided in the lost time', 'live'])(
    'is voided by its preview, if its first submit was in doubt in the backup and it is %s',
    async (state) => {
      const { house, erp, shop } = site
      const body = buildDropship(await shop.createSku())
      const { dropship_order_id } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
      const submit = () => shop.post('/dropship-orders/submit', { ...body, dropship_order_id })
      await expectLost(erp, submit)
      const restore = await takeBackupOfSite()
      await settleOnce()
      expectData(await submit())
      const path = `/dropship-orders/${dropship_order_id}`
      if (state !== 'live') expectData(await shop.send('DELETE', path))
      erp.underWay.splice(0)
      await restore(maxRequestMs)
      await settleOnce()
      expect(expectData(await openShop(house).send('DELETE', path))).toMatchObject({ status: 'cancelled' })
      const orders = listErpDocuments(house, body.client_order_number).filter(({ kind }) => kind === 'order')
      expect(orders).toMatchObject([{ status: 'cancelled' }])
    },
  )
})

describe('a hold that the ERP makes after a restore', () => {
  it('is not listed as lost while its write is open, and one that was listed leaves the list', async () => {
    const { house, erp, shop } = site
    const { store } = house.gateway
    const restore = await takeBackupOfSite()
    await restore(maxRequestMs)
    const body = buildDropship(await shop.createSku())
    await expectLost(erp, () => openShop(house).post('/dropship-orders/allocation-preview', body))
    const { reference } = await store.db
      .selectFrom('intents')
      .select('reference')
      .where('kind', '=', 'dropship.preview')
      .executeTakeFirstOrThrow()
    const isListed = async () =>
      (await store.db.selectFrom('lost_documents').selectAll().execute()).some(
        (each) => each.reference === reference,
      )
    await erp.deliver()
    await syncDocuments(house.gateway)
    expect(await isListed()).toBe(false)
    await settleOnce()
    await syncDocuments(house.gateway)
    expect(await isListed()).toBe(false)
    // As an earlier release left it.
    const document = { reference, kind: 'hold', order_type: 'dropship', status: 'held', found_at: 1 }
    const none = {
      number: 'H1',
      currency: 'AUD',
      lines: toJson<readonly never[]>([]),
      total: null,
      submitted_at: null,
    }
    await store.db
      .insertInto('lost_documents')
      .values({ ...document, ...none })
      .execute()
    await house.sandbox.erp.release({ reference, reason: 'release' })
    await syncDocuments(house.gateway)
    expect(await isListed()).toBe(false)
  })
})

describe('an order that never reached the ERP', () => {
  it('is placed once nothing of the lost time can arrive any more', async () => {
    const { house, erp, shop } = site
    const sku = await shop.createSku()
    const draft = await createDraft(shop, sku, 2)
    const restore = await takeBackupOfSite()
    await expectLost(erp, () => shop.post(`/orders/${draft.order_id}/submit`, {}))
    await restore(0)
    erp.underWay.splice(0)
    const again = openShop(house)
    const submit = () => again.post(`/orders/${draft.order_id}/submit`, {})
    expectError(await submit(), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    house.clock.advance(maxRequestMs)
    expectData(await submit())
    // A process that starts now waits for nothing.
    await beginRestored(house.gateway)
    expect(house.gateway.memory.lateWritesSince).toBeUndefined()
  })

  it('is placed at once by a process that starts when another one has awaited the end', async () => {
    const { gateway, clock } = site.house
    await (await takeBackupOfSite())(0)
    await awaitLateWrites(gateway)
    await beginRestored(gateway)
    expect(gateway.memory.lateWritesSince).toBeDefined()
    clock.advance(maxRequestMs)
    await awaitLateWrites(gateway)
    await beginRestored(gateway)
    expect(gateway.memory.lateWritesSince).toBeUndefined()
  })
})
