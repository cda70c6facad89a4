/** A row of stock that the ERP cannot report keeps no other row from being read. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { call, createWorld, openTestGateway, type TestGateway, type World } from './harness.ts'
import { syncStock } from './sync-stock.ts'
import { setStock } from './trade.ts'

const minute = 60_000
const day = 24 * 60 * minute
const warehouse = 'AUSYD1'
let house: TestGateway
let reader: World
const log: string[] = []
/** The SKU that the ERP cannot report, and what its answer is instead. */
let broken: { readonly sku: string; readonly kind: UnknownOutcome['kind'] } | undefined
/** How many SKUs the calls had that were not answered, and how many calls were answered. */
let refused: number[] = []
let answered = 0
/** The largest page that the ERP can report, and what its answer to a larger one is. */
let maxPage = Number.POSITIVE_INFINITY
let tooLarge: UnknownOutcome['kind'] = 'malformed'
/** The limits of the pages that the ERP was asked for. */
let limits: number[] = []

beforeEach(async () => {
  house = await openTestGateway({
    styles: 120,
    log: jsonLog('warn', { write: (line: string) => void log.push(line) }),
    wrapErp: (erp) => ({
      ...erp,
      'stock.read': (input, options) => {
        if (!broken || !input.skus.includes(broken.sku)) {
          answered += 1
          return erp['stock.read'](input, options)
        }
        refused.push(input.skus.length)
        return Promise.reject(new UnknownOutcome(broken.kind, 'It cannot say what it has.'))
      },
      'stock.snapshot': async (input, options) => {
        limits.push(input.limit)
        const answer = await erp['stock.snapshot'](input, options)
        const isBroken = 'ok' in answer && answer.ok.rows.some(({ sku }) => sku === broken?.sku)
        if (isBroken) throw new UnknownOutcome('malformed', 'It is no page.')
        if (input.limit > maxPage) throw new UnknownOutcome(tooLarge, 'It is no page.')
        return answer
      },
    }),
  })
  reader = await createWorld(house)
})
afterEach(async () => {
  broken = undefined
  refused = []
  answered = 0
  maxPage = Number.POSITIVE_INFINITY
  tooLarge = 'malformed'
  log.length = 0
  await house.close()
})

function listSkus(): string[] {
  const rows = house.sandbox.store.all(
    "select sku from stock where warehouse_code = ? and withdrawn = 0 and sku not like 'SBX-%' order by sku",
    warehouse,
  )
  return rows.map(({ sku }) => String(sku))
}

async function readOnHand(sku: string): Promise<number> {
  await house.gateway.mirror.stock.follow()
  const path = `/api/v1/warehouses/${warehouse}/stock?sku=${sku}`
  const { json } = await call(house, 'GET', path, { token: reader.token })
  return json.data[0].quantity_on_hand
}

async function readRow() {
  return house.gateway.store.db
    .selectFrom('warehouses')
    .select(['cursor', 'synced_at'])
    .where('warehouse_code', '=', warehouse)
    .executeTakeFirstOrThrow()
}

const listUnreadable = () => house.gateway.store.db.selectFrom('unreadable_stock').selectAll().execute()

describe.each(['malformed', 'failed'] as const)('an answer that is %s because of one SKU', (kind) => {
  it('delays that SKU only, which is read again a minute later', async () => {
    const skus = listSkus().slice(0, 600)
    const bad = skus[200] ?? ''
    const before = await readRow()
    const old = await readOnHand(bad)
    broken = { sku: bad, kind }
    for (const sku of skus) setStock(house, warehouse, sku, 4_711)
    await syncStock(house.gateway)
    for (const sku of [skus[0] ?? '', skus[199] ?? '', skus[201] ?? '', skus.at(-1) ?? ''])
      expect(await readOnHand(sku), sku).toBe(4_711)
    expect(await readOnHand(bad)).toBe(old)
    expect((await readRow()).cursor).not.toBe(before.cursor)
    expect(log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ subject: bad, msg: expect.stringContaining('could not report') }),
    )
    expect(answered, 'calls that succeed, so that the circuit stays closed').toBeGreaterThan(refused.length)

    refused = []
    setStock(house, warehouse, bad, 4_712)
    await syncStock(house.gateway)
    expect(refused, 'within the minute').toEqual([])
    house.clock.advance(minute)
    await syncStock(house.gateway)
    expect(new Set(refused)).toEqual(new Set([1]))
    expect(await listUnreadable()).toHaveLength(1)
    broken = undefined
    house.clock.advance(minute)
    await syncStock(house.gateway)
    expect(await readOnHand(bad)).toBe(4_712)
    expect(await listUnreadable()).toEqual([])
  })
})

describe('many SKUs that the ERP could not report', () => {
  it('cost one failing call in a turn, and are all read in one once the ERP reports them', async () => {
    const { db } = house.gateway.store
    const skus = listSkus().slice(0, 30)
    const due_at = house.clock.now()
    const rows = skus.map((sku, index) => ({ warehouse_code: warehouse, sku, due_at: due_at - 30 + index }))
    await db.insertInto('unreadable_stock').values(rows).execute()
    broken = { sku: skus[0] ?? '', kind: 'malformed' }
    await syncStock(house.gateway)
    expect([refused, answered]).toEqual([[1], 0])
    broken = undefined
    await syncStock(house.gateway)
    expect((await listUnreadable()).map(({ sku }) => sku)).toEqual([skus[0]])
  })
})

describe('a row that the ERP cannot report in a snapshot', () => {
  it('ends the comparison with its name, and keeps no change from being read', async () => {
    const [first = '', second = '', third = ''] = listSkus()
    broken = { sku: second, kind: 'malformed' }
    house.clock.advance(day)
    reader = await createWorld(house)
    setStock(house, warehouse, third, 4_711)
    const { synced_at } = await readRow()
    const previous = house.sandbox.store.one(
      'select max(sku) as sku from stock where warehouse_code = ? and withdrawn = 0 and sku < ?',
      warehouse,
      second,
    )
    await expect(syncStock(house.gateway)).rejects.toThrow(
      `The ERP cannot report the row after ${previous?.sku ?? first} of ${warehouse}.`,
    )
    expect(await readOnHand(third)).toBe(4_711)
    expect((await readRow()).synced_at).toBeGreaterThan(synced_at ?? 0)
  })

  it('is not looked for again at once, but after ten minutes or on request, once', async () => {
    const [, second = ''] = listSkus()
    broken = { sku: second, kind: 'malformed' }
    const countReads = async () => {
      limits = []
      await expect(syncStock(house.gateway), 'the failure is still reported').rejects.toThrow('cannot report')
      return limits.length
    }
    house.clock.advance(day)
    expect(await countReads()).toBeGreaterThan(0)
    expect(await countReads()).toBe(0)
    house.clock.advance(10 * minute - 1)
    expect(await countReads()).toBe(0)
    await house.gateway.store.db
      .updateTable('warehouses')
      .set({ compare_requested_at: house.clock.now() })
      .where('warehouse_code', '=', warehouse)
      .execute()
    expect(await countReads(), 'on request').toBeGreaterThan(0)
    expect(await countReads()).toBe(0)
    house.clock.advance(10 * minute)
    expect(await countReads()).toBeGreaterThan(0)
    broken = undefined
    house.clock.advance(10 * minute)
    await syncStock(house.gateway)
    limits = []
    await syncStock(house.gateway)
    expect(limits, 'the comparison is done').toEqual([])
  })

  it('keeps no correction before it from being counted', async () => {
    const skus = listSkus()
    await house.gateway.store.db
      .updateTable('stock')
      .set({ quantity_on_hand: 4_711 })
      .where('warehouse_code', '=', warehouse)
      .where('sku', '=', skus[0] ?? '')
      .execute()
    broken = { sku: skus.at(-1) ?? '', kind: 'malformed' }
    house.clock.advance(day)
    await expect(syncStock(house.gateway)).rejects.toThrow('cannot report')
    const { values } = await house.gateway.memory.metrics.compareDifferences.get()
    expect(values.find(({ labels }) => labels.warehouse === warehouse)?.value).toBe(1)
  })

  it.each(['malformed', 'timeout'] as const)('is read if only the page was too large: %s', async (kind) => {
    tooLarge = kind
    const [first = ''] = listSkus()
    await house.gateway.store.db
      .updateTable('stock')
      .set({ quantity_on_hand: 0, stock_seq: 0 })
      .where('sku', '=', first)
      .execute()
    maxPage = 50
    house.clock.advance(day)
    limits = []
    await syncStock(house.gateway)
    // What took too long once is not asked for again.
    if (kind === 'timeout')
      expect(limits.filter((limit) => limit > maxPage).length).toBeLessThanOrEqual(3 * 3)
    const row = house.sandbox.store.one(
      'select on_hand from stock where warehouse_code = ? and sku = ?',
      warehouse,
      first,
    )
    const stored = await house.gateway.store.db
      .selectFrom('stock')
      .select('quantity_on_hand')
      .where('warehouse_code', '=', warehouse)
      .where('sku', '=', first)
      .executeTakeFirstOrThrow()
    expect(stored.quantity_on_hand).toBe(Number(row?.on_hand))
  })
})
