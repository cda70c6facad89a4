/** What the replay tells the ERP, and reads from it, past the gateway. */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { answerTo, jsonOf } from '../client.ts'

const documentsPerPage = 1_000
const rowsPerPage = 1_000
const mostPages = 10_000

const document = z.object({
  id: z.int(),
  copy: z.int(),
  reference: z.string(),
  kind: z.enum(['hold', 'order']),
  status: z.string(),
  status_raw: z.string(),
  client_order_number: z.string().nullable(),
  lines: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      quantity_allocated: z.int(),
      quantity_shipped: z.int(),
      allocations: z.array(z.object({ warehouse_code: z.string(), quantity: z.int() })),
    }),
  ),
  costs: z.object({ total: z.int() }).nullable(),
})
const documentPage = z.object({ documents: z.array(document), next: z.int().nullable() })

const totals = z.object({
  warehouses: z.array(
    z.object({ warehouse_code: z.string(), rows: z.int(), on_hand: z.int(), held: z.int() }),
  ),
})

const snapshot = z.object({
  ok: z.object({
    rows: z.array(z.object({ sku: z.string(), quantity_on_hand: z.int(), quantity_available: z.int() })),
    next: z.string().nullable(),
  }),
})

const faultsShown = z.object({ shown: z.record(z.string(), z.int()) })

/** A document of the ERP; amounts in minor units. */
export type ErpRecord = z.infer<typeof document>
export type ErpTotals = z.infer<typeof totals>['warehouses'][number]

/** The figures of a SKU in a warehouse. */
export interface Figures {
  readonly on_hand: number
  readonly available: number
}

interface Door {
  readonly url: string
  readonly token: string
}

/** The ERP's controls. Every method throws `Unanswered`. */
export class ErpDesk {
  readonly #door: Door
  readonly #signal: AbortSignal

  constructor(door: Door, signal: AbortSignal) {
    this.#door = door
    this.#signal = signal
  }

  /** Replaces the plan of faults; `{}` ends it. */
  async setFaults(plan: object): Promise<void> {
    await this.#ask('POST', '/sandbox/faults', plan)
  }

  /** How many faults there were since the ERP started, by what they were. */
  async faultsShown(): Promise<Record<string, number>> {
    return faultsShown.parse(await this.#ask('GET', '/sandbox/faults')).shown
  }

  /** Sets the clock forward. What became due is done in turns: 0 seconds are one turn more. */
  async advance(advance_seconds: number): Promise<void> {
    await this.#ask('POST', '/sandbox/clock', { advance_seconds })
  }

  async totals(): Promise<ErpTotals[]> {
    return totals.parse(await this.#ask('GET', '/sandbox/stock-totals')).warehouses
  }

  /** Every document, copies of one reference too. */
  async documents(): Promise<ErpRecord[]> {
    const all: ErpRecord[] = []
    let after: number | null = 0
    for (let page = 0; page < mostPages && after !== null; page++) {
      const path = `/sandbox/documents?after=${after}&limit=${documentsPerPage}`
      const { documents, next }: z.infer<typeof documentPage> = documentPage.parse(
        await this.#ask('GET', path),
      )
      all.push(...documents)
      after = next
    }
    return all
  }

  /** The figures of each SKU of a warehouse. */
  async shelf(warehouse_code: string): Promise<Map<string, Figures>> {
    const shelf = new Map<string, Figures>()
    let after: string | null = null
    for (let page = 0; page < mostPages; page++) {
      const input = { warehouse_code, after, limit: rowsPerPage }
      const { ok }: z.infer<typeof snapshot> = snapshot.parse(
        await this.#ask('POST', '/stock.snapshot', input),
      )
      for (const { sku, quantity_on_hand: on_hand, quantity_available: available } of ok.rows)
        shelf.set(sku, { on_hand, available })
      after = ok.next
      if (after === null) break
    }
    return shelf
  }

  /** Ships everything: sets the clock forward and lets turns pass until nothing is held. Answers what is held still. */
  async shipAll(seconds: number, mostTurns: number): Promise<number> {
    await this.advance(seconds)
    for (let turn = 0; ; turn++) {
      const held = (await this.totals()).reduce((sum, { held }) => sum + held, 0)
      if (held === 0 || turn >= mostTurns) return held
      await this.advance(0)
      await wait(0, undefined, { signal: this.#signal })
    }
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { url, token } = this.#door
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return jsonOf(await answerTo(`${url}${path}`, init, this.#signal))
  }
}
