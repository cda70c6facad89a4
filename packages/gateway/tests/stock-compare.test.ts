/** Comparisons of whole warehouses in front of an ERP that fails, is slow or goes away, and in a process that ends. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { afterEach, describe, expect, it } from 'vitest'
import { compareWarehouses, followWarehouses } from '../src/stock/sync.ts'
import { startWorkers } from '../src/workers.ts'
import { requestComparisons, setInErp } from './erp-stock.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

const warehouse = 'AUSYD1'
const other = 'AUSYD2'
const rowsPerPage = 10

let house: TestGateway
/** Called before the ERP reads a page of `warehouse`, with the number of the page, and afterwards. */
let onPage: (page: number) => unknown
let onRead: () => unknown
/** Called before the ERP responds with its hints for `warehouse`. */
let onHints: () => unknown
let pages: number

afterEach(() => house.close())

async function open(options: Parameters<typeof openTestGateway>[0] = {}): Promise<void> {
  onPage = () => {}
  onRead = () => {}
  onHints = () => {}
  pages = 0
  const wrapErp = (erp: Erp): Erp => ({
    ...erp,
    async 'stock.snapshot'(input, options) {
      if (input.warehouse_code !== warehouse) return erp['stock.snapshot'](input, options)
      pages += 1
      await onPage(pages)
      const limit = Math.min(rowsPerPage, input.limit)
      const answer = await erp['stock.snapshot']({ ...input, limit }, options)
      await onRead()
      return answer
    },
    async 'stock.changed'(input, options) {
      if (input.warehouse_code === warehouse) await onHints()
      return erp['stock.changed'](input, options)
    },
  })
  house = await openTestGateway({ styles: 20, ...options, wrapErp })
  pages = 0
}

function findSku(code: string): string {
  const row = house.sandbox.store.one('select sku from stock where warehouse_code = ? order by sku', code)
  return String(row?.sku)
}

const goAway = () => {
  throw new UnknownOutcome('unreachable', 'The ERP is down.', { sent: false })
}

/** Makes a stored row differ from the ERP's, as if a hint had been lost. Returns its SKU. */
async function spoilRow(): Promise<string> {
  const { db } = house.gateway.store
  const { sku } = await db
    .selectFrom('stock')
    .select('sku')
    .where('warehouse_code', '=', warehouse)
    .orderBy('sku')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('stock')
    .set({ quantity_on_hand: 4_711 })
    .where('warehouse_code', '=', warehouse)
    .where('sku', '=', sku)
    .execute()
  return sku
}

function readWarehouse() {
  return house.gateway.store.db
    .selectFrom('warehouses')
    .selectAll()
    .where('warehouse_code', '=', warehouse)
    .executeTakeFirstOrThrow()
}

async function readMissedHints(): Promise<number> {
  const { values } = await house.gateway.memory.metrics.compareDifferences.get()
  return values.find(({ labels }) => labels.warehouse === warehouse)?.value ?? 0
}

describe('a comparison', () => {
  it('without counters holds up no hints of a warehouse that waits for its own', async () => {
    await open({ capabilities: { stock_seq: false } })
    await requestComparisons(house, warehouse, other)
    const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onPage = () => {
      arrived.resolve()
      return gate.promise
    }
    const comparing = compareWarehouses(house.gateway)
    await arrived.promise
    const sku = findSku(other)
    setInErp(house, other, sku, 'on_hand = 4711')
    await followWarehouses(house.gateway)
    const stored = await house.gateway.store.db
      .selectFrom('stock')
      .select('quantity_on_hand')
      .where('warehouse_code', '=', other)
      .where('sku', '=', sku)
      .executeTakeFirstOrThrow()
    expect(stored.quantity_on_hand).toBe(4_711)
    gate.resolve()
    await comparing
  })

  it.each([true, false])(
    'that the ERP interrupts is not begun again at once, and counts what it corrected (counters: %s)',
    async (stock_seq) => {
      await open({ capabilities: { stock_seq } })
      await spoilRow()
      await requestComparisons(house, warehouse)
      onPage = (page) => {
        if (page < 3) return
        // No hint comes any more either.
        onHints = goAway
        goAway()
      }
      await expect(compareWarehouses(house.gateway)).rejects.toThrow('The ERP is down.')
      const asked = pages
      expect(await readMissedHints()).toBe(0)
      onHints = () => {}
      // Also if the other worker finds the lease in use.
      await house.gateway.store.withLease(`sync stock ${warehouse}`, () => followWarehouses(house.gateway))
      await expect(compareWarehouses(house.gateway)).rejects.toThrow('The ERP is down.')
      expect(pages).toBe(asked)
      expect(await readMissedHints()).toBe(1)
    },
  )

  it('is done although its differences cannot be counted yet', async () => {
    await open()
    await spoilRow()
    await requestComparisons(house, warehouse)
    onPage = () => {
      onHints = goAway
    }
    await expect(compareWarehouses(house.gateway)).rejects.toThrow('The ERP is down.')
    const asked = pages
    expect((await readWarehouse()).compare_requested_at).toBeNull()
    await expect(compareWarehouses(house.gateway)).rejects.toThrow('The ERP is down.')
    onHints = () => {}
    await compareWarehouses(house.gateway)
    expect(pages).toBe(asked)
    expect(await readMissedHints()).toBe(1)
  })

  it('keeps no SKU that came and went between two hints, although the ERP hints late', async () => {
    await open({ unfilled: true, capabilities: { hint_lag_ms: 60_000 } })
    const sku = findSku(warehouse)
    setInErp(house, warehouse, sku, 'withdrawn = 1')
    await house.settle()
    await requestComparisons(house, warehouse)
    setInErp(house, warehouse, sku, 'withdrawn = 0')
    let isWithdrawn = false
    onRead = async () => {
      if (isWithdrawn) return
      isWithdrawn = true
      setInErp(house, warehouse, sku, 'withdrawn = 1')
      await followWarehouses(house.gateway)
    }
    await compareWarehouses(house.gateway)
    expect(isWithdrawn).toBe(true)
    const live = house.gateway.store.db.selectFrom('stock').select('sku').where('removed', '=', 0)
    const rows = await live.where('warehouse_code', '=', warehouse).where('sku', '=', sku).execute()
    expect(rows).toEqual([])
  })

  it('does not make a warehouse filled that was retired and listed again meanwhile', async () => {
    await open()
    await requestComparisons(house, warehouse)
    onPage = () =>
      house.gateway.store.db
        .updateTable('warehouses')
        .set({ filled_at: null })
        .where('warehouse_code', '=', warehouse)
        .execute()
    await compareWarehouses(house.gateway)
    expect((await readWarehouse()).filled_at).toBeNull()
  })

  it('of an ERP that is too slow with a single row fails with an error that names it', async () => {
    await open()
    await requestComparisons(house, warehouse)
    onPage = () => {
      throw new UnknownOutcome('timeout', 'The ERP did not respond in time.')
    }
    const comparing = compareWarehouses(house.gateway)
    await expect(comparing).rejects.toThrow(`The ERP cannot report the first row of ${warehouse} in time.`)
  })

  it('ends after a page if the process stops', async () => {
    await open({ unfilled: true })
    const arrived = Promise.withResolvers<void>()
    onPage = (page) => page === 2 && arrived.resolve()
    const stop = startWorkers(house.gateway)
    await arrived.promise
    const begun = pages
    await stop()
    expect(pages).toBeLessThanOrEqual(begun + 2)
    expect((await readWarehouse()).filled_at).toBeNull()
  })
})
