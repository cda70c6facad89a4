import { parseArgs } from 'node:util'

export const usage = `Places real orders through a gateway in front of an ERP, and counts afterwards.

  npm run replay -- [orders.csv[.gz]] [options]

Every invoice of the file becomes a wholesale order: draft, preview, submit, over HTTP, with idempotency keys, by a
client that does what the docs say when something goes wrong. An invoice of more than 500 SKUs becomes several orders.
A cancellation voids the latest earlier order of its customer that has exactly what it takes back, or else all of it
and more. At the end everything is shipped, and the books of the ERP, of the gateway and of the client must agree:
no order lost, none twice, nothing oversold, nothing still held; and the statement must add up, each order charged what
it costs (npm run statement proves the same of any gateway). Everything is in a directory of its own that is removed
at the end.

  <orders>         CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice,
                   CustomerID, Country; packed when it ends in .gz; without it, a few hundred invented invoices
  --concurrency N  so many orders at once; default 16
  --limit N        only the first N orders of the file
  --faults         the ERP fails at random, and gateway and ERP are killed at random moments and started again
  --seed N         seed of the faults and of the moments; default 1
  --class CLASS    what the ERP can do: dedupe (it notices a reference that comes again), lookup (it does not, but can
                   be asked for a reference), neither; default dedupe
  --postgres URL   keep the gateway's data in a PostgreSQL database, made there and dropped at the end
  --report FILE    write the verdict and all figures there, as JSON
  --help           this text

Exit codes: 0 the guarantees of the class hold, 1 they do not, or a failure, 64 called wrongly.
Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run replay -- online-retail.csv.gz --faults --report verdict.json
`

/** What an ERP can do about a write that comes again; its guarantees follow from it. */
export const erpClasses = ['dedupe', 'lookup', 'neither'] as const
export type ErpClass = (typeof erpClasses)[number]

/** What a replay is asked for. */
export interface Wanted {
  /** Undefined: invented orders. */
  readonly path: string | undefined
  readonly concurrency: number
  readonly limit: number | undefined
  readonly faults: boolean
  readonly seed: number
  readonly erp_class: ErpClass
  readonly postgres: string | undefined
  readonly report: string | undefined
}

/** What the arguments are wrong in, as a sentence. */
export class Misused extends Error {
  override readonly name = 'Misused'
}

const mostConcurrency = 256
const mostOrders = 5_000_000
const mostSeed = 2 ** 31

/** What the arguments ask for. Throws `Misused`. */
export function wantedBy(args: readonly string[]): Wanted | 'help' {
  const { values, positionals } = parsed(args)
  if (values.help) return 'help'
  if (positionals.length > 1) throw new Misused(`One file at a time, please: ${positionals.join(', ')}.`)
  const erp_class = erpClasses.find((known) => known === values.class)
  if (!erp_class) throw new Misused(`--class is one of ${erpClasses.join(', ')}, not "${values.class}".`)
  const { postgres, limit } = values
  if (postgres !== undefined && !isPostgres(postgres))
    throw new Misused('--postgres is a URL that begins with postgres:// or postgresql://.')
  return {
    path: positionals[0],
    concurrency: wholeNumber('concurrency', values.concurrency, 1, mostConcurrency),
    limit: limit === undefined ? undefined : wholeNumber('limit', limit, 1, mostOrders),
    faults: values.faults,
    seed: wholeNumber('seed', values.seed, 0, mostSeed),
    erp_class,
    postgres,
    report: values.report,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        concurrency: { type: 'string', default: '16' },
        limit: { type: 'string' },
        faults: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        class: { type: 'string', default: 'dedupe' },
        postgres: { type: 'string' },
        report: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    if (error instanceof TypeError) throw new Misused(error.message, { cause: error })
    throw error
  }
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new Misused(`--${flag} is a whole number from ${least} to ${most}, not "${text}".`)
}

function isPostgres(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)
}
