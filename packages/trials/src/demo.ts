import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Progress } from '@trade-gateway/connector-kit/progress'
import { generateOrders } from './generate-orders.ts'
import { NoSuchMonth } from './orders.ts'
import { formatSummary } from './summary.ts'
import { runTrial } from './trial.ts'

const usage = `Proves on real order lines that the change feed is correct.

  npm run demo -- [orders.csv[.gz]] [--month YYYY-MM] [--points N]

Creates a catalogue from the order lines and starts a gateway with its ERP on it. A client pulls a whole warehouse and
follows the change feed while one month of sales is replayed as movements in the ERP. Then its copy is compared with
a new pull row by row, with the checksums, and with the ERP's acknowledgements. Everything runs in a temporary
directory.

  <orders>   CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice, CustomerID,
             Country; gzip if its name ends in .gz; default: a few thousand generated lines
  --month    the month to replay; default: the first complete one
  --points   points per minute of the client; default 100000. With 600 it has to wait for points
  --help     prints this text

Exit codes: 0 no difference, 1 differences or a failure, 64 wrong usage.
Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run demo -- online-retail.csv.gz --month 2011-01
`

const exit = { same: 0, failure: 1, usage: 64 } as const
const minPoints = 60
const maxPoints = 1_000_000_000

/** The error for arguments that are not valid. Its message says why. */
class UsageError extends Error {}

function readOptions(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      month: { type: 'string' },
      points: { type: 'string', default: '100000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { help, month, points } = values
  if (positionals.length > 1) throw new UsageError(`Give only one file, not ${positionals.join(', ')}.`)
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new UsageError(`--month must be a month such as 2010-12, not "${month}".`)
  const points_per_minute = /^\d{1,10}$/.test(points) ? Number(points) : Number.NaN
  if (!(points_per_minute >= minPoints && points_per_minute <= maxPoints))
    throw new UsageError(
      `--points must be a whole number from ${minPoints} to ${maxPoints}, not "${points}".`,
    )
  return { help, month, points_per_minute, path: positionals[0] }
}

async function main(args: string[]): Promise<number> {
  const { help, month, points_per_minute, path } = readOptions(args)
  if (help) {
    process.stdout.write(usage)
    return exit.same
  }
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Error('Stopped before the end.')))
  const progress = new Progress(process.stderr)
  const directory = await mkdtemp(join(tmpdir(), 'trade-gateway-demo-'))
  try {
    const orders = path ?? join(directory, 'orders.csv')
    if (path === undefined) await writeFile(orders, generateOrders())
    const options = { orders, month, points_per_minute, directory }
    const result = await runTrial(options, progress, stop.signal)
    process.stdout.write(formatSummary(result, points_per_minute))
    return result.verdict.differences === 0 ? exit.same : exit.failure
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function explainError(error: unknown): { message: string; code: number } {
  // The cause is the reason why the run was aborted.
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const isMisuse =
    cause instanceof UsageError ||
    cause instanceof NoSuchMonth ||
    (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('ERR_PARSE_ARGS'))
  return isMisuse
    ? { message: `${message}\nTry: npm run demo -- --help`, code: exit.usage }
    : { message, code: exit.failure }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const { message, code } = explainError(error)
    process.stderr.write(`${message}\n`)
    process.exitCode = code
  },
)
