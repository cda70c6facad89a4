import {
  parseArguments,
  parseNumber,
  parseOutputFile,
  requireDifferentFiles,
  requireInputKept,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'

const bounds = {
  concurrency: { min: 1, max: 256 },
  limit: { min: 1, max: 5_000_000 },
  seed: { min: 0, max: 2 ** 31 },
} as const

export const usage = `Places real orders through a gateway in front of an ERP and compares the results.

  npm run replay -- [orders.csv[.gz]] [options]

Every invoice of the file becomes a wholesale order: draft, preview and submit over HTTP, with idempotency keys, by a
client that handles errors as documented. An invoice of more SKUs than an order can have (500, Tryton and Medusa 100) becomes
several orders. A cancellation voids the latest earlier order of its customer with exactly the returned goods, or else one with these and more goods.
At the end everything is shipped, and the records of the ERP, the gateway and the client must agree: no order is lost
or duplicated, and nothing is oversold or still held. The statement must be consistent and charge each order its total
(npm run statement proves this for any gateway). Everything runs in a temporary directory.

  <orders>         CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice,
                   CustomerID, Country; gzip if its name ends in .gz; default: a few hundred generated invoices.
                   An InvoiceDate is like 2010-12-01 08:26:00. A line with another one is left out, and counted.
  --erp ERP        sandbox (the sandbox ERP), tryton (a real Tryton of its own, made as by npm run tryton-sandbox,
                   behind its connector; starting it requires Debian's packages or root) or medusa (a real Medusa, made
                   as by npm run medusa-sandbox); default sandbox
  --concurrency N  the number of orders at once, 1 to ${bounds.concurrency.max}; default 16, with Tryton and Medusa 4
  --limit N        only the first N orders of the file, 1 to ${bounds.limit.max}
  --faults         the ERP fails at random, and gateway and ERP are killed at random times and restarted; Tryton
                   and Medusa do not fail by themselves, but gateway, connector, server and PostgreSQL are killed, or
                   stopped for 20 s
  --seed N         seed of the faults and of the kill times, 0 to ${bounds.seed.max}; default 1
  --class CLASS    what the ERP can do: dedupe (it detects repeated references), lookup (it does not, but the gateway
                   can look up references), settle (it finishes or fences a write on request, and does
                   neither of these), or neither; default dedupe; only for the sandbox ERP
  --postgres URL   keeps the gateway's data in a temporary PostgreSQL database on this server
  --report FILE    writes the verdict and all figures to a JSON file
  --history FILE   keeps the history of calls, stock, books and events, as npm run check-history reads it
  --help           prints this text

Exit codes: 0 the guarantees of the class hold, 1 they do not, or the replay failed, 64 wrong usage, or a file without
an order that can be placed.
Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run replay -- online-retail.csv.gz --faults --report verdict.json
  npm run replay -- online-retail.csv.gz --erp tryton --limit 60 --faults
  npm run replay -- online-retail.csv.gz --erp medusa --limit 30 --faults
`

/** What an ERP can do about repeated writes, which determines the gateway's guarantees. */
export const erpClasses = ['dedupe', 'lookup', 'settle', 'neither'] as const
export type ErpClass = (typeof erpClasses)[number]

/** The ERPs that can be replayed, with the usual number of orders at once. */
const usualConcurrency = { sandbox: '16', tryton: '4', medusa: '4' } as const
export type ErpName = keyof typeof usualConcurrency
const erpNames = ['sandbox', 'tryton', 'medusa'] as const satisfies readonly ErpName[]

/** The options of a replay. */
export interface ReplayOptions {
  /** The file of order lines; undefined means generated orders. */
  readonly path: string | undefined
  readonly erp: ErpName
  readonly concurrency: number
  readonly limit: number | undefined
  readonly faults: boolean
  readonly seed: number
  /** The connectors of Tryton and Medusa are always of the class dedupe. */
  readonly erp_class: ErpClass
  readonly postgres: string | undefined
  readonly report: string | undefined
  readonly history: string | undefined
}

const options = {
  erp: { type: 'string', default: 'sandbox' },
  concurrency: { type: 'string' },
  limit: { type: 'string' },
  faults: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  class: { type: 'string' },
  postgres: { type: 'string' },
  report: { type: 'string' },
  history: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Parses the arguments. Throws `UsageError`. */
export function readOptions(args: readonly string[]): ReplayOptions | 'usage' {
  const { values, positionals } = parseArguments(args, options)
  if (values.help) return 'usage'
  const [path, ...more] = positionals
  if (more.length > 0) throw new UsageError(`Give only one file, not ${positionals.join(', ')}.`)
  if (path === '') throw new UsageError('The file of orders must have a name, not "".')
  const erp = erpNames.find((known) => known === values.erp)
  if (!erp) throw new UsageError(`--erp must be one of ${erpNames.join(', ')}, not "${values.erp}".`)
  const erp_class = readClass(erp, values.class)
  const { postgres, limit } = values
  if (postgres !== undefined && !isPostgres(postgres))
    throw new UsageError('--postgres must be a URL that starts with postgres:// or postgresql://.')
  const files = {
    report: parseOutputFile('report', values.report),
    history: parseOutputFile('history', values.history),
  }
  requireDifferentFiles(files)
  if (path !== undefined) requireInputKept(path, files)
  return {
    path,
    erp,
    concurrency: parseNumber('concurrency', values.concurrency ?? usualConcurrency[erp], bounds.concurrency),
    limit: limit === undefined ? undefined : parseNumber('limit', limit, bounds.limit),
    faults: values.faults,
    seed: parseNumber('seed', values.seed, bounds.seed),
    erp_class,
    postgres,
    ...files,
  }
}

function readClass(erp: ErpName, text: string | undefined): ErpClass {
  if (text !== undefined && erp !== 'sandbox')
    throw new UsageError(
      `--class ${text} is a setting of the sandbox ERP: leave it out with --erp ${erp}, or leave out --erp.`,
    )
  const erp_class = erpClasses.find((known) => known === (text ?? 'dedupe'))
  if (erp_class) return erp_class
  throw new UsageError(`--class must be one of ${erpClasses.join(', ')}, not "${text}".`)
}

function isPostgres(text: string): boolean {
  return URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)
}
