import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  exitCodes,
  parseArguments,
  parseNumber,
  runCommand,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { UnreadableFile } from '../../sandbox-erp/src/catalogue/csv.ts'
import { generateOrders } from './generate-orders.ts'
import { NoSuchMonth } from './orders.ts'
import { formatSummary } from './summary.ts'
import { runTrial } from './trial.ts'
import { explainedFailures, runInOwnDirectory } from './trial-command.ts'

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

const points = { min: 60, max: 1_000_000_000 } as const

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArguments(args, {
    month: { type: 'string' },
    points: { type: 'string', default: '100000' },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return 'usage'
  const { month } = values
  if (positionals.length > 1) throw new UsageError(`Give only one file, not ${positionals.join(', ')}.`)
  if (month !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new UsageError(`--month must be a month such as 2010-12, not "${month}".`)
  return { month, points_per_minute: parseNumber('points', values.points, points), path: positionals[0] }
}

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const options = readOptions(args)
  if (options === 'usage') return 'usage'
  const { month, points_per_minute, path } = options
  return runInOwnDirectory('demo', async ({ directory, progress }, signal) => {
    const orders = path ?? join(directory, 'orders.csv')
    if (path === undefined) await writeFile(orders, generateOrders())
    const trial = { orders, month, points_per_minute, directory }
    const result = await runTrial(trial, progress, signal).catch(explainFile)
    process.stdout.write(formatSummary(result, points_per_minute))
    return result.verdict.differences === 0 ? exitCodes.ended : exitCodes.failed
  })
}

/** A file that is none of order lines, or that has no such month, is a wrong argument. */
function explainFile(error: unknown): never {
  if (error instanceof UnreadableFile || error instanceof NoSuchMonth)
    throw new UsageError(error.message, { cause: error })
  throw error
}

await runCommand({
  usage,
  advice: 'Try: npm run demo -- --help\n',
  run,
  explained: explainedFailures,
})
