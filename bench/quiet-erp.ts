import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { type AnyCall, erpFrom, erpServer, mostPerCall, ok, rejected } from '@trade-gateway/connector'
import { figureOf, warehouse } from './goods.ts'
import { freePort } from './processes.ts'

/**
 * An ERP that has nothing new until it is told to. It runs in this process, on the core of the load, and measures
 * how much of a refresh is its own.
 */
export interface QuietErp {
  readonly url: string
  readonly token: string
  /** Changes the SKUs; the next question tells the gateway. */
  change(skus: readonly string[]): Telling
  close(): Promise<void>
}

/** What is known of one batch of changes. */
export interface Telling {
  /** Its number, by which its figures differ from all others. */
  readonly change: number
  /** When the gateway was told of the first of them. */
  readonly told: Promise<number>
  /** Milliseconds that went by inside of this ERP since then, parsing and printing its JSON included. */
  busyMs(): number
}

const token = 'a-token-for-benchmarks-only'

/** Starts the ERP's server. What `more` answers goes before its own answers. */
export async function startQuietErp(more?: AnyCall): Promise<QuietErp> {
  const hints = new Hints()
  const own = answers(hints)
  const serve = erpServer(
    erpFrom(async (id, input) => (await more?.(id, input)) ?? own(id, input)),
    { token },
  )
  const server = createServer((request, response) => {
    const began = performance.now()
    response.once('finish', () => hints.spend(performance.now() - began))
    serve(request, response)
  })
  const port = await freePort()
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

/** Of the whole run: the same goods stand before one ERP after another, and each of their figures is to be new. */
let changes = 0

/** A cursor says how many hints of this very ERP were given; one of another run is as good as none given yet. */
class Hints {
  readonly #run = randomUUID()
  readonly #skus: string[] = []
  #telling = Promise.withResolvers<number>()
  #isTold = true
  #spentMs = 0

  change(skus: readonly string[]): Telling {
    this.#skus.push(...skus)
    changes += 1
    this.#telling = Promise.withResolvers<number>()
    this.#isTold = false
    return { change: changes, told: this.#telling.promise, busyMs: () => this.#spentMs }
  }

  since(cursor: string | null) {
    const [run, given] = cursor?.split('@') ?? []
    const from = cursor === null ? this.#skus.length : run === this.#run ? Number(given) : 0
    const skus = this.#skus.slice(from, from + mostPerCall)
    if (skus.length > 0 && !this.#isTold) {
      this.#isTold = true
      this.#spentMs = 0
      this.#telling.resolve(performance.now())
    }
    const next = from + skus.length
    return { skus, cursor: `${this.#run}@${next}`, more: next < this.#skus.length, everything: false }
  }

  figure(sku: string) {
    return figureOf(sku, changes)
  }

  spend(ms: number) {
    this.#spentMs += ms
  }
}

function answers(hints: Hints): AnyCall {
  return async (id, input) => {
    const given = new Map(Object.entries(Object(input)))
    switch (id) {
      case 'describe':
        return ok({ name: 'Quiet ERP', sandbox: false, capabilities })
      case 'warehouses':
        return ok({ warehouses: [warehouse] })
      case 'stock.changed': {
        const cursor = given.get('cursor')
        return ok(hints.since(typeof cursor === 'string' ? cursor : null))
      }
      case 'stock.read': {
        const skus: unknown = given.get('skus')
        const rows = Array.isArray(skus) ? skus.map((sku) => hints.figure(String(sku))) : []
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
} as const
