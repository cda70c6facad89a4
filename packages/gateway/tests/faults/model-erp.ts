import { type Erp, ok, type StockFigure } from '@trade-gateway/connector'
import type { Gate } from './gate.ts'

export const realWarehouses = ['W1', 'W2'] as const
export type RealWarehouse = (typeof realWarehouses)[number]
/** Views and the warehouses that each sums. One warehouse is in both views. */
export const views: Readonly<Record<string, readonly RealWarehouse[]>> = { V12: ['W1', 'W2'], V2: ['W2'] }
const snapshotPage = 4
const hintsPage = 3

interface Stocked {
  sku: string
  quantity: number
  price: number
  withdrawn: boolean
  seq: number
}

/**
 * A minimal ERP with two warehouses, a handful of SKUs and small pages. It holds back each stock response
 * until the trial releases it. It numbers its stock changes (`stock_seq`) only if `hasSeq` is set.
 */
export class ModelErp {
  readonly erp: Erp
  readonly #gate: Gate
  readonly #hasSeq: boolean
  readonly #rows = new Map<string, Map<string, Stocked>>()
  readonly #seq = new Map<string, number>()
  #opening = 1
  #backup: { rows: Map<string, Map<string, Stocked>>; seq: Map<string, number> } = {
    rows: new Map(),
    seq: new Map(),
  }

  constructor(base: Erp, gate: Gate, { hasSeq, skus }: { hasSeq: boolean; skus: number }) {
    this.#gate = gate
    this.#hasSeq = hasSeq
    for (const code of realWarehouses) {
      this.#seq.set(code, 1)
      const rows = Array.from({ length: skus }, (_, index) => createStock(toSku(index * 10), index, 1))
      this.#rows.set(code, new Map(rows.map((row) => [row.sku, row])))
    }
    this.erp = {
      ...base,
      warehouses: async () => ok({ warehouses: realWarehouses.map(describeWarehouse) }),
      'stock.snapshot': (input) =>
        this.#answerAtGate(() => this.#readSnapshot(input.warehouse_code, input.after)),
      'stock.read': (input) => this.#answerAtGate(() => this.#read(input.warehouse_code, input.skus)),
      'stock.changed': (input) =>
        this.#answerAtGate(() => this.#readChanges(input.warehouse_code, input.cursor)),
    }
  }

  /** Changes one row and gives it the warehouse's next change number. A SKU that is not there is added. */
  change(warehouse: RealWarehouse, sku: string, how: (row: Stocked) => void): void {
    const rows = this.#findRows(warehouse)
    const seq = (this.#seq.get(warehouse) ?? 0) + 1
    const row = rows.get(sku) ?? createStock(sku, 0, seq)
    how(row)
    row.seq = seq
    rows.set(sku, row)
    this.#seq.set(warehouse, seq)
  }

  /** Lists all SKUs of a warehouse in sorted order, including withdrawn ones. */
  listSkus(warehouse: RealWarehouse): string[] {
    return [...this.#findRows(warehouse).keys()].sort()
  }

  /** Restarts the ERP. Afterwards it recognises no earlier cursor. */
  restart(): void {
    this.#opening += 1
  }

  keepBackup(): void {
    this.#backup = structuredClone({ rows: this.#rows, seq: this.#seq })
  }

  /** Restores the ERP from its backup, including its counters. */
  restore(): void {
    const { rows, seq } = structuredClone(this.#backup)
    for (const [code, kept] of rows) this.#rows.set(code, kept)
    for (const [code, counter] of seq) this.#seq.set(code, counter)
    this.restart()
  }

  /** Returns the expected final state: quantity and price of each SKU, with quantities summed for views. */
  computeExpected(code: string): Map<string, { quantity: number; price: number }> {
    const result = new Map<string, { quantity: number; price: number }>()
    for (const member of views[code] ?? realWarehouses.filter((real) => real === code)) {
      for (const { sku, quantity, price, withdrawn } of this.#findRows(member).values()) {
        if (withdrawn) continue
        const before = result.get(sku)
        result.set(sku, { quantity: (before?.quantity ?? 0) + quantity, price: before?.price ?? price })
      }
    }
    return result
  }

  async #answerAtGate<T>(answer: () => T) {
    const value = answer()
    await this.#gate.wait()
    return ok(value)
  }

  #readSnapshot(warehouse: string, after: string | null) {
    const rest = this.#listLive(warehouse).filter((row) => after === null || row.sku > after)
    const rows = rest.slice(0, snapshotPage).map((row) => this.#toFigure(row))
    const next = rest.length > snapshotPage ? (rows.at(-1)?.sku ?? null) : null
    return { rows, next, stock_seq: this.#readCounter(warehouse) }
  }

  #read(warehouse: string, skus: readonly string[]) {
    const rows = this.#listLive(warehouse).filter(({ sku }) => skus.includes(sku))
    return { rows: rows.map((row) => this.#toFigure(row)), stock_seq: this.#readCounter(warehouse) }
  }

  #readChanges(warehouse: string, cursor: string | null) {
    const latest = this.#seq.get(warehouse) ?? 0
    const answer = { cursor: `${this.#opening}.${latest}`, everything: false, skus: [], more: false }
    if (cursor === null) return answer
    const [opening, since] = cursor.split('.').map(Number)
    if (opening !== this.#opening || since === undefined) return { ...answer, everything: true }
    const changed = [...this.#findRows(warehouse).values()]
      .filter(({ seq }) => seq > since)
      .sort((a, b) => a.seq - b.seq)
    const page = changed.slice(0, hintsPage)
    const more = changed.length > hintsPage
    const reached = more ? page.at(-1)?.seq : latest
    return { ...answer, cursor: `${opening}.${reached}`, skus: page.map(({ sku }) => sku), more }
  }

  #listLive(warehouse: string): Stocked[] {
    return [...this.#findRows(warehouse).values()]
      .filter(({ withdrawn }) => !withdrawn)
      .sort((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  #findRows(warehouse: string): Map<string, Stocked> {
    return this.#rows.get(warehouse) ?? new Map()
  }

  #readCounter(warehouse: string): number | null {
    return this.#hasSeq ? (this.#seq.get(warehouse) ?? 0) : null
  }

  #toFigure({ sku, quantity, price, seq }: Stocked): StockFigure {
    return {
      sku,
      product_code: sku.slice(0, 2),
      quantity_on_hand: quantity,
      quantity_available: quantity,
      price_wholesale: price,
      price_retail: price * 2,
      currency: 'AUD',
      incoming: [],
      stock_seq: this.#hasSeq ? seq : null,
    }
  }
}

/** Makes a SKU's name from a number, so that a new SKU can be inserted anywhere in the sorted list. */
export function toSku(place: number): string {
  return `S${String(place).padStart(3, '0')}`
}

function createStock(sku: string, quantity: number, seq: number): Stocked {
  return { sku, quantity, price: 1000, withdrawn: false, seq }
}

function describeWarehouse(code: string) {
  return {
    warehouse_code: code,
    name: code,
    country_code: 'AU',
    timezone: 'Australia/Sydney',
    currency: 'AUD',
    status: 'active' as const,
  }
}
