import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generatedOrders } from './generated-orders.ts'
import { NoSuchMonth } from './orders.ts'
import { Progress } from './progress.ts'
import { summaryOf } from './summary.ts'
import { runTrial } from './trial.ts'

const usage = `Shows that the change feed is right, on real order lines.

  npm run demo -- [orders.csv[.gz]] [--month YYYY-MM] [--points N]

Makes a catalogue out of the order lines, starts a gateway and its ERP on it, pulls a whole warehouse, replays one
month of sales as movements in the ERP while a client follows the change feed, and compares the client's copy with a
fresh pull row by row, with the checksums, and with what the ERP acknowledged. Everything is in a directory of its
own that is removed at the end.

  <orders>   CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice, CustomerID,
             Country; packed when it ends in .gz; without it, a few thousand invented lines
  --month    the month to replay; without it, the first that is whole
  --points   points that the client may spend a minute; without it, 100000. With 600 it has to wait for them
  --help     this text

Exit codes: 0 no difference, 1 differences or a failure, 64 called wrongly.
Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run demo -- online-retail.csv.gz --month 2011-01
`

const exit = { same: 0, failure: 1, usage: 64 } as const
const leastPoints = 60
const mostPoints = 1_000_000_000

/** What the arguments are wrong in, as a sentence. */
class Misused extends Error {}

function wantedBy(args: string[]) {
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
  if (positionals.length > 1) throw new Misused(`One file at a time, please: ${positionals.join(', ')}.`)
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new Misused(`--month is a month such as 2010-12, not "${month}".`)
  const points_per_minute = /^\d{1,10}$/.test(points) ? Number(points) : Number.NaN
  if (!(points_per_minute >= leastPoints && points_per_minute <= mostPoints))
    throw new Misused(`--points is a whole number from ${leastPoints} to ${mostPoints}, not "${points}".`)
  return { help, month, points_per_minute, path: positionals[0] }
}

async function main(args: string[]): Promise<number> {
  const { help, month, points_per_minute, path } = wantedBy(args)
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
    if (path === undefined) await writeFile(orders, generatedOrders())
    const options = { orders, month, points_per_minute, directory }
    const result = await runTrial(options, progress, stop.signal)
    process.stdout.write(summaryOf(result, points_per_minute))
    return result.verdict.differences === 0 ? exit.same : exit.failure
  } finally {
    progress.end()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function explained(error: unknown): { message: string; code: number } {
  // What was aborted is told by the reason of it.
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const isMisuse =
    cause instanceof Misused ||
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
    const { message, code } = explained(error)
    process.stderr.write(`${message}\n`)
    process.exitCode = code
  },
)
