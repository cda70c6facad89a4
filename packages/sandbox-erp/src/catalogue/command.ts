import { stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { sandboxWarehouses } from './catalogue.ts'
import { UnreadableFile } from './csv.ts'
import { type CatalogueOfOrders, catalogueCsv, catalogueFromOrders } from './from-orders.ts'
import { type InvalidLine, type OrderLine, readOrderLines } from './order-lines.ts'

const usage = `Makes a catalogue file for the sandbox ERP out of real order lines.

  npm run -s catalogue -- <orders.csv[.gz]> [--out catalogue.csv] [--warehouse AUSYD1]

  <orders>      CSV with the columns InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice,
                CustomerID, Country; packed when it ends in .gz
  --out         where to write the catalogue; without it, on standard output
  --warehouse   ${sandboxWarehouses.map(({ warehouse_code }) => warehouse_code).join(', ')}; without it, AUSYD1
  --help        this text

Example, with the data set https://doi.org/10.24432/C5BW33:

  npm run -s catalogue -- online-retail.csv.gz --out catalogue.csv
`

/** Exit codes: done, failed, called wrongly. */
const done = 0
const failed = 1
const misused = 64

/** Progress is shown again after so many lines. */
const linesPerProgress = 10_000

/** A stream to write on, and whether a person watches it. */
interface Output extends Writable {
  readonly isTTY?: boolean
}

interface Streams {
  readonly stdout: Output
  readonly stderr: Output
}

interface Wanted {
  readonly path: string
  readonly out: string | undefined
  readonly warehouse_code: string
}

/** Runs `npm run catalogue` with its arguments and answers its exit code. */
export async function runCatalogueCommand(args: readonly string[], streams: Streams): Promise<number> {
  const wanted = wantedBy(args)
  if (wanted === 'help') {
    streams.stdout.write(usage)
    return done
  }
  if (typeof wanted === 'string') {
    streams.stderr.write(`${wanted}\nTry: npm run -s catalogue -- --help\n`)
    return misused
  }
  const invalid = new Map<string, { count: number; first: number }>()
  try {
    const made = await catalogueFromOrders(linesWithProgress(wanted.path, invalid, streams.stderr))
    const text = catalogueCsv(made.rows, wanted.warehouse_code)
    if (wanted.out === undefined) await written(streams.stdout, text)
    else await writeFile(wanted.out, text)
    streams.stderr.write(summary(made, invalid, wanted))
    return done
  } catch (error) {
    streams.stderr.write(`${sentence(error)}\n`)
    return failed
  }
}

/** What the arguments ask for; a sentence when they are wrong. */
function wantedBy(args: readonly string[]): Wanted | string {
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
    if (path === undefined) return 'Name the file of order lines.'
    if (more.length > 0) return `One file at a time, please: ${positionals.join(', ')}.`
    const known = sandboxWarehouses.map(({ warehouse_code }) => warehouse_code)
    if (!known.some((code) => code === values.warehouse)) {
      return `--warehouse is one of ${known.join(', ')}, not "${values.warehouse}".`
    }
    if (values.out !== undefined && resolve(values.out) === resolve(path)) {
      return '--out is the file of order lines itself: name another.'
    }
    return { path, out: values.out, warehouse_code: values.warehouse }
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

async function* linesWithProgress(
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
      stderr.write(`\r${progressBar(bytes / size)} ${lines.toLocaleString('en')} lines`)
    }
  }
  if (stderr.isTTY === true) stderr.write('\r\x1b[K')
}

function progressBar(share: number): string {
  const full = Math.round(Math.min(share, 1) * 30)
  return `[${'#'.repeat(full)}${'.'.repeat(30 - full)}]`
}

/** Resolves when the reader took the text; fails when it went away, as `| head` does. */
function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function summary(
  made: CatalogueOfOrders,
  invalid: ReadonlyMap<string, { count: number; first: number }>,
  { out, warehouse_code }: Wanted,
): string {
  const number = (value: number) => value.toLocaleString('en')
  const left_out = [...made.left_out].map(([reason, count]) => `  ${number(count)} stock codes: ${reason}`)
  const unread = [...invalid].map(
    ([reason, { count, first }]) => `  ${number(count)} lines, first line ${first}: ${reason}`,
  )
  return [
    `Read ${number(made.lines)} order lines of ${number(made.stock_codes)} stock codes.`,
    `Wrote ${number(made.rows.length)} rows for ${warehouse_code} to ${out ?? 'standard output'}.`,
    `Rounded ${number(made.rounded)} prices that had more than two decimals.`,
    ...(left_out.length > 0 ? ['Left out:', ...left_out] : []),
    ...(unread.length > 0 ? ['Not order lines:', ...unread] : []),
    '',
  ].join('\n')
}

/** An error about a file as a sentence; any other is thrown again, for it is a fault of this program. */
function sentence(error: unknown): string {
  if (error instanceof UnreadableFile) return error.message
  if (error instanceof Error && 'syscall' in error)
    return `The catalogue cannot be written: ${error.message}.`
  throw error
}

if (import.meta.main) {
  process.exitCode = await runCatalogueCommand(process.argv.slice(2), process)
}
