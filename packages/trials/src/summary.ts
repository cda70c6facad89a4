import { addToTally, type Tally } from './tally.ts'
import { channel_code, type TrialResult, warehouse_code } from './trial.ts'

const formatNumber = (value: number) => Math.round(value).toLocaleString('en')
const formatSeconds = (ms: number) => (ms / 1000).toFixed(1)

/**
 * Formats the result of a trial: what it did, what it left out and why, and whether the follower's copy of the stock
 * matches the ERP.
 */
export function formatSummary(result: TrialResult, points_per_minute: number): string {
  const { verdict } = result
  return [
    '',
    ...formatSource(result),
    ...formatFeed(result, points_per_minute),
    formatLine(
      'Compared',
      `${formatNumber(verdict.rows)} rows at version ${verdict.version}, checksum ${verdict.checksum}`,
    ),
    formatLine('Differences', formatNumber(verdict.differences)),
    ...verdict.examples.map(formatDetail),
    '',
  ].join('\n')
}

function formatSource({ orders, month, sales, replayed, mirrored, ...result }: TrialResult): string[] {
  const { catalogue, invalid } = orders
  const kinds = [...sales.kinds].map(([kind, amount]) => `${kind}s ${formatNumber(amount)}`)
  return [
    formatLine(
      'Order lines',
      `${formatNumber(catalogue.lines)} read, of ${formatNumber(catalogue.stock_codes)} stock codes`,
    ),
    ...formatReasons(invalid, 'invalid lines'),
    formatLine('SKUs', `${formatNumber(mirrored.rows.size)} in ${warehouse_code}`),
    ...formatReasons(catalogue.left_out, 'stock codes left out'),
    ...formatReasons(tallyReasons(result.catalogue_left_out), 'lines of the catalogue left out by the ERP'),
    formatLine('Month', `${month}, ${formatNumber(sales.lines)} lines: ${kinds.join(', ')}`),
    ...formatReasons(sales.not_moved, 'lines left out'),
    formatLine(
      'Movements',
      `${formatNumber(replayed.applied)} applied in ${formatNumber(replayed.batches)} batches in ${formatSeconds(result.replay_ms)} s`,
    ),
    ...formatReasons(replayed.left_out, 'movements left out by the ERP'),
    ...(replayed.left_out.size > 0
      ? [
          formatDetail(
            '(the opening stock is the sum of all sales of the file; write-offs and losses exceed it)',
          ),
        ]
      : []),
  ]
}

function formatFeed({ mirrored, spent, lag_ms }: TrialResult, points_per_minute: number): string[] {
  return [
    formatLine(
      'Feed',
      `${formatNumber(mirrored.pages)} pages, ${formatNumber(mirrored.rows_received)} rows received, ${mirrored.pulls} full pull${mirrored.pulls === 1 ? '' : 's'}`,
    ),
    formatDetail(
      lag_ms === undefined
        ? 'the last acknowledged movements never arrived in the feed'
        : `the last movement was in the copy ${formatNumber(lag_ms)} ms after the ERP acknowledged it`,
    ),
    formatLine(
      'Points',
      `${formatNumber(spent.points)} spent in ${formatNumber(spent.requests)} requests; waited ${spent.waits} times, ${formatNumber(spent.waited_seconds)} s`,
    ),
    formatDetail(
      `the channel "${channel_code}" had ${formatNumber(points_per_minute)} points a minute for this trial instead of the usual 600`,
    ),
  ]
}

function formatLine(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function formatDetail(text: string): string {
  return formatLine('', `- ${text}`)
}

function tallyReasons(leftOut: readonly { readonly reason: string }[]): Tally {
  const tally: Tally = new Map()
  for (const { reason } of leftOut) addToTally(tally, reason)
  return tally
}

function formatReasons(tally: ReadonlyMap<string, number>, what: string): string[] {
  return [...tally].map(([reason, amount]) => formatDetail(`${formatNumber(amount)} ${what}: ${reason}`))
}
