import { type Erp, ok, type StockFigure } from '@trade-gateway/connector'
import type { Gate } from './gate.ts'

/**
 * An ERP small enough to be read at a glance: two warehouses, a handful of SKUs, tiny pages, and a wait after every
 * answer. With its own counter (`stock_seq`) or, like some, without.
 */
export const realWarehouses = ['W1', 'W2'] as const
export type RealWarehouse = (typeof realWarehouses)[number]
/** Views and their members; one warehouse is in two. */
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
      const rows = Array.from({ length: skus }, (_, index) => stocked(skuAt(index * 10), index, 1))
      this.#rows.set(code, new Map(rows.map((row) => [row.sku, row])))
    }
    this.erp = {
      ...base,
      warehouses: async () => ok({ warehouses: realWarehouses.map(described) }),
      'stock.snapshot': (input) => this.#answered(() => this.#snapshot(input.warehouse_code, input.after)),
      'stock.read': (input) => this.#answered(() => this.#read(input.warehouse_code, input.skus)),
      'stock.changed': (input) => this.#answered(() => this.#changed(input.warehouse_code, input.cursor)),
    }
  }

  /** Changes one row under the warehouse's next number; a SKU that is new comes in. */
  change(warehouse: RealWarehouse, sku: string, how: (row: Stocked) => void): void {
    const rows = this.#rowsOf(warehouse)
    const seq = (this.#seq.get(warehouse) ?? 0) + 1
    const row = rows.get(sku) ?? stocked(sku, 0, seq)
    how(row)
    row.seq = seq
    rows.set(sku, row)
    this.#seq.set(warehouse, seq)
  }

  /** All SKUs of a warehouse, in order, those that are withdrawn too. */
  skus(warehouse: RealWarehouse): string[] {
    return [...this.#rowsOf(warehouse).keys()].sort()
  }

  /** The ERP starts anew: nobody's cursor is known any more. */
  restart(): void {
    this.#opening += 1
  }

  keepBackup(): void {
    this.#backup = structuredClone({ rows: this.#rows, seq: this.#seq })
  }

  /** The ERP comes back as it was when the backup was made; its counters run back with it. */
  restore(): void {
    const { rows, seq } = structuredClone(this.#backup)
    for (const [code, kept] of rows) this.#rows.set(code, kept)
    for (const [code, counter] of seq) this.#seq.set(code, counter)
    this.restart()
  }

  /** What a client should have in the end: quantity and price per SKU, views summed. */
  truth(code: string): Map<string, { quantity: number; price: number }> {
    const result = new Map<string, { quantity: number; price: number }>()
    for (const member of views[code] ?? realWarehouses.filter((real) => real === code)) {
      for (const { sku, quantity, price, withdrawn } of this.#rowsOf(member).values()) {
        if (withdrawn) continue
        const before = result.get(sku)
        result.set(sku, { quantity: (before?.quantity ?? 0) + quantity, price: before?.price ?? price })
      }
    }
    return result
  }

  async #answered<T>(answer: () => T) {
    const value = answer()
    await this.#gate.wait()
    return ok(value)
  }

  #snapshot(warehouse: string, after: string | null) {
    const rest = this.#live(warehouse).filter((row) => after === null || row.sku > after)
    const rows = rest.slice(0, snapshotPage).map((row) => this.#figure(row))
    const next = rest.length > snapshotPage ? (rows.at(-1)?.sku ?? null) : null
    return { rows, next, stock_seq: this.#counter(warehouse) }
  }

  #read(warehouse: string, skus: readonly string[]) {
    const rows = this.#live(warehouse).filter(({ sku }) => skus.includes(sku))
    return { rows: rows.map((row) => this.#figure(row)), stock_seq: this.#counter(warehouse) }
  }

  #changed(warehouse: string, cursor: string | null) {
    const latest = this.#seq.get(warehouse) ?? 0
    const answer = { cursor: `${this.#opening}.${latest}`, everything: false, skus: [], more: false }
    if (cursor === null) return answer
    const [opening, since] = cursor.split('.').map(Number)
    if (opening !== this.#opening || since === undefined) return { ...answer, everything: true }
    const changed = [...this.#rowsOf(warehouse).values()]
      .filter(({ seq }) => seq > since)
      .sort((a, b) => a.seq - b.seq)
    const page = changed.slice(0, hintsPage)
    const more = changed.length > hintsPage
    const reached = more ? page.at(-1)?.seq : latest
    return { ...answer, cursor: `${opening}.${reached}`, skus: page.map(({ sku }) => sku), more }
  }

  #live(warehouse: string): Stocked[] {
    return [...this.#rowsOf(warehouse).values()]
      .filter(({ withdrawn }) => !withdrawn)
      .sort((a, b) => (a.sku < b.sku ? -1 : 1))
  }

  #rowsOf(warehouse: string): Map<string, Stocked> {
    return this.#rows.get(warehouse) ?? new Map()
  }

  #counter(warehouse: string): number | null {
    return this.#hasSeq ? (this.#seq.get(warehouse) ?? 0) : null
  }

  #figure({ sku, quantity, price, seq }: Stocked): StockFigure {
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

/** SKUs by number, so that a new one can come in anywhere in the order. */
export function skuAt(place: number): string {
  return `S${String(place).padStart(3, '0')}`
}

function stocked(sku: string, quantity: number, seq: number): Stocked {
  return { sku, quantity, price: 1000, withdrawn: false, seq }
}

function described(code: string) {
  return {
    warehouse_code: code,
    name: code,
    country_code: 'AU',
    timezone: 'Australia/Sydney',
    currency: 'AUD',
    status: 'active' as const,
  }
}
