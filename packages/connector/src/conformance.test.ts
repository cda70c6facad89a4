import { describe, expect, it, vi } from 'vitest'
import { changed, describedAs, tellingNothing } from './conformance/broken.ts'
import { brokenAccess } from './conformance/broken-access.ts'
import { brokenLedger } from './conformance/broken-ledger.ts'
import { brokenOrders } from './conformance/broken-orders.ts'
import { brokenProducts } from './conformance/broken-products.ts'
import { brokenStock } from './conformance/broken-stock.ts'
import { inMemoryErp } from './conformance/in-memory-erp.ts'
import { type ConformanceOptions, conformance, conformanceChecks } from './conformance.ts'
import { type Erp, erpFrom, withoutOrders } from './erp.ts'

const right = inMemoryErp()
const options: ConformanceOptions = {
  customer_code: right.customer_code,
  credentials: right.credentials,
  patience_ms: 0,
  now: () => Date.parse('2026-11-21T12:00:00Z'),
}
const skippedWhenStill = [
  'stock.seq.absent',
  'stock.changed.none',
  'stock.changed.complete',
  'products.changed.none',
  'products.changed.complete',
  'sign_in.unsupported',
  'ledger.none',
]
const ordering = right.ordering
const skippedWhenAble = ['orders.hold.none', 'orders.none', 'orders.lookup.none']
const orderIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('orders.'))
const httpIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('http.'))

async function outcomes(erp: Erp, outcome: 'failed' | 'skipped', more: ConformanceOptions = {}) {
  const report = await conformance(erp, { ...options, ...more })
  return report.results.filter((result) => result.outcome === outcome)
}

/** What each check is there to find: a fault of each kind, made by hand. */
const mutants = { ...brokenAccess, ...brokenLedger, ...brokenStock, ...brokenProducts }

describe('conformance', () => {
  it('passes a right ERP and says what it did not look at', async () => {
    const report = await conformance(right.erp, options)
    expect(report.results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const skipped = report.results.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ id }) => id)).toEqual([...skippedWhenStill, ...orderIds, ...httpIds])
    expect(skipped.every(({ message }) => message?.endsWith('.'))).toBe(true)
    expect(report.passed + report.skipped).toBe(report.results.length)
  })

  it('passes a right ERP that is at work, and looks at its hints', async () => {
    expect(await outcomes(right.atWork, 'failed')).toEqual([])
    const ids = (await outcomes(right.atWork, 'skipped')).map(({ id }) => id)
    expect(ids).not.toContain('stock.changed.complete')
    expect(ids).not.toContain('products.changed.complete')
  })

  it('passes a right ERP that takes orders, still or at work, and leaves nothing held', async () => {
    const { erp, atWork, ordering } = inMemoryErp()
    const { warehouse_code, sku } = ordering
    const available = async () => {
      const answer = await erp['stock.read']({ warehouse_code, skus: [sku] })
      return 'ok' in answer ? answer.ok.rows[0]?.quantity_available : undefined
    }
    const before = await available()
    expect(await outcomes(erp, 'failed', { ordering })).toEqual([])
    expect(await available()).toBe(before)
    expect(await outcomes(atWork, 'failed', { ordering })).toEqual([])
    const skipped = (await outcomes(erp, 'skipped', { ordering })).map(({ id }) => id)
    expect(skipped).toEqual([...skippedWhenStill, ...skippedWhenAble, ...httpIds])
  })

  it('leaves out what an ERP says that it cannot do with orders', async () => {
    const poor = describedAs(right.erp, { holds: 'none', lookup: 'none', dedupes_by_reference: false })
    const ids = (await outcomes(poor, 'skipped', { ordering })).map(({ id }) => id)
    const lacking = orderIds.filter((id) => /hold\.(?!none)|submit\.(once|hold)|lookup\.(?!none)/.test(id))
    expect(ids.filter((id) => id.startsWith('orders.')).toSorted()).toEqual(
      [...lacking, 'orders.none'].toSorted(),
    )
    const none = { ...right.erp, ...withoutOrders }
    expect(await outcomes(none, 'failed', { ordering })).toEqual([])
  })

  it('finds a wrong read also where the ERP is at work and tells no changes', async () => {
    const silent = tellingNothing(inMemoryErp().atWork)
    expect(await outcomes(silent, 'failed')).toEqual([])
    const wrong = changed(silent, 'stock.read', (answer) => ({
      ...answer,
      rows: answer.rows.map((row) => ({ ...row, price_retail: row.price_retail * 100 })),
    }))
    const failures = await outcomes(wrong, 'failed')
    expect(failures.map(({ id }) => id)).toEqual(['stock.read.agrees'])
  })

  it('holds an ERP in process to the schemas too', async () => {
    const nameless = changed(right.erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((method) => ({ ...method, name: '' })),
    }))
    const [failure, ...others] = await outcomes(nameless, 'failed')
    expect(failure?.message).toMatch(/the answer of shipping_methods to fit its schema; came .+name/)
    expect(others.every(({ id }) => id.startsWith('shipping_methods.'))).toBe(true)
  })

  it('reports an ERP of which nothing works, and never throws', async () => {
    const erp = erpFrom(async (id) => {
      throw new TypeError(`${id} is out of order`)
    })
    const report = await conformance(erp, options)
    expect(report.passed).toBe(0)
    expect(report.failed + httpIds.length).toBe(report.results.length)
    const [first] = report.results
    expect(first?.message).toContain('came an exception: describe is out of order.')
  })

  it('does not wait for ever', async () => {
    vi.useFakeTimers()
    try {
      const erp = erpFrom(() => new Promise(() => {}))
      const call = conformanceChecks(options)[0]?.run(erp)
      const failed = expect(call).rejects.toThrow('came no answer (timeout)')
      await vi.advanceTimersByTimeAsync(60_000)
      await failed
    } finally {
      vi.useRealTimers()
    }
  })

  it('tells of each check before and after it runs', async () => {
    const told: string[] = []
    await conformance(right.erp, {
      ...options,
      onStart: ({ id }) => told.push(`start ${id}`),
      onResult: ({ id, outcome }) => told.push(`${outcome} ${id}`),
    })
    expect(told.slice(0, 2)).toEqual(['start describe.stable', 'passed describe.stable'])
    expect(told).toHaveLength(2 * conformanceChecks().length)
  })

  it('has a mutant for every check', () => {
    const ids = conformanceChecks().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const made = Object.keys({ ...mutants, ...brokenOrders })
    expect(made.toSorted()).toEqual(ids.filter((id) => !httpIds.includes(id)).toSorted())
  })

  it.each([
    ...Object.entries(mutants).map(([id, mutant]) => [id, mutant, {}] as const),
    ...Object.entries(brokenOrders).map(([id, mutant]) => [id, mutant, { ordering }] as const),
  ])('finds by %s, and by nothing else, what it is there for', async (id, mutant, more) => {
    const { erp, atWork } = inMemoryErp()
    const failures = await outcomes(mutant(erp, atWork), 'failed', more)
    expect(failures.map((failure) => failure.id)).toEqual([id])
    expect(failures[0]?.message).toMatch(/^Expected .+; came .+\. .+\.$/)
  })
})
