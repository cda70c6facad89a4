import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { readHours } from '../../requests/hours.ts'
import { countLegacyChannels } from '../../requests/legacy-use.ts'
import { findSyncedAt } from '../../stock/warehouses.ts'
import { countAttention } from './attention.ts'

/** Reads the overview of the newest hours, the running one included. */
export async function readOverview(gateway: Gateway, hours: number) {
  const [figures, attention] = await Promise.all([readHours(gateway, hours), countAttention(gateway)])
  const { series, latency } = figures
  const sum = (
    field: 'calls' | 'failures' | 'points' | `webhooks_${'delivered' | 'failed'}` | 'dead_letters',
  ) => series.reduce((total, entry) => total + entry[field], 0)
  return {
    period: { since: formatInstant(figures.since), until: formatInstant(figures.until) },
    requests: {
      total: sum('calls'),
      failed: sum('failures'),
      points: sum('points'),
      p50_ms: latency.readQuantileMs(0.5),
      p95_ms: latency.readQuantileMs(0.95),
    },
    series: series.map(({ dead_letters: _deadLetters, ...entry }) => ({
      ...entry,
      at: formatInstant(entry.at),
    })),
    errors: figures.errors.map(({ name, calls }) => ({ code: name, count: calls })),
    channels: figures.channels.map(({ name, ...channel }) => ({ channel_code: name, ...channel })),
    webhooks: {
      delivered: sum('webhooks_delivered'),
      failed: sum('webhooks_failed'),
      dead_letters: sum('dead_letters'),
    },
    stock: listStockAges(gateway),
    attention: { ...attention, legacy_channels: await countLegacyChannels(gateway, figures.since) },
  }
}

function listStockAges(gateway: Gateway) {
  const now = gateway.clock.now()
  return gateway.mirror.stock.warehouses().map(({ warehouse_code }) => {
    const syncedAt = findSyncedAt(gateway, warehouse_code)
    const age = syncedAt === null ? null : Math.max(0, Math.floor((now - syncedAt) / 1000))
    return { warehouse_code, age_seconds: age }
  })
}
