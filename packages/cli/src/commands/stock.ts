import { formatAgain } from '../again.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { say } from '../context.ts'
import { UsageError } from '../failures.ts'
import { cleanText } from '../output/text.ts'
import { listOptions, printRows, readDuration } from '../print.ts'
import { formats } from '../pull/formats.ts'
import { pageSize, pullStock, warnOfAge } from '../pull/pull.ts'

const columns = [
  'sku',
  'warehouse_code',
  'quantity_available',
  'quantity_on_hand',
  'price_wholesale',
  'currency',
  'version',
]
const warehouse = { warehouse: { help: 'the code of a warehouse or a view, such as AUSYD1' } } as const

export const stockGet = command({
  name: 'stock get',
  summary: 'read the stock of a SKU or a style, in every warehouse or in one',
  isReading: true,
  examples: [
    ['stock get SBX-SHORT-3', 'a SKU everywhere'],
    ['stock get --style LIN-0042 --warehouse AUSYD1', 'a style in one warehouse'],
  ],
  agents: 'Costs 1 point for each warehouse.',
  args: { sku: { help: 'the SKU', isOptional: true } },
  options: {
    ...listOptions,
    style: { type: 'string', value: 'CODE', help: 'all SKUs of a style' },
    warehouse: { type: 'string', short: 'w', value: 'CODE', help: 'only this warehouse' },
  },
  async run(context, { args, options }) {
    const { sku } = args
    if ((sku === undefined) === (options.style === undefined))
      throw new UsageError(
        'Name a SKU, or a style with --style.',
        'To read everything: tgw stock pull WAREHOUSE',
      )
    const filters = sku === undefined ? { product_code: options.style ?? '' } : { sku }
    await printRows(context, readEverywhere(context, filters, options.warehouse), columns, options)
  },
})

type StockFilters = { readonly sku: string } | { readonly product_code: string }

/** Reads the rows of all warehouses. A SKU that one of them does not have is no failure, unless none has it. */
async function* readEverywhere(context: Context, filters: StockFilters, only: string | undefined) {
  const { isGatewayError } = await import('@trade-gateway/sdk')
  const client = await context.connect()
  const { signal } = context
  const codes =
    only === undefined
      ? (await client.warehouses.list({ signal }))
          // A view has the sums of its warehouses.
          .filter(({ kind }) => kind === 'warehouse')
          .map(({ warehouse_code }) => warehouse_code)
      : [only]
  let missing: unknown
  let isFound = false
  for (const code of codes) {
    try {
      let cursor: string | undefined
      do {
        const query = { ...filters, page_size: pageSize, ...(cursor === undefined ? {} : { cursor }) }
        const { data: page, meta } = await client.stock.page(code, query, { signal }).withResponse()
        await warnOfAge(context, code, meta.stockAgeSeconds)
        isFound ||= page.data.length > 0
        yield* page.data
        cursor = page.has_more ? (page.next_cursor ?? undefined) : undefined
      } while (cursor !== undefined)
    } catch (error) {
      if (!isGatewayError(error, 'NOT_FOUND')) throw error
      missing = error
    }
  }
  if (!isFound && missing !== undefined) throw missing
}

export const stockPull = command({
  name: 'stock pull',
  summary: 'download all stock of a warehouse',
  isReading: true,
  description:
    'Rows that change meanwhile are in the change feed: `tgw stock watch WAREHOUSE --since VERSION` continues where the download began. A file gets its name when it is complete, which the checksum of the gateway proves.',
  examples: [
    ['stock pull AUSYD1 --out stock.csv', 'into a file'],
    ['stock pull AUSYD1 --format ndjson | jq -r .sku', 'into a pipe'],
    ['stock pull AUSYD1 --out stock.csv --resume', 'continue a download that was interrupted'],
  ],
  agents:
    'Costs 5 points for 1000 rows, and 1 for each row that changed meanwhile, at least 1; on a terminal 5 more for the bar, unless --quiet. Ends with 1 if the rows do not have the checksum of the gateway. The last line on standard error has the version to watch from.',
  args: warehouse,
  options: {
    out: { type: 'string', short: 'o', value: 'FILE', help: 'write to a file; default standard output' },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'default: the ending of the file, else csv',
      choices: formats,
    },
    resume: { type: 'boolean', help: 'continue an interrupted download into the same file' },
  },
  async run(context, { args, options }) {
    await pullStock(context, { warehouse: args.warehouse, ...options })
  },
})

export const stockWatch = command({
  name: 'stock watch',
  summary: 'follow the changes of a warehouse',
  isReading: true,
  examples: [
    ['stock watch AUSYD1', 'from now on'],
    ['stock watch AUSYD1 --since 402086745855316 --json', 'from the version of a download'],
  ],
  agents:
    'Runs until it is ended. Each line of --json is a row, with "removed": true for a withdrawn SKU. Ends with 5 and FULL_SYNC_REQUIRED if the version cannot be followed any more: pull again.',
  args: warehouse,
  options: {
    since: { type: 'string', value: 'VERSION', help: 'the version to continue from; default now' },
    interval: { type: 'string', value: 'DURATION', help: 'how often to ask; default 5s' },
    'give-up': {
      type: 'string',
      value: 'DURATION',
      help: 'end if the gateway is away for longer; default never',
    },
  },
  async run(context, { args, options }) {
    const { globals, out, signal } = context
    const client = await context.connect()
    const since =
      options.since === undefined
        ? (await client.stock.checksum(args.warehouse, { signal })).version
        : readVersion(options.since)
    const intervalMs = readDuration('interval', options.interval ?? '5s')
    const giveUpMs =
      options['give-up'] === undefined ? undefined : readDuration('give-up', options['give-up'])
    await say(context, `Watching ${args.warehouse} from version ${since}. Ctrl-C ends.`)
    let place = since
    try {
      const pages = client.stock.follow(args.warehouse, { since, intervalMs, giveUpMs, signal })
      for await (const { data, version } of pages) {
        for (const row of data) await (globals.json ? out.json(row) : out.line(formatChange(row)))
        place = version
      }
    } catch (error) {
      const { isGatewayError } = await import('@trade-gateway/sdk')
      if (!isGatewayError(error, 'FULL_SYNC_REQUIRED'))
        await say(
          context,
          `Continue with: ${formatAgain(context, 'stock', 'watch', args.warehouse, '--since', String(place))}`,
        )
      throw error
    }
  },
})

function readVersion(given: string): number {
  if (/^\d{1,16}$/.test(given) && Number.isSafeInteger(Number(given))) return Number(given)
  throw new UsageError(
    `--since must be a version, such as 402086745855316, and is "${given}".`,
    'The last line of `tgw stock pull` names one.',
  )
}

interface Change {
  readonly sku: string
  readonly removed?: boolean
  readonly version: number
  readonly quantity_available?: number
  readonly price_wholesale?: number
  readonly currency?: string
}

function formatChange(row: Change): string {
  const sku = cleanText(row.sku)
  if (row.removed) return `${row.version}  ${sku}  withdrawn`
  return `${row.version}  ${sku}  available ${row.quantity_available}  at ${row.price_wholesale} ${cleanText(row.currency)}`
}
