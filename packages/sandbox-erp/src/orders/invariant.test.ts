import type { ErpDocument, ErpResult, Output } from '@trade-gateway/connector'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  createDropshipFields,
  createHoldInput,
  createQuoteInput,
  createSubmitInput,
  openTestErp,
  type TestErp,
} from '../testing/test-erp.ts'

/** Little stock and few references, so that steps collide. */
const skus = ['SBX-LAST-1', 'SBX-SHORT-3', 'PLENTY']
const references = ['a', 'b', 'c', 'd']
const opening = 4
const runs = 120

const reference = fc.constantFrom(...references)
const lines = fc.uniqueArray(
  fc.record({ sku: fc.constantFrom(...skus), quantity: fc.integer({ min: 1, max: 3 }) }),
  {
    selector: ({ sku }) => sku,
    minLength: 1,
  },
)
const maybe = fc.option(reference, { freq: 2 })
const warehouses = fc.subarray(['AUSYD1', 'AUSYD2', 'CHNZJ1'], { minLength: 1 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      reference,
      lines,
      replaces: maybe,
      warehouses,
      isDropship: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      reference,
      lines,
      hold: maybe,
      warehouses,
      isDropship: fc.boolean(),
      allow_partial: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      reference,
      reason: fc.constantFrom('release' as const, 'expiry' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('void' as const), reference }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ship' as const), reference }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 1, 60, 130, 310, 900),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('sell' as const),
      sku: fc.constantFrom(...skus),
      on_hand: fc.integer({ min: 0, max: 9 }),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function toLines(list: readonly { sku: string; quantity: number }[]): Record<string, number> {
  return Object.fromEntries(list.map(({ sku, quantity }) => [sku, quantity]))
}

/** Performs a step and returns the stock figures of its result. */
async function performStep(erp: TestErp, step: Step): Promise<Output<'submit'>['figures']> {
  const readFigures = (answer: ErpResult<{ figures: Output<'submit'>['figures'] }>) =>
    'ok' in answer ? answer.ok.figures : []
  switch (step.do) {
    case 'hold': {
      const { reference, replaces, warehouses, isDropship } = step
      const more = { replaces, warehouse_codes: warehouses, ...(isDropship ? createDropshipFields() : {}) }
      return readFigures(await erp.erp.hold(createHoldInput(erp, reference, toLines(step.lines), more)))
    }
    case 'submit': {
      const { reference, hold, warehouses, isDropship, allow_partial } = step
      const more = {
        hold_reference: hold,
        warehouse_codes: warehouses,
        allow_partial,
        ...(isDropship ? createDropshipFields() : {}),
      }
      return readFigures(await erp.erp.submit(createSubmitInput(erp, reference, toLines(step.lines), more)))
    }
    case 'release':
      return readFigures(await erp.erp.release({ reference: step.reference, reason: step.reason }))
    case 'void':
      return readFigures(await erp.erp.void({ reference: step.reference }))
    case 'ship':
      tryStep(() => erp.steering.ship(step.reference))
      return []
    case 'pass':
      erp.advance(step.seconds * 1000)
      erp.applyDueChanges()
      return []
    case 'sell':
      tryStep(() => erp.steering.setStock({ warehouse_code: 'AUSYD1', sku: step.sku, on_hand: step.on_hand }))
      return []
  }
}

/** Tries a random step, which the ERP may refuse. */
function tryStep(work: () => unknown) {
  try {
    work()
  } catch (error) {
    expect(error).toMatchObject({ name: 'Error', kind: expect.stringMatching(/conflict|not found/) })
  }
}

/** Deletes all documents and restores the opening stock, which is faster than opening another database. */
function resetErp({ store }: TestErp) {
  store.run('delete from documents')
  store.run('update stock set held = 0, on_hand = ? where sku in (?, ?, ?)', opening, ...skus)
  store.run('update ledger_accounts set frozen = 0')
  store.run('update sessions set expires_at = ?', Number.MAX_SAFE_INTEGER)
}

interface Place {
  on_hand: number
  held: number
  seq: number
}

function readStock({ store }: TestErp): Map<string, Place> {
  const rows = store.all('select * from stock where sku in (?, ?, ?)', ...skus)
  return new Map(
    rows.map((row) => [
      `${row.warehouse_code} ${row.sku}`,
      { on_hand: Number(row.on_hand), held: Number(row.held), seq: Number(row.stock_seq) },
    ]),
  )
}

/** Counts the held and shipped units of each row of stock from the documents alone. */
function countHeldAndShipped(documents: readonly ErpDocument[]) {
  const sums = new Map<string, { held: number; shipped: number }>()
  for (const { status, lines } of documents) {
    for (const { sku, allocations } of lines) {
      for (const { warehouse_code, quantity } of allocations) {
        const key = `${warehouse_code} ${sku}`
        const sum = sums.get(key) ?? { held: 0, shipped: 0 }
        if (status === 'held' || status === 'open') sum.held += quantity
        if (status === 'shipped') sum.shipped += quantity
        sums.set(key, sum)
      }
    }
  }
  return sums
}

function listDocuments({ store }: TestErp): ErpDocument[] {
  return store.all('select body from documents').map(({ body }) => JSON.parse(String(body)))
}

describe.each([true, false])('an ERP that dedupes: %s', (dedupes_by_reference) => {
  let opened: TestErp | undefined
  afterAll(() => opened?.close())

  it('never holds more than there is, nor other than its documents say, and loses no unit', async () => {
    const erp = await openTestErp({
      capabilities: { dedupes_by_reference },
      handoverMs: 120_000,
      shippingMs: 300_000,
    })
    opened = erp
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      async (steps) => {
        resetErp(erp)
        const set = new Map([...readStock(erp)].map(([key, { on_hand }]) => [key, on_hand]))
        let before = readStock(erp)
        for (const step of steps) {
          const figures = await performStep(erp, step)
          const after = readStock(erp)
          if (step.do === 'sell') {
            const key = `AUSYD1 ${step.sku}`
            const change = (after.get(key)?.on_hand ?? 0) - (before.get(key)?.on_hand ?? 0)
            set.set(key, (set.get(key) ?? 0) + change)
          }
          const owed = countHeldAndShipped(listDocuments(erp))
          for (const [key, { on_hand, held, seq }] of after) {
            expect([key, on_hand >= held, held >= 0]).toEqual([key, true, true])
            const { held: owes = 0, shipped = 0 } = owed.get(key) ?? {}
            expect([key, held, on_hand + shipped]).toEqual([key, owes, set.get(key)])
            const old = before.get(key)
            const isSame = old?.on_hand === on_hand && old.held === held
            if (!isSame) expect(seq).toBeGreaterThan(old?.seq ?? 0)
          }
          for (const { warehouse_code, rows } of figures) {
            for (const row of rows) {
              const now = after.get(`${warehouse_code} ${row.sku}`)
              expect([row.quantity_on_hand, row.quantity_available, row.stock_seq]).toEqual([
                now?.on_hand,
                Number(now?.on_hand) - Number(now?.held),
                now?.seq,
              ])
            }
          }
          before = after
        }
        const numbers = listDocuments(erp).map(({ number }) => number)
        expect(new Set(numbers).size).toBe(numbers.length)
        if (dedupes_by_reference) expect(numbers.length).toBeLessThanOrEqual(references.length)
      },
    )
    await fc.assert(property, { numRuns: runs })
  })
})

describe('a quote', () => {
  it('is what an order then is: allocated alike, of one currency, at the same cost, or refused', async () => {
    const erp = await openTestErp()
    const currencies = new Map([
      ['AUSYD1', 'AUD'],
      ['AUSYD2', 'AUD'],
      ['CHNZJ1', 'CNY'],
    ])
    const order = fc.record({ lines, warehouses, isDropship: fc.boolean(), allow_partial: fc.boolean() })
    const levels = fc.array(fc.integer({ min: 0, max: opening }), { minLength: 9, maxLength: 9 })
    const property = fc.asyncProperty(order, levels, async (order, levels) => {
      resetErp(erp)
      for (const [index, key] of [...readStock(erp).keys()].entries()) {
        const [warehouse_code = '', sku = ''] = key.split(' ')
        erp.steering.setStock({ warehouse_code, sku, on_hand: levels[index] ?? 0 })
      }
      const { allow_partial, warehouses } = order
      const more = {
        warehouse_codes: warehouses,
        allow_partial,
        ...(order.isDropship ? createDropshipFields() : {}),
      }
      const asked = await erp.erp.quote(createQuoteInput(erp, toLines(order.lines), more))
      // A wholesale order with a Sydney shipping method finds no warehouse if only Zhejiang is allowed.
      if (!('ok' in asked)) {
        expect([asked.rejected.reason, ...warehouses]).toEqual(['invalid_field', 'CHNZJ1'])
        return
      }
      const { quote } = asked.ok
      const total = { expected_total: quote.costs.total, max_total: quote.costs.total }
      const answer = await erp.erp.submit(
        createSubmitInput(erp, 'a', toLines(order.lines), { ...more, ...total }),
      )
      const hasSome = quote.lines.some(({ quantity_allocated }) => quantity_allocated > 0)
      expect('ok' in answer).toBe(quote.fulfillable || (allow_partial && hasSome))
      if (!('ok' in answer)) {
        expect(answer.rejected.reason).toBe('insufficient_stock')
        return
      }
      const { document } = answer.ok
      expect(document.costs).toEqual(quote.costs)
      expect(document.lines.map((line) => [line.allocations, line.line_total])).toEqual(
        quote.lines.map((line) => [line.allocations, line.line_total]),
      )
      for (const { allocations } of document.lines) {
        for (const { warehouse_code } of allocations) {
          expect(warehouses).toContain(warehouse_code)
          expect(currencies.get(warehouse_code)).toBe(document.currency)
        }
      }
      const { goods, freight, handling, tax, discount } = quote.costs
      expect(quote.costs.total).toBe(goods + freight + handling + tax - discount)
    })
    await fc.assert(property, { numRuns: runs })
    erp.close()
  })
})
