/**
 * Several gateways on one PostgreSQL, each with its own connections. In the first trial, business transactions that
 * commit in any sequence write events, two gateways number these events, and a reader follows them and must miss none.
 * In the second, four gateways deliver together, and each event must be delivered once.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createErp, rejected } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createChannel } from '../../src/access/channels.ts'
import { openGateway } from '../../src/compose.ts'
import type { Caller } from '../../src/contract/call.ts'
import { buildEventInsert } from '../../src/events/outbox.ts'
import { listEvents } from '../../src/events/read.ts'
import type { Gateway } from '../../src/gateway.ts'
import { jsonLog } from '../../src/kernel/log.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { Dispatcher } from '../../src/webhooks/dispatch.ts'
import { Egress } from '../../src/webhooks/egress.ts'
import { createEndpoint } from '../../src/webhooks/register.ts'
import { sequenceEvents } from '../../src/webhooks/sequence.ts'
import { createTestConfig } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase } from './databases.ts'
import { SeededRandom } from './dice.ts'
import { seed, shouldSkip, sizes } from './sizes.ts'

const timeoutMs = 600_000
/** SQLSTATE `query_canceled`: a statement was longer than the store waits for one. */
const cancelledCode = '57014'
const writers = 8
const channels = 16
const formatChannelCode = (at: number) => `channel-${at}`

const caller: Caller = {
  channel_code: formatChannelCode(0),
  channel_name: formatChannelCode(0),
  plan: 'full',
  grant_type: 'client_credentials',
  capabilities: new Set(),
  allowlist: undefined,
  customer_code: null,
  points_per_minute: 1,
  switches: { wholesale: true, dropship: true, webhooks: true },
  account: undefined,
  token: { jti: '', expires_at: 0, signed_until: 0, legacy: false },
}

async function withGateways(count: number, work: (gateways: readonly Gateway[]) => Promise<void>) {
  const database = await createFreshDatabase()
  const log = jsonLog('error')
  const erp = createErp(async (id) => rejected('not_supported', `${id} is not asked here`))
  const gateways: Gateway[] = []
  try {
    for (let each = 0; each < count; each++) {
      const store = await openPostgres(database.url, log)
      if (each === 0) await migrate(store)
      const config = createTestConfig({ WEBHOOK_ALLOW_PRIVATE_NETS: '1' })
      gateways.push(await openGateway({ config, store, erp, log }))
    }
    const [first] = gateways
    if (!first) throw new Error('There is no gateway.')
    for (let at = 0; at < channels; at++) {
      await createChannel({ gateway: first }, formatChannelCode(at), {
        name: formatChannelCode(at),
        plan: 'full',
        warehouse_allowlist: [],
        customer_code: null,
        points_per_minute: null,
        wholesale_enabled: true,
        dropship_enabled: true,
        webhooks_enabled: true,
      })
    }
    await work(gateways)
  } finally {
    for (const { store } of gateways) await store.close()
    await database.drop()
  }
}

/** Writes an event in a transaction that commits a little later or is rolled back. Returns whether it committed. */
async function runBusinessTransaction(
  gateway: Gateway,
  subject: string,
  dice: SeededRandom,
  {
    number,
    channel = formatChannelCode(0),
  }: { number?: (() => Promise<number>) | undefined; channel?: string } = {},
): Promise<boolean> {
  const isTakenBack = dice.drawBoolean(0.1)
  const taken = await gateway.store.db
    .transaction()
    .execute(async (tx) => {
      const event = {
        type: 'order.created',
        channel_code: channel,
        warehouse_code: null,
        request_id: 'trial',
        trace_parent: null,
      } as const
      if (number === undefined)
        await tx.executeQuery(
          buildEventInsert(
            tx,
            { ...event, subject, data: { subject } },
            { now: gateway.clock.now(), origin: undefined },
          ),
        )
      else {
        const row = {
          ...event,
          event_id: `evt_${subject}`,
          occurred_at: 0,
          data: JSON.stringify({ subject }),
        }
        await tx
          .insertInto('events')
          .values({ ...row, number: await number() })
          .execute()
      }
      await sql`select pg_sleep(${dice.drawInteger(0, 8) / 1000})`.execute(tx)
      if (isTakenBack) throw new Error('taken back')
    })
    .then(
      () => true,
      () => false,
    )
  return taken
}

/**
 * Numbers a batch of events as the worker does: the database may cancel the wait for the counter that another process
 * holds, and the turn is taken again. Returns whether more events may be waiting.
 */
function takeNumberingTurn(gateway: Gateway): Promise<boolean> {
  return sequenceEvents(gateway).catch((error: { code?: string }) => {
    if (error.code === cancelledCode) return true
    throw error
  })
}

interface Followed {
  readonly committed: ReadonlySet<string>
  readonly read: readonly string[]
}

/** Runs writers, two gateways that number events, and a reader that follows as fast as possible. */
async function runFollowTrial(
  gateways: readonly Gateway[],
  count: number,
  viaSequence: boolean,
): Promise<Followed> {
  const [first] = gateways
  if (!first) throw new Error('There is no gateway.')
  const { db } = first.store
  if (viaSequence) await sql`create sequence numbers`.execute(db)
  const drawNumber = async () => {
    const { rows } = await sql<{ value: number }>`select nextval('numbers') as value`.execute(db)
    return rows[0]?.value ?? 0
  }
  const committed = new Set<string>()
  let isOver = false
  let left = count
  const writing = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const dice = new SeededRandom((seed ?? 1) + writer)
      const gateway = gateways[writer % gateways.length] ?? first
      for (let at = 0; left-- > 0; at++) {
        const subject = `${writer}-${at}`
        if (
          await runBusinessTransaction(gateway, subject, dice, {
            number: viaSequence ? drawNumber : undefined,
          })
        )
          committed.add(subject)
        if (viaSequence) {
          const shown = sql`select last_value as value from numbers`
          await sql`update counters set value = (${shown}) where name = 'events'`.execute(db)
        }
      }
    }),
  )
  const numbering = viaSequence
    ? []
    : gateways.slice(0, 2).map(async (gateway) => {
        while (!isOver || (await takeNumberingTurn(gateway)))
          if (!(await takeNumberingTurn(gateway))) await pause(1)
      })
  const read: string[] = []
  let cursor: string | undefined
  const readNextPage = async () => {
    const page = await listEvents(first, caller, { since: cursor, page_size: 50 })
    read.push(...page.data.map(({ data }) => String(data.subject)))
    cursor = page.data.at(-1)?.event_id ?? cursor
    return page.data.length > 0
  }
  const reading = (async () => {
    while (!isOver) if (!(await readNextPage())) await pause(1)
  })()
  await writing
  isOver = true
  await Promise.all([...numbering, reading])
  while (await readNextPage());
  return { committed, read }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const withoutPostgres = shouldSkip('events of several processes', { postgres: true })

describe.skipIf(withoutPostgres)('events that eight connections write', () => {
  it(
    'are read once each by who follows their numbers, and none that was taken back',
    () =>
      withGateways(3, async (gateways) => {
        const { committed, read } = await runFollowTrial(gateways, sizes.webhookEvents, false)
        reportFigure(['I19'], `${committed.size} events committed, ${read.length} read`)
        expect(read.length).toBe(new Set(read).size)
        expect(new Set(read)).toEqual(committed)
        expect(committed.size).toBeLessThan(sizes.webhookEvents)
      }),
    timeoutMs,
  )

  it(
    'would be missed by the hundred if a sequence numbered them: this trial can tell',
    () =>
      withGateways(3, async (gateways) => {
        const { committed, read } = await runFollowTrial(gateways, Math.min(sizes.webhookEvents, 2_000), true)
        const missed = [...committed].filter((subject) => !read.includes(subject)).length
        reportFigure(['I19'], `numbered by a sequence: ${missed} of ${committed.size} events missed`)
        expect(missed).toBeGreaterThan(0)
      }),
    timeoutMs,
  )
})

describe.skipIf(withoutPostgres)('four processes', () => {
  it(
    'deliver together, each event once to each endpoint',
    () =>
      withGateways(4, async (gateways) => {
        const [first] = gateways
        if (!first) return
        const copies = new Map<string, number>()
        const server = createServer((request, response) => {
          request.resume()
          const key = `${request.url} ${request.headers['webhook-id']}`
          copies.set(key, (copies.get(key) ?? 0) + 1)
          response.end()
        })
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const { port } = server.address() as AddressInfo
        for (let at = 0; at < channels; at++) {
          for (let each = 0; each < 5; each++) {
            const url = `http://127.0.0.1:${port}/${at}/${each}`
            const owner = { ...caller, channel_code: formatChannelCode(at) }
            await createEndpoint({ gateway: first, caller: owner }, { url, event_types: ['order.created'] })
          }
        }
        const dispatchers = gateways.map((gateway) => new Dispatcher(gateway, new Egress(gateway.config)))
        let isOver = false
        const working = gateways.map(async (gateway, at) => {
          let worked = 0
          while (!isOver) {
            await takeNumberingTurn(gateway)
            await dispatchers[at]?.turn()
            worked = Math.max(worked, dispatchers[at]?.inFlight ?? 0)
            await pause(2)
          }
          return worked
        })
        const dice = new SeededRandom(seed ?? 1)
        const committed: string[] = []
        const writing = Array.from({ length: writers }, async (_, writer) => {
          for (let at = 0; at < sizes.webhookEvents / writers; at++)
            if (
              await runBusinessTransaction(first, `d-${writer}-${at}`, dice, {
                channel: formatChannelCode(dice.drawInteger(0, channels - 1)),
              })
            )
              committed.push(`d-${writer}-${at}`)
        })
        await Promise.all(writing)
        const hasUnsentEvents = async () => {
          const waiting = await first.store.db.selectFrom('outbox').select('event_id').limit(1).execute()
          const pending = await first.store.db
            .selectFrom('webhook_deliveries')
            .select('delivery_id')
            .where('status', '=', 'pending')
            .limit(1)
            .execute()
          return waiting.length + pending.length > 0
        }
        while (await hasUnsentEvents()) await pause(20)
        isOver = true
        const worked = await Promise.all(working)
        for (const dispatcher of dispatchers) await dispatcher.stop()
        server.closeAllConnections()
        server.close()
        const delivering = worked.filter((each) => each > 0).length
        reportFigure(['I20'], `${committed.length} events to 5 endpoints by ${delivering} processes`)
        expect(copies.size).toBe(committed.length * 5)
        expect([...copies.values()].filter((count) => count !== 1)).toEqual([])
        expect(worked.filter((each) => each > 0).length).toBeGreaterThan(1)
      }),
    timeoutMs,
  )

  it('take over at once from one that is gone, and not from one that lives', () =>
    withGateways(2, async ([first, second]) => {
      if (!first || !second) return
      const { endpoint_id } = await createEndpoint(
        { gateway: first, caller },
        {
          url: 'http://127.0.0.1:9/',
          event_types: ['order.created'],
        },
      )
      const takeLease = (leased_by: string) =>
        first.store.db
          .updateTable('webhook_queues')
          .set({ leased_by, leased_until: first.clock.now() + 60_000 })
          .where('endpoint_id', '=', endpoint_id)
          .execute()
      const readLeaseHolder = async () =>
        (await first.store.db.selectFrom('webhook_queues').select('leased_by').executeTakeFirst())?.leased_by
      const dispatcher = new Dispatcher(second, new Egress(second.config))
      await takeLease('one that lives')
      const living = first.store.withLock('delivering one that lives', 0, () => dispatcher.turn())
      await living
      expect(await readLeaseHolder()).toBe('one that lives')
      await takeLease('one that is gone')
      const other = new Dispatcher(second, new Egress(second.config))
      await other.turn()
      expect(await readLeaseHolder()).toBeNull()
      await dispatcher.stop()
      await other.stop()
    }))
})
