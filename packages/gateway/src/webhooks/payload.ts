import { buildChangesUrl, maxRows, type StoredStockChange } from '../events/event-json.ts'
import { testType } from '../events/outbox.ts'
import { findKinds, isVisible } from '../events/visibility.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readEpoch } from '../snapshot/epoch.ts'
import { listChangesSince } from '../snapshot/stock-snapshot.ts'
import type { PostError } from './egress.ts'
import type { Due, Target } from './queue.ts'

/**
 * Finds why a delivery must not be sent; undefined if it may be sent. Checks the current allowlist, not the one at the
 * time of the event.
 */
export async function findReasonToWithhold(
  gateway: Gateway,
  target: Target,
  due: Due,
): Promise<PostError | undefined> {
  if (due.data === null) return 'not_allowed'
  if (due.event_type !== testType && !target.event_types.includes(due.event_type)) return 'not_subscribed'
  const { warehouse_code } = due
  if (warehouse_code === null) return undefined
  const kinds = await findKinds(gateway, gateway.store.db, [warehouse_code])
  const kind = kinds.get(warehouse_code)
  return isVisible(target.visibility, { warehouse_code, kind }) ? undefined : 'not_allowed'
}

/** Builds the body that is signed and sent: `{event_id, type, channel_code, occurred_at, data}`. */
export function buildBody({ mirror, config }: Gateway, { channel_code }: Target, due: Due): Buffer {
  const head =
    `{"event_id":${JSON.stringify(due.event_id)},"type":${JSON.stringify(due.event_type)},` +
    `"channel_code":${JSON.stringify(channel_code)},"occurred_at":"${formatInstant(due.occurred_at ?? 0)}","data":`
  const data = due.data ?? '{}'
  if (due.event_type !== 'stock.changed') return Buffer.from(`${head}${data}}`)
  const stored: StoredStockChange = JSON.parse(data)
  const { warehouse_code, since, version, changed_count } = stored
  const snapshot = mirror.stock.snapshot(warehouse_code)
  // Versions of another epoch cannot be compared, so the event has no rows and is marked as truncated.
  const isSameEpoch = snapshot !== undefined && readEpoch(snapshot.version) === readEpoch(since)
  const found = isSameEpoch ? listChangesSince(snapshot, since, maxRows + 1) : { rows: [], count: 0 }
  const sent = found.count > maxRows && snapshot ? listChangesSince(snapshot, since, maxRows) : found
  const truncated = !isSameEpoch || found.count > maxRows || (snapshot?.version ?? 0) < version
  return Buffer.concat([
    Buffer.from(
      `${head}{"warehouse_code":${JSON.stringify(warehouse_code)},"since":${since},"version":${version},` +
        `"latest":${Math.max(version, snapshot?.version ?? 0)},"changed_count":${changed_count},"rows":[`,
    ),
    ...sent.rows,
    Buffer.from(
      `],"truncated":${truncated},"changes_url":${JSON.stringify(buildChangesUrl(stored, config.baseUrl))}}}`,
    ),
  ])
}
