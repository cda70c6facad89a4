import { testType } from '../events/outbox.ts'
import { changesUrl, type KeptStockChange, mostRows } from '../events/shown.ts'
import { isInSight } from '../events/sight.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { epochOf } from '../stock/epoch.ts'
import { changesSince } from '../stock/shelf.ts'
import type { PostError } from './egress.ts'
import type { Due, Target } from './queue.ts'

/** Why a delivery is not sent at all; undefined where it is. The allowlist counts as it is now. */
export function withheld(gateway: Gateway, target: Target, due: Due): PostError | undefined {
  if (due.data === null) return 'not_allowed'
  if (due.event_type !== testType && !target.event_types.includes(due.event_type)) return 'not_subscribed'
  const { warehouse_code } = due
  return warehouse_code === null || isInSight(gateway, target.sight, warehouse_code)
    ? undefined
    : 'not_allowed'
}

/** The body as it is signed and sent: `{event_id, type, channel_code, occurred_at, data}`. */
export function bodyOf({ mirror, config }: Gateway, { channel_code }: Target, due: Due): Buffer {
  const head =
    `{"event_id":${JSON.stringify(due.event_id)},"type":${JSON.stringify(due.event_type)},` +
    `"channel_code":${JSON.stringify(channel_code)},"occurred_at":"${instant(due.occurred_at ?? 0)}","data":`
  const data = due.data ?? '{}'
  if (due.event_type !== 'stock.changed') return Buffer.from(`${head}${data}}`)
  const kept: KeptStockChange = JSON.parse(data)
  const { warehouse_code, since, version, changed_count } = kept
  const shelf = mirror.stock.shelf(warehouse_code)
  // Of another history there is nothing to tell but that it is another.
  const isSame = shelf !== undefined && epochOf(shelf.version) === epochOf(since)
  const found = isSame ? changesSince(shelf, since, mostRows + 1) : { rows: [], count: 0 }
  const shown = found.count > mostRows && shelf ? changesSince(shelf, since, mostRows) : found
  const truncated = !isSame || found.count > mostRows || (shelf?.version ?? 0) < version
  return Buffer.concat([
    Buffer.from(
      `${head}{"warehouse_code":${JSON.stringify(warehouse_code)},"since":${since},"version":${version},` +
        `"latest":${Math.max(version, shelf?.version ?? 0)},"changed_count":${changed_count},"rows":[`,
    ),
    ...shown.rows,
    Buffer.from(
      `],"truncated":${truncated},"changes_url":${JSON.stringify(changesUrl(kept, config.baseUrl))}}}`,
    ),
  ])
}
