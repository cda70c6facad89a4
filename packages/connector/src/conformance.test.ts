import { describe, expect, it, vi } from 'vitest'
import { type ConformanceOptions, conformance, conformanceChecks } from './conformance.ts'
import { createErp, type Erp, withoutOrders } from './erp.ts'
import { changeCapabilities, changeOutput, removeHints, replaceOperation } from './testing/broken.ts'
import { brokenAccess } from './testing/broken-access.ts'
import { furtherFaults, other_customer_code } from './testing/broken-further.ts'
import { brokenJourneys, oversell, shipWatchedOrder } from './testing/broken-journeys.ts'
import { brokenLedger } from './testing/broken-ledger.ts'
import { brokenOrders as brokenDocuments } from './testing/broken-orders.ts'
import { brokenProducts } from './testing/broken-products.ts'
import { brokenStock } from './testing/broken-stock.ts'
import { createInMemoryErp } from './testing/in-memory-erp.ts'

const right = createInMemoryErp()
const options: ConformanceOptions = {
  customer_code: right.customer_code,
  credentials: right.credentials,
  patience_ms: 0,
  // It is the next day already in the warehouse that the orders are placed in.
  now: () => Date.parse('2026-11-21T14:00:00Z'),
}
const skippedWhenStill = [
  'stock.seq.absent',
  'stock.changed.repeatable',
  'stock.changed.none',
  'stock.changed.complete',
  'stock.changed.followed',
  'products.changed.repeatable',
  'products.changed.none',
  'products.changed.complete',
  'products.changed.followed',
  'sign_in.unsupported',
  'ledger.none',
  'ledger.back_dated',
]
const ordering = right.ordering
const skippedWhenAble = [
  'orders.hold.none',
  'orders.none',
  'orders.lookup.none',
  'orders.settle.none',
  'orders.shipped',
]
const orderIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('orders.'))
const httpIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('http.'))

async function listOutcomes(erp: Erp, outcome: 'failed' | 'skipped', more: ConformanceOptions = {}) {
  const report = await conformance(erp, { ...options, ...more })
  return report.results.filter((result) => result.outcome === outcome)
}

/** Hides the newest transaction of an ERP until the given call of its ledger. */
async function commitLate(erp: Erp, call: number): Promise<Erp> {
  const account = { customer_code: right.customer_code, currency: null }
  const span = { from: '2000-01-01T00:00:00.000Z', to: null, after: null, skip: 0, limit: 1 }
  const answer = await erp.transactions({ ...account, ...span })
  const newest = 'ok' in answer ? answer.ok.transactions[0] : undefined
  if (!newest) throw new Error('The ledger has no transaction.')
  let calls = 0
  const isHidden = () => ++calls < call
  const balances = changeOutput(erp, 'balances', (output) => ({
    ...output,
    balances: isHidden() ? output.balances.map((row) => withoutBooking(row, newest)) : output.balances,
  }))
  return replaceOperation(balances, 'transactions', (input, run) => {
    const isLate = input.to === null || input.to > newest.occurred_at
    return run(isHidden() && isLate ? { ...input, to: newest.occurred_at } : input)
  })
}

function withoutBooking<Row extends { currency: string; balance: number; available: number }>(
  row: Row,
  { currency, amount }: { currency: string; amount: number },
): Row {
  if (row.currency !== currency) return row
  return { ...row, balance: row.balance - amount, available: row.available - amount }
}

const brokenOrders = { ...brokenDocuments, ...brokenJourneys }

/** Functions that create a faulty ERP, one for each check that must detect it. */
const mutants = { ...brokenAccess, ...brokenLedger, ...brokenStock, ...brokenProducts }

describe('conformance', () => {
  it('passes a correct ERP and reports what it skipped', async () => {
    const report = await conformance(right.erp, options)
    expect(report.results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const skipped = report.results.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ id }) => id)).toEqual([...skippedWhenStill, ...orderIds, ...httpIds])
    expect(skipped.every(({ message }) => message?.endsWith('.'))).toBe(true)
    expect(report.passed + report.skipped).toBe(report.results.length)
  })

  it('passes a correct ERP whose data changes, and checks its hints', async () => {
    expect(await listOutcomes(right.atWork, 'failed')).toEqual([])
    const ids = (await listOutcomes(right.atWork, 'skipped')).map(({ id }) => id)
    for (const id of skippedWhenStill.filter((each) => /repeatable|complete|followed|back_dated/.test(each)))
      expect(ids).not.toContain(id)
  })

  it('passes a correct ERP that supports orders, with or without changes, and leaves no active hold', async () => {
    const { erp, atWork, ordering } = createInMemoryErp()
    const { warehouse_code, sku } = ordering
    const readAvailable = async () => {
      const answer = await erp['stock.read']({ warehouse_code, skus: [sku] })
      return 'ok' in answer ? answer.ok.rows[0]?.quantity_available : undefined
    }
    const before = await readAvailable()
    expect(await listOutcomes(erp, 'failed', { ordering })).toEqual([])
    expect(await readAvailable()).toBe(before)
    expect(await listOutcomes(atWork, 'failed', { ordering })).toEqual([])
    const skipped = (await listOutcomes(erp, 'skipped', { ordering })).map(({ id }) => id)
    expect(skipped).toEqual([...skippedWhenStill, ...skippedWhenAble, ...httpIds])
  })

  it('skips order checks for capabilities that the ERP does not declare', async () => {
    const poor = changeCapabilities(right.erp, { holds: 'none', lookup: 'none', dedupes_by_reference: false })
    const ids = (await listOutcomes(poor, 'skipped', { ordering })).map(({ id }) => id)
    const lacking = orderIds.filter((id) =>
      /hold\.(?!none)|hold_over|submit\.(once|hold)|once|lookup\.(?!none)/.test(id),
    )
    expect(ids.filter((id) => id.startsWith('orders.')).toSorted()).toEqual(
      [...lacking, 'orders.none', 'orders.settle.none', 'orders.settle.told', 'orders.shipped'].toSorted(),
    )
    const none = { ...right.erp, ...withoutOrders }
    expect(await listOutcomes(none, 'failed', { ordering })).toEqual([])
  })

  it('passes a correct ERP in which the watched order is shipped', async () => {
    const { erp, ordering } = createInMemoryErp()
    const report = await conformance(shipWatchedOrder(erp), { ...options, ordering })
    expect(report.results.find(({ id }) => id === 'orders.shipped')?.outcome).toBe('passed')
    expect(report.failed).toBe(0)
  })

  it.each(Array.from({ length: 30 }, (_, call) => call + 1))(
    'passes a correct ERP in which a booking of an earlier instant becomes visible at call %i of its ledger',
    async (call) => {
      const erp = await commitLate(createInMemoryErp().erp, call)
      const checks = conformanceChecks(options).filter(({ id }) => /^ledger\.(?!back_dated)/.test(id))
      for (const check of checks) await check.run(erp)
    },
  )

  it('detects an ERP that sells more than there is to parallel orders', async () => {
    const { erp, ordering } = createInMemoryErp()
    const failures = await listOutcomes(oversell(erp), 'failed', { ordering })
    expect(failures.map(({ id }) => id)).toEqual(['orders.parallel'])
    expect(failures[0]?.message).toContain('allocated, and')
  })

  it('detects a wrong read in an ERP whose data changes and that gives no hints', async () => {
    const silent = removeHints(createInMemoryErp().atWork)
    expect(await listOutcomes(silent, 'failed')).toEqual([])
    const wrong = changeOutput(silent, 'stock.read', (answer) => ({
      ...answer,
      rows: answer.rows.map((row) => ({ ...row, price_retail: row.price_retail * 100 })),
    }))
    const failures = await listOutcomes(wrong, 'failed')
    expect(failures.map(({ id }) => id)).toEqual(['stock.read.agrees'])
  })

  it('checks the schemas for an ERP in process too', async () => {
    const nameless = changeOutput(right.erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((method) => ({ ...method, name: '' })),
    }))
    const [failure, ...others] = await listOutcomes(nameless, 'failed')
    expect(failure?.message).toMatch(/the result of shipping_methods to match its schema; got .+name/)
    expect(others.every(({ id }) => id.startsWith('shipping_methods.'))).toBe(true)
  })

  it('reports an ERP whose every call fails, and does not throw', async () => {
    const erp = createErp(async (id) => {
      throw new TypeError(`${id} is out of order`)
    })
    const report = await conformance(erp, options)
    expect(report.passed).toBe(0)
    expect(report.failed + httpIds.length).toBe(report.results.length)
    const [first] = report.results
    expect(first?.message).toContain('got an exception: describe is out of order.')
  })

  it('stops waiting for a call after its timeout', async () => {
    vi.useFakeTimers()
    try {
      const erp = createErp(() => new Promise(() => {}))
      const call = conformanceChecks(options)[0]?.run(erp)
      const failed = expect(call).rejects.toThrow('got no result (timeout)')
      await vi.advanceTimersByTimeAsync(60_000)
      await failed
    } finally {
      vi.useRealTimers()
    }
  })

  it('reports each check before and after it runs', async () => {
    const calls: string[] = []
    await conformance(right.erp, {
      ...options,
      onStart: ({ id }) => calls.push(`start ${id}`),
      onResult: ({ id, outcome }) => calls.push(`${outcome} ${id}`),
    })
    expect(calls.slice(0, 2)).toEqual(['start describe.stable', 'passed describe.stable'])
    expect(calls).toHaveLength(2 * conformanceChecks().length)
  })

  it('tells how long each check took', async () => {
    const slow: Erp = {
      ...right.erp,
      describe: async (input, callOptions) => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        return right.erp.describe(input, callOptions)
      },
    }
    const { results } = await conformance(slow, options)
    expect(results.find(({ id }) => id === 'describe.stable')?.took_ms).toBeGreaterThanOrEqual(29)
  })

  it('has a mutant for every check', () => {
    const ids = conformanceChecks().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const made = Object.keys({ ...mutants, ...brokenOrders })
    expect(made.toSorted()).toEqual(ids.filter((id) => !httpIds.includes(id)).toSorted())
  })

  it.each(furtherFaults)('detects $fault with $id and with no other check', async ({ id, mutant }) => {
    const { erp, atWork } = createInMemoryErp()
    const failures = await listOutcomes(mutant(erp, atWork), 'failed', { ordering, other_customer_code })
    expect(failures.map((failure) => failure.id)).toEqual([id])
  })

  it.each([
    ...Object.entries(mutants).map(([id, mutant]) => [id, mutant, {}] as const),
    ...Object.entries(brokenOrders).map(([id, mutant]) => [id, mutant, { ordering }] as const),
  ])('detects its fault with %s and with no other check', async (id, mutant, more) => {
    const { erp, atWork } = createInMemoryErp()
    const failures = await listOutcomes(mutant(erp, atWork), 'failed', more)
    expect(failures.map((failure) => failure.id)).toEqual([id])
    expect(failures[0]?.message).toMatch(/^Expected .+; got .+\. .+\.$/)
  })
})
