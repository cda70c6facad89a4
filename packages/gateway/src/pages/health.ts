import type { Env, Hono } from 'hono'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { shareProbe } from '../kernel/share-probe.ts'
import { toStorageFacts } from '../pipeline/failure.ts'
import { countingApart, isCountingApart } from '../processes/counting-apart.ts'
import { listProcesses } from '../processes/report.ts'
import { listSealingKeys } from '../store/sealing-keys.ts'
import { deriveGuarantee } from '../upstream/guarantee.ts'

/**
 * The shortest time between two readings of the database by a check. Everybody may call the checks and none is refused,
 * so a flood of them must not become a flood of statements.
 */
const probeRestMs = 100

/**
 * Registers the health checks. `/livez` is 200 while the process responds. `/readyz` is 200 once the store responds and
 * the stock of every warehouse has been read; after that, neither an ERP that does not respond nor a warehouse that is
 * added later has an effect on it. It is 503 while the process shuts down. `/statusz` reports the state of the ERP, open
 * writes, due webhook queues, all processes and what they share, the age of each warehouse's stock, and whether requests
 * are refused because of overload.
 */
export function registerHealthRoutes<E extends Env>(
  app: Hono<E>,
  gateway: Gateway,
  isDraining: () => boolean,
) {
  const canRead = shareProbe(probeRestMs, () => canReadStore(gateway))
  const read = shareProbe(probeRestMs, () => readStatus(gateway))
  app.get('/livez', (c) => c.json({ data: { live: true } }, 200, noStore))
  app.get('/readyz', async (c) => {
    const store = await canRead()
    return c.json({ data: requireReady(gateway, store, isDraining()) }, 200, noStore)
  })
  app.get('/statusz', async (c) => c.json({ data: await read() }, 200, noStore))
}

/** Returns the results of the checks. Throws `INTERNAL` with status 503 and the results if the process is not ready. */
function requireReady(gateway: Gateway, store: boolean, draining: boolean) {
  const filled = gateway.mirror.stock.isReady
  const trouble = gateway.store.trouble()
  const kind = gateway.store.kind
  const checks = {
    store: { kind, answers: store, trouble: trouble ?? null },
    stock_filled: filled,
    draining,
  }
  if (trouble && !draining)
    throw new GatewayError('INTERNAL', { ...toStorageFacts(trouble), more: { checks } })
  if (!store || !filled || draining) {
    const say = draining ? (['stopping'] as const) : (['not_ready'] as const)
    throw new GatewayError('INTERNAL', { status: 503, say, retryAfter: 1, more: { checks } })
  }
  return { ready: true, ...checks }
}

async function readStatus(gateway: Gateway) {
  const now = gateway.clock.now()
  const { upstream } = gateway
  const { writes } = upstream
  return {
    sandbox: upstream.isSandbox,
    writes_enabled: writes.isEnabled,
    writes_paused_until: writes.pause ? formatInstant(writes.pause.paused_until) : null,
    upstream: {
      name: upstream.name ?? null,
      verdict: upstream.watch?.verdict ?? 'not_asked_yet',
      last_answer_seconds: upstream.watch?.answerAgeSeconds ?? null,
      circuit: upstream.circuit,
      rows_left_out: upstream.leftOut(),
      orders: upstream.known ? deriveGuarantee(upstream.known) : null,
    },
    writes_in_doubt: await readOpenWritesStatus(gateway, now),
    webhook_queue: await readDueQueuesStatus(gateway, now),
    secrets: await readSealingStatus(gateway),
    load: readLoadStatus(gateway),
    processes: await listProcesses(gateway),
    shared_counts: readSharedCountsStatus(gateway),
    warehouses: gateway.mirror.stock.warehouses().map(({ warehouse_code, synced_at }) => ({
      warehouse_code,
      rows: gateway.mirror.stock.snapshot(warehouse_code)?.liveRows ?? 0,
      age_seconds: computeSecondsSince(synced_at, now),
    })),
  }
}

/** Reads the number of open writes and the age of the oldest one; null if the store does not respond. */
async function readOpenWritesStatus(gateway: Gateway, now: number) {
  const row = await gateway.store.db
    .selectFrom('intents')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('sent_at').as('oldest')])
    .executeTakeFirst()
    .catch(() => undefined)
  return row ? { count: Number(row.count), oldest_seconds: computeSecondsSince(row.oldest, now) } : null
}

/**
 * Reads the number of webhook endpoints with due deliveries, and how long the oldest of those queues has been due; null
 * if the store does not respond.
 */
async function readDueQueuesStatus(gateway: Gateway, now: number) {
  const row = await gateway.store.db
    .selectFrom('webhook_queues')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('due_at').as('oldest')])
    .where('due_at', '<=', now)
    .executeTakeFirst()
    .catch(() => undefined)
  return row
    ? { endpoints_due: Number(row.count), oldest_seconds: computeSecondsSince(row.oldest, now) }
    : null
}

/**
 * Reads the number of encryption keys that values in the database may still need; null if the store does not respond.
 */
async function readSealingStatus({ store }: Gateway) {
  const keys = await listSealingKeys(store.db).catch(() => undefined)
  return keys ? { keys_in_use: keys.size } : null
}

/** Reads whether requests are refused because of overload, and how many were since the process started. */
function readLoadStatus({ memory: { load } }: Gateway) {
  return { shedding: load.isShedding, shed: load.shedInAll }
}

/**
 * Reads the state of the server in which processes share counts. `connected` is null without `VALKEY_URL`; `reason` says
 * why the server is away, and has no credentials.
 */
function readSharedCountsStatus(gateway: Gateway) {
  const { valkey } = gateway
  return {
    connected: valkey ? valkey.isConnected : null,
    reason: valkey?.reason ?? null,
    warning: isCountingApart(gateway) ? countingApart : null,
  }
}

function computeSecondsSince(epochMs: number | null, now: number): number | null {
  return epochMs === null ? null : Math.max(0, Math.floor((now - Number(epochMs)) / 1000))
}

const noStore = { 'Cache-Control': 'no-store' }

async function canReadStore(gateway: Gateway): Promise<boolean> {
  try {
    await gateway.store.db.selectFrom('installation').select('key').limit(1).execute()
    return true
  } catch {
    return false
  }
}
