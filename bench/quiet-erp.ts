import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { type AnyCall, createErp, erpServer, maxPerCall, ok, rejected } from '@trade-gateway/connector'
import { findFreePort } from '../packages/trials/src/free-ports.ts'
import { createFigure, warehouse } from './goods.ts'

/**
 * A simulated ERP whose stock changes only on demand. It runs in this process, on the same core as the load
 * generator, and measures how much time it uses itself during a refresh.
 */
export interface QuietErp {
  readonly url: string
  readonly token: string
  /** Changes the stock of the SKUs. The gateway's next `stock.changed` call returns them. */
  change(skus: readonly string[]): StockChange
  close(): Promise<void>
}

/** One batch of changes. */
export interface StockChange {
  /** The number of the batch, from which `createFigure` derives its figures. */
  readonly change: number
  /** Resolves with the time at which the gateway receives the first changed SKUs of the batch. */
  readonly deliveredAt: Promise<number>
  /** Returns the time that this ERP has spent on requests since `deliveredAt`, JSON included, in milliseconds. */
  readBusyMs(): number
}

const token = 'a-token-for-benchmarks-only'

/** Starts the ERP's server. `more` handles calls first; if it returns undefined, the simulated ERP handles the call. */
export async function startQuietErp(more?: AnyCall): Promise<QuietErp> {
  const hints = new HintLog()
  const own = createCallHandler(hints)
  const serve = erpServer(
    createErp(async (id, input) => (await more?.(id, input)) ?? own(id, input)),
    { token },
  )
  const server = createServer((request, response) => {
    const began = performance.now()
    response.once('finish', () => hints.addBusyMs(performance.now() - began))
    serve(request, response)
  })
  const port = await findFreePort()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    change: (skus) => hints.change(skus),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The number of batches in the whole run, over all ERPs, so that the same goods get new figures with each batch. */
let changes = 0

/**
 * The log of changed SKUs ("hints"), which `stock.changed` returns page by page. A cursor has the id of this log and
 * the number of SKUs that were returned; a cursor of another log starts at the beginning.
 */
class HintLog {
  readonly #run = randomUUID()
  readonly #skus: string[] = []
  #delivery = Promise.withResolvers<number>()
  #isDelivered = true
  #spentMs = 0

  change(skus: readonly string[]): StockChange {
    this.#skus.push(...skus)
    changes += 1
    this.#delivery = Promise.withResolvers<number>()
    this.#isDelivered = false
    return { change: changes, deliveredAt: this.#delivery.promise, readBusyMs: () => this.#spentMs }
  }

  readSince(cursor: string | null) {
    const [run, given] = cursor?.split('@') ?? []
    const from = cursor === null ? this.#skus.length : run === this.#run ? Number(given) : 0
    const skus = this.#skus.slice(from, from + maxPerCall)
    if (skus.length > 0 && !this.#isDelivered) {
      this.#isDelivered = true
      this.#spentMs = 0
      this.#delivery.resolve(performance.now())
    }
    const next = from + skus.length
    return { skus, cursor: `${this.#run}@${next}`, more: next < this.#skus.length, everything: false }
  }

  readFigure(sku: string) {
    return createFigure(sku, changes)
  }

  addBusyMs(ms: number) {
    this.#spentMs += ms
  }
}

function createCallHandler(hints: HintLog): AnyCall {
  return async (id, input) => {
    const given = new Map(Object.entries(Object(input)))
    switch (id) {
      case 'describe':
        return ok({ name: 'Quiet ERP', sandbox: false, capabilities })
      case 'warehouses':
        return ok({ warehouses: [warehouse] })
      case 'stock.changed': {
        const cursor = given.get('cursor')
        return ok(hints.readSince(typeof cursor === 'string' ? cursor : null))
      }
      case 'stock.read': {
        const skus: unknown = given.get('skus')
        const rows = Array.isArray(skus) ? skus.map((sku) => hints.readFigure(String(sku))) : []
        return ok({ rows, stock_seq: null })
      }
      case 'products.changed':
        return ok({ cursor: '0', everything: false, product_codes: [], more: false })
      case 'shipping_methods':
        return ok({ shipping_methods: [] })
      default:
        return rejected('not_supported', `${id} is not part of the benchmarks`)
    }
  }
}

const capabilities = {
  dedupes_by_reference: true,
  lookup: 'strong',
  lookup_lag_ms: 0,
  max_request_ms: 1_000,
  changes: 'poll',
  stock_seq: false,
  holds: 'none',
  serialise: 'nothing',
  ledger: false,
  sign_in: true,
  settles: false,
  hint_lag_ms: 0,
  allocates_from: 'many',
  max_lines: 500,
} as const
