import { type RunningGateway, startGateway } from './gateway.ts'
import type { Options, Size } from './options.ts'
import type { Report } from './report.ts'
import { type FilledStock, type Filling, fillStock } from './stock.ts'

/** What every subject is given. */
export interface Bench {
  readonly options: Options
  /** A folder of this run, removed at its end. */
  readonly folder: string
  readonly report: Report
  /** A filled database, made at its first use and kept for the run. */
  stock(size: Size, kind?: StockKind): Promise<FilledStock>
}

export type StockKind = Omit<Filling, 'rows'>

/** One thing that is measured; adds what it found to the report. */
export type Subject = (bench: Bench) => Promise<void>

export interface OpenBench extends Bench {
  /** Removes the databases that stand on a server. */
  close(): Promise<void>
}

export function openBench(options: Options, folder: string, report: Report): OpenBench {
  const stocks = new Map<string, Promise<FilledStock>>()
  return {
    options,
    folder,
    report,
    stock(size, kind = {}) {
      const key = JSON.stringify([options.sizes[size], kind])
      const known = stocks.get(key)
      if (known) return known
      report.progress(`filling ${options.sizes[size].toLocaleString('en')} rows`)
      const filled = fillStock(folder, { rows: options.sizes[size], ...kind })
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

/** Every kind of database that this run can measure: SQLite, and PostgreSQL where a server is named. */
export function storeKinds({ databaseUrl }: Options): StockKind[] {
  return databaseUrl === undefined ? [{}] : [{}, { databaseUrl }]
}

/** Runs `work` with a gateway of its own on a filled database. */
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
