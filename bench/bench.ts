import { type FilledStock, type RunningGateway, startGateway } from './gateway.ts'
import type { Options, Size } from './options.ts'
import type { Report } from './report.ts'
import { fillStock, type StockFilling } from './stock.ts'
import type { Tree } from './trees.ts'

/**
 * What every subject (one measurement, such as `measureSubmits`) receives: options, filled databases and the report.
 */
export interface Bench {
  readonly options: Options
  /** A temporary folder, which is removed at the end of the run. */
  readonly folder: string
  readonly report: Report
  /** Returns a database with `size` rows of stock. It is filled at its first use and kept for the run. */
  provideStock(size: Size, kind?: StockKind): Promise<FilledStock>
}

export type StockKind = Omit<StockFilling, 'rows'>

/** A function that measures one aspect of the gateway and adds the figures to the report. */
export type Subject = (bench: Bench) => Promise<void>

export interface OpenBench extends Bench {
  /** Drops the databases that this run created on a PostgreSQL server. */
  close(): Promise<void>
}

export interface BenchSetting {
  readonly options: Options
  readonly folder: string
  readonly report: Report
  readonly tree: Tree
}

export function openBench({ options, folder, report, tree }: BenchSetting): OpenBench {
  const stocks = new Map<string, Promise<FilledStock>>()
  return {
    options,
    folder,
    report,
    provideStock(size, kind = {}) {
      const key = JSON.stringify([options.sizes[size], kind])
      const known = stocks.get(key)
      if (known) return known
      report.printProgress(`filling ${options.sizes[size].toLocaleString('en')} rows`)
      const filled = fillStock(tree, folder, { rows: options.sizes[size], ...kind })
      stocks.set(key, filled)
      return filled
    },
    async close() {
      for (const filled of await Promise.allSettled(stocks.values())) {
        if (filled.status === 'fulfilled') await filled.value.drop()
      }
    },
  }
}

/** Lists the kinds of databases that this run measures: SQLite, and PostgreSQL if a server is configured. */
export function listStoreKinds({ databaseUrl }: Options): StockKind[] {
  return databaseUrl === undefined ? [{}] : [{}, { databaseUrl }]
}

/** Starts a gateway on a filled database, runs `work` and stops the gateway. */
export async function withGateway<T>(
  stock: FilledStock,
  work: (gateway: RunningGateway) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway(stock)
  try {
    return await work(gateway)
  } finally {
    await gateway.end()
  }
}
