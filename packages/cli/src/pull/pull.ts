import { readlink, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { TradeGateway } from '@trade-gateway/sdk'
import { formatAgain } from '../again.ts'
import { findIdentity } from '../connect.ts'
import { type Context, say } from '../context.ts'
import { isSystemError, UsageError } from '../failures.ts'
import { Progress } from '../output/progress.ts'
import { Copy, UnprovenCopy } from './copy.ts'
import { chooseFormat, type RowFormat, rowFormats, type StockRow } from './formats.ts'
import { PartFile, type PullPlace } from './part-file.ts'

/** The largest page, which costs as much as the smallest. */
export const pageSize = 1_000
/** Above it, the gateway cannot compare its stock with the ERP: usually it does so once a minute or more often. */
const warnStockAgeSeconds = 120
/** More pages than any warehouse has. */
const maxPages = 100_000

export interface PullGiven {
  readonly warehouse: string
  readonly out: string | undefined
  readonly format: string | undefined
  readonly resume: boolean
}

/** Where rows go. */
interface Target {
  append(text: string): Promise<void>
  /** Called when the rows of a page are appended. */
  reach?(place: ReachedPlace): Promise<void>
  /** What an earlier run has appended. */
  read?(): Promise<string>
}

/** Downloads the stock of a warehouse to a file or to standard output. */
export async function pullStock(context: Context, given: PullGiven): Promise<void> {
  const { out: path, warehouse } = given
  const format = chooseFormat({ named: given.format, file: path, isJson: context.globals.json })
  if (path === undefined) {
    if (given.resume) throw new UsageError('--resume requires --out FILE.')
    const { version } = await pullRows(context, rowFormats[format], warehouse, undefined, {
      append: (text) => context.out.write(text),
    })
    return sayVersion(context, warehouse, version)
  }
  const { baseUrl: base_url } = await findIdentity(context)
  const target = await findReplaceable(path)
  if (target === undefined) {
    if (given.resume) throw new UsageError(`--resume continues a file, and ${path} is a device or a pipe.`)
    return pullIntoDevice(context, rowFormats[format], warehouse, path)
  }
  const file = await PartFile.open(target, given.resume ? { base_url, warehouse, format } : undefined)
  const place = given.resume ? file.earlier : undefined
  try {
    if (!given.resume && file.earlier) await sayWhatIsReplaced(context, target, file.earlier)
    const { version, rows } = await pullRows(context, rowFormats[format], warehouse, place, {
      append: (text) => file.append(text),
      read: () => file.read(),
      reach: (reached) => file.reach({ base_url, warehouse, format, ...reached }),
    })
    await file.complete()
    await say(context, `${path} has ${rows} rows as ${format}.`)
    await sayVersion(context, warehouse, version)
  } catch (error) {
    if (error instanceof UnprovenCopy) {
      await file.discard()
      throw error
    }
    const rows = await file.suspend()
    const words = ['stock', 'pull', warehouse, '--out', path, '--format', format, '--resume']
    const again = formatAgain(context, ...words)
    if (rows > 0) await say(context, `${target}.part has ${rows} rows. Continue the download with: ${again}`)
    throw error
  }
}

async function sayWhatIsReplaced(context: Context, path: string, { rows }: PullPlace): Promise<void> {
  await say(
    context,
    `${path}.part had ${rows} rows of an interrupted download, and is begun again. --resume continues one.`,
  )
}

/**
 * Finds the file that is replaced when the download is complete: behind a symbolic link, which stays. Undefined for a device
 * or a pipe, which has to be written as it is.
 */
async function findReplaceable(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new UsageError(`${path} is a folder. Name a file in it.`)
    return found.isFile() ? await realpath(path) : undefined
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
    // A new file, or the one that a link names.
    const named = await readlink(path).catch(() => '')
    return named === '' ? path : resolve(dirname(path), named)
  }
}

async function pullIntoDevice(
  context: Context,
  format: RowFormat,
  warehouse: string,
  path: string,
): Promise<void> {
  const { open } = await import('node:fs/promises')
  const file = await open(path, 'w')
  try {
    const { version } = await pullRows(context, format, warehouse, undefined, {
      append: (text) => file.writeFile(text),
    })
    await sayVersion(context, warehouse, version)
  } finally {
    await file.close()
  }
}

async function sayVersion(context: Context, warehouse: string, version: number): Promise<void> {
  await say(context, `Next: ${formatAgain(context, 'stock', 'watch', warehouse, '--since', String(version))}`)
}

/** Warns of stock that the gateway has not compared with the ERP for long. */
export async function warnOfAge(context: Context, warehouse: string, seconds = 0): Promise<void> {
  if (seconds <= warnStockAgeSeconds) return
  await say(
    context,
    `Warning: the stock of ${warehouse} is ${seconds} s old, because the gateway does not reach the ERP.`,
  )
}

type ReachedPlace = Omit<PullPlace, 'base_url' | 'warehouse' | 'format' | 'bytes'>

interface Pulled {
  readonly version: number
  readonly rows: number
}

/** Downloads the rows and proves that they are complete. Throws `UnprovenCopy` if they are not. */
async function pullRows(
  context: Context,
  format: RowFormat,
  warehouse: string,
  place: PullPlace | undefined,
  target: Target,
): Promise<Pulled> {
  const { signal, talk, globals } = context
  const client = await context.connect()
  const progress = new Progress(talk, { isSilent: globals.quiet })
  const watched = await watchPoints(context, client, warehouse)
  let { version, rows = 0 } = place ?? {}
  let newest = 0
  let stockAgeSeconds: number | undefined
  const copy = await Copy.open()
  if (place && target.read) copy.add(format.parseRows(await target.read()))
  // The header comes with the first rows, so that a failure leaves nothing.
  let header = place ? '' : format.header
  try {
    for await (const page of readAhead(client, warehouse, place ?? { next_page: 1 }, signal)) {
      version ??= page.version
      newest = Math.max(newest, page.version)
      stockAgeSeconds = page.stockAgeSeconds
      // By number, a new row moves later ones to the next page, to be seen twice.
      const fresh = copy.add(page.rows)
      await target.append(header + format.formatRows(fresh))
      header = ''
      rows += fresh.length
      await target.reach?.({ version, rows, ...page.next })
      progress.show({ label: warehouse, done: rows, unit: 'rows', ...watched.facts() })
      signal.throwIfAborted()
    }
    await copy.prove(client, warehouse, { version: version ?? newest, newest }, { signal })
  } finally {
    progress.clear()
    watched.stop()
  }
  await warnOfAge(context, warehouse, stockAgeSeconds)
  return { version: version ?? 0, rows }
}

type NextPage = Pick<PullPlace, 'next_page' | 'next_cursor'>

interface StockPage {
  readonly rows: readonly StockRow[]
  readonly version: number
  readonly stockAgeSeconds: number | undefined
  readonly next: NextPage
}

/**
 * Reads page after page, with the next one under way while one is written. A cursor continues after the last SKU, so
 * that no row is lost when others come before it.
 */
async function* readAhead(
  client: TradeGateway,
  warehouse: string,
  first: NextPage,
  signal: AbortSignal,
): AsyncGenerator<StockPage, void, undefined> {
  const read = ({ next_page: page, next_cursor: cursor }: NextPage) => {
    const place = cursor === undefined ? { page } : { cursor }
    const reading = client.stock.page(warehouse, { ...place, page_size: pageSize }, { signal }).withResponse()
    // A failure is thrown when it is this page's turn.
    reading.catch(() => {})
    return reading
  }
  let reading = read(first)
  for (let number = first.next_page; number < first.next_page + maxPages; number++) {
    const { data: page, meta } = await reading
    const { data: rows, version, has_more, next_cursor } = page
    const next = { next_page: number + 1, next_cursor: next_cursor ?? undefined }
    if (has_more) reading = read(next)
    yield { rows, version, next, stockAgeSeconds: meta.stockAgeSeconds }
    if (!has_more) return
  }
}

/** On a terminal, finds how many rows there are and follows the points, for the bar. */
async function watchPoints(context: Context, client: TradeGateway, warehouse: string) {
  const facts: { total?: number; pointsLeft?: number; pointsLimit?: number } = {}
  const stop = client.on('response', ({ points }) => {
    if (points?.remaining !== undefined) facts.pointsLeft = points.remaining
    if (points?.limit !== undefined) facts.pointsLimit = points.limit
  })
  if (context.talk.isTerminal && !context.globals.quiet) {
    const { row_count } = await client.stock.checksum(warehouse, { signal: context.signal })
    facts.total = row_count
  }
  return { facts: () => ({ ...facts, total: facts.total }), stop }
}
