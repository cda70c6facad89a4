/** Controls the sandbox ERP and reads its records directly, without the gateway. */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { fetchResponse, readJson } from '../client.ts'
import type { ErpRecord, Figures } from './replay-erp.ts'

const documentsPerPage = 1_000
const rowsPerPage = 1_000
const maxPages = 10_000
/** Turns in which nothing is shipped, because only orders that were shipped are delivered, or because some ship late. */
const maxIdleTurns = 1_000

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

const totalsResponse = z.object({
  warehouses: z.array(
    z.object({ warehouse_code: z.string(), rows: z.int(), on_hand: z.int(), held: z.int() }),
  ),
})

const snapshotResponse = z.object({
  ok: z.object({
    rows: z.array(z.object({ sku: z.string(), quantity_on_hand: z.int(), quantity_available: z.int() })),
    next: z.string().nullable(),
  }),
})

const faultCountsResponse = z.object({ shown: z.record(z.string(), z.int()) })

export type ErpTotals = z.infer<typeof totalsResponse>['warehouses'][number]

interface Connection {
  readonly url: string
  readonly token: string
}

/** A client of the sandbox ERP's controls. Every method may throw `NoUsableResponse`. */
export class ErpControls {
  readonly #connection: Connection
  readonly #signal: AbortSignal

  constructor(connection: Connection, signal: AbortSignal) {
    this.#connection = connection
    this.#signal = signal
  }

  /** Replaces the fault plan; `{}` disables it. */
  async setFaults(plan: object): Promise<void> {
    await this.#request('POST', '/sandbox/faults', plan)
  }

  /** Returns the number of injected faults since the ERP's start, by code. */
  async countFaults(): Promise<Record<string, number>> {
    return faultCountsResponse.parse(await this.#request('GET', '/sandbox/faults')).shown
  }

  /** Sets the clock forward. The ERP applies due changes up to a limit; with 0 seconds it applies some more. */
  async advanceClock(advance_seconds: number): Promise<void> {
    await this.#request('POST', '/sandbox/clock', { advance_seconds })
  }

  /** Applies stock movements, a CSV with the columns `warehouse_code`, `sku` and `quantity`. */
  async applyMovements(csv: string): Promise<void> {
    const { url, token } = this.#connection
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
    const init = { method: 'POST', headers, body: csv }
    await readJson(await fetchResponse(`${url}/sandbox/movements`, init, this.#signal))
  }

  async readTotals(): Promise<ErpTotals[]> {
    return totalsResponse.parse(await this.#request('GET', '/sandbox/stock-totals')).warehouses
  }

  /** Reads all documents, including duplicates of a reference. */
  async readDocuments(): Promise<ErpRecord[]> {
    const all: ErpRecord[] = []
    let after: number | null = 0
    for (let page = 0; page < maxPages && after !== null; page++) {
      const path = `/sandbox/documents?after=${after}&limit=${documentsPerPage}`
      const { documents, next }: z.infer<typeof documentPage> = documentPage.parse(
        await this.#request('GET', path),
      )
      all.push(...documents)
      after = next
    }
    return all
  }

  /** Reads the figures of each SKU of a warehouse. */
  async readSnapshot(warehouse_code: string): Promise<Map<string, Figures>> {
    const figures = new Map<string, Figures>()
    let after: string | null = null
    for (let page = 0; page < maxPages; page++) {
      const input = { warehouse_code, after, limit: rowsPerPage }
      const { ok }: z.infer<typeof snapshotResponse> = snapshotResponse.parse(
        await this.#request('POST', '/stock.snapshot', input),
      )
      for (const { sku, quantity_on_hand: on_hand, quantity_available: available } of ok.rows)
        figures.set(sku, { on_hand, available })
      after = ok.next
      if (after === null) break
    }
    return figures
  }

  /**
   * Ships everything: sets the clock forward and applies due changes until nothing is held, or until it has not become
   * less for `maxIdleTurns`. Returns the quantity that is still held.
   */
  async shipAll(seconds: number): Promise<number> {
    await this.advanceClock(seconds)
    let least = Number.POSITIVE_INFINITY
    for (let idleTurns = 0; ; idleTurns++) {
      const held = (await this.readTotals()).reduce((sum, { held }) => sum + held, 0)
      if (held < least) idleTurns = 0
      least = Math.min(least, held)
      if (held === 0 || idleTurns >= maxIdleTurns) return held
      await this.advanceClock(0)
      await wait(0, undefined, { signal: this.#signal })
    }
  }

  async #request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { url, token } = this.#connection
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return readJson(await fetchResponse(`${url}${path}`, init, this.#signal))
  }
}
