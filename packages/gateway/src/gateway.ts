import type { Erp } from '@trade-gateway/connector'
import { Keys } from './access/keys.ts'
import { Sessions } from './access/sessions.ts'
import { writes } from './catalogue.ts'
import type { Config } from './config.ts'
import { syncDocuments } from './documents/sync.ts'
import { noticeStockChanges } from './events/stock-changed.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { type Secrets, secretsWith } from './kernel/crypto.ts'
import { type Ids, randomIds } from './kernel/ids.ts'
import type { Log } from './kernel/log.ts'
import { Quota } from './kernel/quota.ts'
import { startWorker, type Worker } from './kernel/worker.ts'
import { expireDue } from './operations/expiry.ts'
import { settleAll } from './operations/settle.ts'
import { prune } from './prune.ts'
import { ReferenceMirror } from './reference/mirror.ts'
import { syncReference } from './reference/sync.ts'
import type { Steer } from './sandbox/steer.ts'
import { beginEpoch } from './stock/epoch.ts'
import { HighWater } from './stock/high-water.ts'
import { keepHistory } from './stock/history.ts'
import { StockMirror } from './stock/mirror.ts'
import { syncStock } from './stock/sync.ts'
import { readInstallation } from './store/installation.ts'
import type { Store, Topic } from './store/store.ts'
import { Description } from './upstream/description.ts'
import { guarded } from './upstream/guarded.ts'
import { readOnly } from './upstream/read-only.ts'
import { Dispatcher } from './webhooks/dispatch.ts'
import { Egress } from './webhooks/egress.ts'
import { sequenceEvents } from './webhooks/sequence.ts'

/** The process's edges and its memory. Every verb takes it; it does not grow with features. */
export interface Gateway {
  readonly config: Config
  readonly store: Store
  readonly erp: Erp
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly secrets: Secrets
  /** This installation's id, made at its first start. */
  readonly installation: string
  /** What the ERP says of itself. */
  readonly upstream: Description
  readonly mirror: { readonly stock: StockMirror; readonly reference: ReferenceMirror }
  readonly keys: Keys
  readonly sessions: Sessions
  /** Points per channel; tokens per client or account. */
  readonly quota: { readonly points: Quota; readonly tokens: Quota }
  /** Tells every process that something under a topic changed. */
  nudge(topic: Topic): void
}

export interface Parts {
  readonly config: Config
  readonly store: Store
  readonly erp: Erp
  readonly log: Log
  readonly clock?: Clock
  readonly ids?: Ids
  /** The controls of the sandbox ERP. */
  readonly steer?: Steer
  /** Where the newest answered versions are noted; without it, a restored database is seen by live processes only. */
  readonly highWaterFile?: string
}

/** Puts a gateway together over a migrated store. Nothing runs yet: `startWorkers` does that. */
export async function openGateway(parts: Parts): Promise<Gateway> {
  const { config, store, log, clock = systemClock, ids = randomIds } = parts
  const guard = guarded(parts.erp, clock)
  const erp = config.writesEnabled ? guard.erp : readOnly(guard.erp)
  const secrets = secretsWith(config.secretsKey)
  const installation = await readInstallation(store, secrets, ids)
  const highWater = new HighWater(parts.highWaterFile)
  const stock = new StockMirror(store, highWater, (above) => beginEpoch({ store, clock, log }, above))
  const mirror = { stock, reference: new ReferenceMirror(store) }
  const keys = new Keys(store, secrets, clock, ids, `trade-gateway:${installation}`)
  await keys.load()
  const sessions = new Sessions({ store, clock, config, keys })
  const quota = { points: new Quota(), tokens: new Quota() }
  const nudge = (topic: Topic) => store.announce(topic)
  return {
    config,
    store,
    erp,
    clock,
    ids,
    log,
    secrets,
    installation,
    upstream: new Description(erp, clock, guard.state, parts.steer),
    mirror,
    keys,
    sessions,
    quota,
    nudge,
  }
}

/** How often what is announced is looked at anyway. */
const pollMs = { stock: 1_000, reference: 5_000, access: 500, events: 500, deliveries: 250 }
/** Orders that come thick and fast are numbered together; one alone does not wait. */
const numberingRestMs = 3
const referenceSyncMs = 15_000
const housekeepingMs = 60_000
const settleMs = 1_000
/** A hold that is over is given back within a second. */
const expireMs = 500
/** How soon a stock that was quiet is told of. */
const noticeMs = 500

/** Starts every background worker; the answer stops them all. */
export function startWorkers(gateway: Gateway): () => Promise<void> {
  const { log, config, store, mirror, sessions, keys } = gateway
  const dispatcher = new Dispatcher(gateway, new Egress(config), () => follow.deliveries.nudge())
  const follow: Record<Topic, Worker> = {
    stock: startWorker({
      name: 'follow stock',
      everyMs: pollMs.stock,
      log,
      turn: turn(() => mirror.stock.follow()),
    }),
    reference: startWorker({
      name: 'follow reference',
      everyMs: pollMs.reference,
      log,
      turn: turn(() => mirror.reference.follow()),
    }),
    access: startWorker({
      name: 'follow access',
      everyMs: pollMs.access,
      log,
      turn: turn(() => sessions.follow()),
    }),
    events: startWorker({
      name: 'number events',
      everyMs: pollMs.events,
      restMs: numberingRestMs,
      log,
      turn: () => sequenceEvents(gateway),
    }),
    deliveries: startWorker({
      name: 'deliver webhooks',
      everyMs: pollMs.deliveries,
      log,
      turn: () => dispatcher.turn(),
    }),
  }
  const sync: Partial<Record<Topic, Worker>> = {
    reference: startWorker({
      name: 'sync reference',
      everyMs: referenceSyncMs,
      log,
      turn: turn(() => syncReference(gateway)),
    }),
  }
  const others = [
    startWorker({
      name: 'sync stock',
      everyMs: config.syncIntervalMs,
      log,
      turn: turn(() => syncStock(gateway)),
    }),
    startWorker({
      name: 'sync documents',
      everyMs: config.syncIntervalMs,
      log,
      turn: turn(() => syncDocuments(gateway)),
    }),
    startWorker({
      name: 'settle writes in doubt',
      everyMs: settleMs,
      log,
      turn: turn(() => settleAll(gateway, writes)),
    }),
    startWorker({
      name: 'expire holds',
      everyMs: expireMs,
      log,
      turn: turn(() => expireDue(gateway)),
    }),
    startWorker({
      name: 'notice stock changes',
      everyMs: noticeMs,
      log,
      turn: turn(() => noticeStockChanges(gateway)),
    }),
    startWorker({
      name: 'housekeeping',
      everyMs: housekeepingMs,
      log,
      turn: turn(async () => {
        await keys.rotateWhenDue()
        await prune(gateway)
        await keepHistory(gateway)
      }),
    }),
  ]
  store.listen((topic) => {
    follow[topic].nudge()
    if (topic === 'access') sync.reference?.nudge()
  })
  const all = [...Object.values(follow), ...Object.values(sync), ...others]
  return async () => {
    await Promise.all(all.map((worker) => worker.stop()))
    await dispatcher.stop()
  }
}

function turn(work: () => Promise<void>) {
  return async () => {
    await work()
    return undefined
  }
}
