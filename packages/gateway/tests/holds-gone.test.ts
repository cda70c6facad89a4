/** A hold that the ERP does not have any more, because staff deleted it or the ERP was restored, ends at the gateway. */
import { type Erp, rejected } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { toJson } from '../src/store/json.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  expectData,
  expectError,
  findHoldReference,
  openShop,
  passTime,
} from './trade.ts'

const holdLife = 15 * 60_000
const hour = 60 * 60_000
/** The references of holds that the ERP has lost. */
const lost = new Set<string>()
let house: TestGateway
let shop: Buyer

const loseHolds = (erp: Erp): Erp => ({
  ...erp,
  async release(input, options) {
    if (lost.has(input.reference)) return rejected('not_found', `There is no hold ${input.reference}.`)
    return erp.release(input, options)
  },
  async 'documents.read'(input, options) {
    const references = input.references.filter((reference) => !lost.has(reference))
    return erp['documents.read']({ references }, options)
  },
})

beforeAll(async () => {
  house = await openTestGateway({ styles: 10, wrapErp: loseHolds })
  shop = openShop(house)
})
afterAll(() => house.close())

async function lose(hold_id: string): Promise<void> {
  const reference = await findHoldReference(house, hold_id)
  await house.sandbox.erp.release({ reference, reason: 'release' })
  lost.add(reference)
}

async function reserve(sku: string) {
  const lines = [{ sku, quantity: 2 }]
  return expectData(await shop.post('/reservations', { warehouse_code: 'AUSYD1', lines }), 201)
}

const readStatus = async (path: string) => expectData(await shop.get(path)).status

describe('a hold that the ERP has lost', () => {
  it('is released by the cancel of its reservation', async () => {
    const { reservation_id, hold_id } = await reserve(await shop.createSku({ AUSYD1: 9 }))
    await lose(hold_id)
    expect(expectData(await shop.send('DELETE', `/reservations/${reservation_id}`)).status).toBe('cancelled')
    expect(await readStatus(`/holds/${hold_id}`)).toBe('cancelled')
  })

  it('is released by its own id', async () => {
    const { reservation_id, hold_id } = await reserve(await shop.createSku({ AUSYD1: 9 }))
    await lose(hold_id)
    expect(expectData(await shop.send('DELETE', `/holds/${hold_id}`)).status).toBe('cancelled')
    expect(await readStatus(`/reservations/${reservation_id}`)).toBe('cancelled')
  })

  it('does not keep the draft of its reservation from being voided', async () => {
    const { reservation_id, hold_id } = await reserve(await shop.createSku({ AUSYD1: 9 }))
    const { order_id } = expectData(await shop.post(`/reservations/${reservation_id}/confirm`))
    await lose(hold_id)
    expect(expectData(await shop.send('DELETE', `/orders/${order_id}`)).status).toBe('cancelled')
    expect(await readStatus(`/holds/${hold_id}`)).toBe('cancelled')
  })

  it('does not keep the stock of a drop-ship preview from being given back', async () => {
    const body = buildDropship(await shop.createSku({ AUSYD1: 9 }))
    const { hold, dropship_order_id: id } = expectData(
      await shop.post('/dropship-orders/allocation-preview', body),
    )
    await lose(hold.hold_id)
    expect(expectData(await shop.send('DELETE', `/dropship-orders/${id}/allocation`)).status).toBe(
      'cancelled',
    )
    expect(await readStatus(`/holds/${hold.hold_id}`)).toBe('cancelled')
  })

  it('ends when its time is over, and its number can be previewed and submitted again', async () => {
    const body = buildDropship(await shop.createSku({ AUSYD1: 9 }))
    const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', body))
    await lose(hold.hold_id)
    await passTime(house, holdLife)
    await releaseExpiredHolds(house.gateway)
    expect(expectData(await shop.get(`/holds/${hold.hold_id}`))).toMatchObject({
      status: 'cancelled',
      released_reason: 'expiry',
    })
    expectData(await shop.post('/dropship-orders/allocation-preview', body))
    expect(expectData(await shop.post('/dropship-orders/submit', body)).status).toBe('pending')
  })
})

describe('a hold that an ERP with late look-ups does not find yet', () => {
  it('stays reserved until it must be found', async () => {
    const late = await openTestGateway({
      styles: 2,
      wrapErp: loseHolds,
      capabilities: { lookup_lag_ms: hour / 4 },
    })
    const buyer = openShop(late)
    const lines = [{ sku: await buyer.createSku({ AUSYD1: 9 }), quantity: 2 }]
    const { hold_id } = expectData(
      await buyer.post('/reservations', { warehouse_code: 'AUSYD1', lines }),
      201,
    )
    lost.add(await findHoldReference(late, hold_id))
    expectError(await buyer.send('DELETE', `/holds/${hold_id}`), 'UPSTREAM_REJECTED')
    expect(expectData(await buyer.get(`/holds/${hold_id}`)).status).toBe('reserved')
    late.clock.advance(hour / 4)
    expect(expectData(await buyer.send('DELETE', `/holds/${hold_id}`)).status).toBe('cancelled')
    await late.close()
  })
})

describe('an expired hold behind a hundred others', () => {
  it('is released before an order of its SKU would be short', async () => {
    const sku = await shop.createSku({ AUSYD1: 2 })
    const { hold_id } = await reserve(sku)
    house.clock.advance(hour)
    const { db } = house.gateway.store
    const row = await db
      .selectFrom('holds')
      .selectAll()
      .where('hold_id', '=', hold_id)
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: 100 }, (_each, at) => ({
      ...{ ...row, lines: toJson([]), expires_at: row.expires_at - 1 },
      ...{ hold_id: `hld_other_${at}`, reference: `other-${at}`, source_id: `res_other_${at}` },
    }))
    await db.insertInto('holds').values(others).execute()
    expect(await reserve(sku)).toMatchObject({ status: 'reserved' })
    await db.deleteFrom('holds').where('hold_id', 'like', 'hld_other_%').execute()
  })
})
