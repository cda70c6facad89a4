import { count, type Tally } from './tally.ts'
import { channel_code, type TrialResult, warehouse_code } from './trial.ts'

const number = (value: number) => Math.round(value).toLocaleString('en')
const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** What a trial did, what it left out and why, and whether the copy was right. */
export function summaryOf(result: TrialResult, points_per_minute: number): string {
  const { orders, month, sales, replayed, follower, spent, verdict } = result
  const { catalogue, invalid } = orders
  const kinds = [...sales.kinds].map(([kind, amount]) => `${kind}s ${number(amount)}`)
  return [
    '',
    line('Order lines', `${number(catalogue.lines)} read, of ${number(catalogue.stock_codes)} stock codes`),
    ...reasons(invalid, 'lines that are no order lines'),
    line('SKUs', `${number(follower.rows.size)} in ${warehouse_code}`),
    ...reasons(catalogue.left_out, 'stock codes left out'),
    ...reasons(tallied(result.catalogue_left_out), 'lines of the catalogue left out by the ERP'),
    line('Month', `${month}, ${number(sales.lines)} lines: ${kinds.join(', ')}`),
    ...reasons(sales.not_moved, 'lines left out'),
    line(
      'Movements',
      `${number(replayed.applied)} applied in ${number(replayed.batches)} batches in ${seconds(result.replay_ms)} s`,
    ),
    ...reasons(replayed.left_out, 'movements left out by the ERP'),
    ...(replayed.left_out.size > 0
      ? [detail('(it opened with the sum of all sales of the file; write-offs and losses come on top)')]
      : []),
    line(
      'Feed',
      `${number(follower.pages)} pages, ${number(follower.rows_received)} rows received, ${follower.pulls} full pull${follower.pulls === 1 ? '' : 's'}`,
    ),
    detail(
      result.lag_ms === undefined
        ? 'the last movements that the ERP acknowledged never came'
        : `the last movement was in the copy ${number(result.lag_ms)} ms after the ERP acknowledged it`,
    ),
    line(
      'Points',
      `${number(spent.points)} spent in ${number(spent.requests)} requests; told to wait ${spent.waits} times, ${number(spent.waited_seconds)} s`,
    ),
    detail(
      `the channel "${channel_code}" was allowed ${number(points_per_minute)} points a minute for this, not its usual 600`,
    ),
    line(
      'Compared',
      `${number(verdict.rows)} rows at version ${verdict.version}, checksum ${verdict.checksum}`,
    ),
    line('Differences', number(verdict.differences)),
    ...verdict.examples.map(detail),
    '',
  ].join('\n')
}

function line(name: string, text: string): string {
  return `${name.padEnd(12)}  ${text}`
}

function detail(text: string): string {
  return line('', `- ${text}`)
}

function tallied(leftOut: readonly { readonly reason: string }[]): Tally {
  const tally: Tally = new Map()
  for (const { reason } of leftOut) count(tally, reason)
  return tally
}

function reasons(tally: ReadonlyMap<string, number>, what: string): string[] {
  return [...tally].map(([reason, amount]) => detail(`${number(amount)} ${what}: ${reason}`))
}
