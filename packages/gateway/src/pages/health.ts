import type { Env, Hono } from 'hono'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { guaranteeOf } from '../upstream/guarantee.ts'

/**
 * `/livez`: the process answers. `/readyz`: the store answers and every warehouse was filled once; afterwards the
 * ERP no longer matters. `/statusz`: the ERP, writes in doubt, the queue of webhooks, how old each warehouse's stock is.
 */
export function health<E extends Env>(app: Hono<E>, gateway: Gateway) {
  app.get('/livez', (c) => c.json({ data: { live: true } }, 200, noStore))

  app.get('/readyz', async (c) => {
    const store = await storeAnswers(gateway)
    const filled = gateway.mirror.stock.isFilled
    const checks = { store: { kind: gateway.store.kind, answers: store }, stock_filled: filled }
    if (!store || !filled) {
      throw new GatewayError('INTERNAL', { status: 503, say: ['not_ready'], retryAfter: 1, more: { checks } })
    }
    return c.json({ data: { ready: true, ...checks } }, 200, noStore)
  })

  app.get('/statusz', async (c) => {
    const now = gateway.clock.now()
    const { upstream } = gateway
    const warehouses = gateway.mirror.stock.warehouses().map((warehouse) => ({
      warehouse_code: warehouse.warehouse_code,
      rows: gateway.mirror.stock.shelf(warehouse.warehouse_code)?.liveRows ?? 0,
      age_seconds:
        warehouse.synced_at === null ? null : Math.max(0, Math.floor((now - warehouse.synced_at) / 1000)),
    }))
    return c.json(
      {
        data: {
          sandbox: upstream.isSandbox,
          writes_enabled: gateway.config.writesEnabled,
          upstream: {
            name: upstream.name ?? null,
            circuit: upstream.circuit,
            orders: upstream.known ? guaranteeOf(upstream.known) : null,
          },
          writes_in_doubt: await inDoubt(gateway, now),
          webhook_queue: await webhookQueue(gateway, now),
          warehouses,
        },
      },
      200,
      noStore,
    )
  })
}

/** Writes whose outcome is not known; null while the store does not answer. */
async function inDoubt(gateway: Gateway, now: number) {
  const row = await gateway.store.db
    .selectFrom('intents')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('sent_at').as('oldest')])
    .executeTakeFirst()
    .catch(() => undefined)
  return row ? { count: Number(row.count), oldest_seconds: secondsSince(row.oldest, now) } : null
}

/** Endpoints with something to deliver now, and for how long; null while the store does not answer. */
async function webhookQueue(gateway: Gateway, now: number) {
  const row = await gateway.store.db
    .selectFrom('webhook_queues')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('due_at').as('oldest')])
    .where('due_at', '<=', now)
    .executeTakeFirst()
    .catch(() => undefined)
  return row ? { endpoints_due: Number(row.count), oldest_seconds: secondsSince(row.oldest, now) } : null
}

function secondsSince(epochMs: number | null, now: number): number | null {
  return epochMs === null ? null : Math.max(0, Math.floor((now - Number(epochMs)) / 1000))
}

const noStore = { 'Cache-Control': 'no-store' }

async function storeAnswers(gateway: Gateway): Promise<boolean> {
  try {
    await gateway.store.db.selectFrom('installation').select('key').limit(1).execute()
    return true
  } catch {
    return false
  }
}
