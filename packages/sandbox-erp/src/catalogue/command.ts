import { stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { sandboxWarehouses } from './catalogue.ts'
import { UnreadableFile } from './csv.ts'
import { type CatalogueOfOrders, createCatalogueFromOrders, toCatalogueCsv } from './from-orders.ts'
import { type InvalidLine, type OrderLine, readOrderLines } from './order-lines.ts'

const usage = `Creates a catalogue file for the sandbox ERP from real order lines.

  npm run -s catalogue -- <orders.csv[.gz]> [--out catalogue.csv] [--warehouse AUSYD1]

  <orders>      CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice,
                CustomerID, Country; gzip if its name ends in .gz
  --out         the catalogue file to write; default: standard output
  --warehouse   ${sandboxWarehouses.map(({ warehouse_code }) => warehouse_code).join(', ')}; default AUSYD1
  --help        prints this text

Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run -s catalogue -- online-retail.csv.gz --out catalogue.csv
`

/** The exit codes. */
const done = 0
const failed = 1
const usageError = 64

/** The progress bar is updated after this number of lines. */
const linesPerProgress = 10_000

/** An output stream that may be a terminal. */
interface Output extends Writable {
  readonly isTTY?: boolean
}

interface Streams {
  readonly stdout: Output
  readonly stderr: Output
}

interface CatalogueArguments {
  readonly path: string
  readonly out: string | undefined
  readonly warehouse_code: string
}

/** Runs `npm run catalogue` and returns its exit code. */
export async function runCatalogueCommand(args: readonly string[], streams: Streams): Promise<number> {
  const parsed = parseArguments(args)
  if (parsed === 'help') {
    streams.stdout.write(usage)
    return done
  }
  if (typeof parsed === 'string') {
    streams.stderr.write(`${parsed}\nTry: npm run -s catalogue -- --help\n`)
    return usageError
  }
  const invalid = new Map<string, { count: number; first: number }>()
  try {
    const catalogue = await createCatalogueFromOrders(readWithProgress(parsed.path, invalid, streams.stderr))
    const text = toCatalogueCsv(catalogue.rows, parsed.warehouse_code)
    if (parsed.out === undefined) await writeText(streams.stdout, text)
    else await writeFile(parsed.out, text)
    streams.stderr.write(formatSummary(catalogue, invalid, parsed))
    return done
  } catch (error) {
    streams.stderr.write(`${explainError(error)}\n`)
    return failed
  }
}

/** Parses the arguments. Returns 'help', or a sentence if they are not valid. */
function parseArguments(args: readonly string[]): CatalogueArguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        warehouse: { type: 'string', default: sandboxWarehouses[0].warehouse_code },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return 'help'
    const [path, ...more] = positionals
    if (path === undefined) return 'Give the file of order lines.'
    if (more.length > 0) return `Give only one file, not ${positionals.join(', ')}.`
    const known = sandboxWarehouses.map(({ warehouse_code }) => warehouse_code)
    if (!known.some((code) => code === values.warehouse)) {
      return `--warehouse must be one of ${known.join(', ')}, not "${values.warehouse}".`
    }
    if (values.out !== undefined && resolve(values.out) === resolve(path)) {
      return '--out must not be the file of order lines.'
    }
    return { path, out: values.out, warehouse_code: values.warehouse }
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

async function* readWithProgress(
  path: string,
  invalid: Map<string, { count: number; first: number }>,
  stderr: Output,
): AsyncGenerator<OrderLine> {
  let bytes = 0
  let lines = 0
  let size: number | undefined
  const onInvalid = ({ line, reason }: InvalidLine) => {
    const known = invalid.get(reason) ?? { count: 0, first: line }
    invalid.set(reason, { ...known, count: known.count + 1 })
  }
  const onBytes = (read: number) => {
    bytes = read
  }
  for await (const line of readOrderLines(path, { onInvalid, onBytes })) {
    yield line
    lines += 1
    if (stderr.isTTY === true && lines % linesPerProgress === 0) {
      size ??= (await stat(path)).size
      stderr.write(`\r${drawProgressBar(bytes / size)} ${lines.toLocaleString('en')} lines`)
    }
  }
  if (stderr.isTTY === true) stderr.write('\r\x1b[K')
}

function drawProgressBar(share: number): string {
  const full = Math.round(Math.min(share, 1) * 30)
  return `[${'#'.repeat(full)}${'.'.repeat(30 - full)}]`
}

/** Resolves when the stream has taken the text. Rejects if the reader has closed it, as `| head` does. */
function writeText(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function formatSummary(
  made: CatalogueOfOrders,
  invalid: ReadonlyMap<string, { count: number; first: number }>,
  { out, warehouse_code }: CatalogueArguments,
): string {
  const formatNumber = (value: number) => value.toLocaleString('en')
  const left_out = [...made.left_out].map(
    ([reason, count]) => `  ${formatNumber(count)} stock codes: ${reason}`,
  )
  const unread = [...invalid].map(
    ([reason, { count, first }]) => `  ${formatNumber(count)} lines, first line ${first}: ${reason}`,
  )
  return [
    `Read ${formatNumber(made.lines)} order lines of ${formatNumber(made.stock_codes)} stock codes.`,
    `Wrote ${formatNumber(made.rows.length)} rows for ${warehouse_code} to ${out ?? 'standard output'}.`,
    `Rounded ${formatNumber(made.rounded)} prices that had more than two decimals.`,
    ...(left_out.length > 0 ? ['Left out:', ...left_out] : []),
    ...(unread.length > 0 ? ['Invalid lines:', ...unread] : []),
    '',
  ].join('\n')
}

/** Explains an error about a file in a sentence. Other errors are bugs and are thrown again. */
function explainError(error: unknown): string {
  if (error instanceof UnreadableFile) return error.message
  if (error instanceof Error && 'syscall' in error)
    return `The catalogue cannot be written: ${error.message}.`
  throw error
}

if (import.meta.main) {
  process.exitCode = await runCatalogueCommand(process.argv.slice(2), process)
}
