import { UnknownOutcome } from '@trade-gateway/connector'
import { rotateSigningKeyWhenDue } from './access/signing-keys.ts'
import { noteAuditHead } from './audit/head.ts'
import { syncDocuments } from './documents/sync.ts'
import { sealPlainRecipients } from './dropship/seal-plain.ts'
import { publishStockChanges } from './events/stock-changed.ts'
import type { Gateway } from './gateway.ts'
import { releaseExpiredHolds } from './holds/expire.ts'
import { eraseRecipientsInTime, prune } from './housekeeping.ts'
import type { Log } from './kernel/log.ts'
import { describeLead, notableMs, SharedClock } from './kernel/shared-clock.ts'
import { runSteps } from './kernel/steps.ts'
import { startWorker, type Worker } from './kernel/worker.ts'
import { measureStore } from './measure.ts'
import { removeReport, reportProcess } from './processes/report.ts'
import { referenceIntervalMs, syncReferenceWhenDue } from './reference/sync.ts'
import { storeLegacyUse } from './requests/legacy-use.ts'
import { storeRequests } from './requests/record.ts'
import { Resealer } from './reseal.ts'
import { recordVersionsAndAdvanceHorizons } from './stock/history.ts'
import { compareWarehouses, followWarehouses } from './stock/sync.ts'
import { withoutPatience } from './store/patience.ts'
import type { Topic } from './store/store.ts'
import { findStorageTrouble } from './store/trouble.ts'
import { Dispatcher } from './webhooks/dispatch.ts'
import { Egress, type Sender } from './webhooks/egress.ts'
import { sequenceEvents } from './webhooks/sequence.ts'
import { awaitLateWrites } from './writes/lost.ts'
import { settleAll } from './writes/settle.ts'
import { writes } from './writes.ts'

const delivery = 'deliver webhooks'

/** A background worker. Its bounded turn takes no input, is repeated by a timer and started early by announcements. */
interface Job {
  readonly name: string
  /** The interval of the timer, in case an announcement is lost. */
  readonly everyMs: number
  /** The pause between two turns, so that one turn handles a whole burst. */
  readonly restMs?: number
  readonly wokenBy?: readonly Topic[]
  /** Returns true if more work is left, so that the next turn starts at once. */
  turn(): Promise<unknown>
  /** Runs when the process ends, after the requests and the last turn. */
  lastTurn?(): Promise<unknown>
}

/**
 * Lists the workers that read changes from the database into memory: stock, reference data, permissions, the pause of
 * writes and the time.
 */
function listFollowerJobs({ mirror, sessions, upstream, clock, log }: Gateway): Job[] {
  return [
    ...(clock instanceof SharedClock
      ? [{ name: 'follow clock', everyMs: 1_000, turn: () => followClock(clock, log) }]
      : []),
    { name: 'follow stock', everyMs: 1_000, wokenBy: ['stock'], turn: () => mirror.stock.follow() },
    {
      name: 'follow reference',
      everyMs: 5_000,
      wokenBy: ['reference'],
      turn: () => mirror.reference.follow(),
    },
    { name: 'follow access', everyMs: 500, wokenBy: ['access'], turn: () => sessions.follow() },
    { name: 'follow pauses', everyMs: 500, wokenBy: ['writes'], turn: () => upstream.writes.follow() },
  ]
}

async function followClock(clock: SharedClock, log: Log): Promise<void> {
  const movedMs = await clock.follow()
  if (Math.abs(movedMs) > notableMs)
    log.warn({}, `the clock of this process was ${describeLead(-movedMs)} the database's, and follows it`)
}

/**
 * Lists the workers that store what the ERP reports, and the one that notices the end of an outage of the ERP. `stopping`
 * ends the turns early that may take minutes.
 */
function listErpJobs(gateway: Gateway, stopping: AbortSignal): Job[] {
  const { syncIntervalMs } = gateway.config
  return [
    { name: 'sync stock', everyMs: syncIntervalMs, turn: () => followWarehouses(gateway, stopping) },
    // Of its own, because it may take minutes.
    { name: 'compare stock', everyMs: syncIntervalMs, turn: () => compareWarehouses(gateway, stopping) },
    { name: 'sync documents', everyMs: syncIntervalMs, turn: () => syncDocuments(gateway) },
    {
      name: 'sync reference',
      everyMs: referenceIntervalMs,
      wokenBy: ['access'],
      turn: () => syncReferenceWhenDue(gateway),
    },
    { name: 'ask an ERP that was away', everyMs: 5_000, turn: () => gateway.upstream.askAgain() },
  ]
}

/** Lists the workers that publish stock changes, number events and deliver them. */
function listDeliveryJobs(gateway: Gateway, dispatcher: Dispatcher): Job[] {
  return [
    {
      name: 'number events',
      everyMs: 500,
      // Long enough to number the events of a burst of orders together, and short for a single order.
      restMs: 3,
      wokenBy: ['events'],
      turn: () => sequenceEvents(gateway),
    },
    { name: delivery, everyMs: 250, wokenBy: ['deliveries'], turn: () => dispatcher.turn() },
    { name: 'notice stock changes', everyMs: 500, turn: () => publishStockChanges(gateway) },
  ]
}

/**
 * Lists the workers that settle writes, store the request log and the use of the legacy gateway, note the end of the
 * audit log, report this process, read values for the metrics, release expired holds, reseal values, seal and erase
 * recipients, rotate keys and delete old rows.
 */
function listUpkeepJobs(gateway: Gateway): Job[] {
  const resealer = new Resealer(gateway)
  return [
    { name: 'settle writes', everyMs: 1_000, turn: () => settleAll(gateway, writes) },
    { name: 'await late writes', everyMs: 5_000, turn: () => awaitLateWrites(gateway) },
    {
      name: 'store the request log',
      everyMs: 1_000,
      turn: () => storeRequests(gateway),
      lastTurn: () => storeAllRequests(gateway),
    },
    {
      name: 'note the end of the audit log',
      everyMs: 1_000,
      turn: () => noteAuditHead(gateway),
      lastTurn: () => noteAuditHead(gateway, true),
    },
    {
      name: 'report the process',
      everyMs: 1_000,
      turn: () => reportProcess(gateway),
      lastTurn: () => removeReport(gateway),
    },
    { name: 'measure the store', everyMs: 15_000, turn: () => measureStore(gateway) },
    {
      name: 'store the legacy use',
      everyMs: 5_000,
      turn: () => storeLegacyUse(gateway),
      lastTurn: () => storeLegacyUse(gateway),
    },
    { name: 'expire holds', everyMs: 500, turn: () => releaseExpiredHolds(gateway) },
    { name: 'seal again', everyMs: 10_000, turn: () => resealer.turn() },
    { name: 'seal recipients', everyMs: 10_000, turn: () => sealPlainRecipients(gateway) },
    { name: 'erase recipients', everyMs: 60_000, turn: () => eraseRecipientsInTime(gateway) },
    {
      name: 'housekeeping',
      everyMs: 60_000,
      turn: () => gateway.store.withLease('housekeeping', () => keepHouse(gateway)),
    },
  ]
}

/** Stores everything that the request log still has in memory. No request arrives any more. */
async function storeAllRequests(gateway: Gateway): Promise<void> {
  while (await storeRequests(gateway, true));
}

async function keepHouse(gateway: Gateway): Promise<void> {
  await runSteps([
    () => rotateSigningKeyWhenDue(gateway),
    () => prune(gateway),
    () => recordVersionsAndAdvanceHorizons(gateway),
  ])
}

/**
 * Starts every background worker; the returned function stops them all. `egress` sends the webhooks; the default one
 * calls their receivers over the network.
 */
export function startWorkers(
  { store, ...edges }: Gateway,
  egress: Sender = new Egress(edges.config),
): () => Promise<void> {
  const gateway: Gateway = { ...edges, store: store.forBackground() }
  const dispatcher = new Dispatcher(gateway, egress, () => wake('deliveries'))
  const stopping = new AbortController()
  const jobs = [
    ...listFollowerJobs(gateway),
    ...listErpJobs(gateway, stopping.signal),
    ...listDeliveryJobs(gateway, dispatcher),
    ...listUpkeepJobs(gateway),
  ]
  const started = jobs.map((job) => ({ job, worker: startJob(job, gateway) }))
  const wake = (topic: Topic) => {
    for (const { job, worker } of started) if (job.wokenBy?.includes(topic)) worker.nudge()
  }
  store.listen(wake)
  return async () => {
    stopping.abort()
    // The dispatcher must return its leases, even if another worker waits for an unresponsive ERP.
    const delivering = started.filter(({ job }) => job.name === delivery)
    const delivered = Promise.all(delivering.map(({ worker }) => worker.stop())).then(() => dispatcher.stop())
    await Promise.all([delivered, ...started.map(stopJob)])
    // Other workers may have changed something after the last turn of the one that notes it.
    await noteAuditHead(gateway, true).catch(() => {})
  }
}

/**
 * Stops a worker and runs its last turn at once: a worker that waits for an unresponsive ERP may outlast the time that
 * the process has left.
 */
async function stopJob({ job, worker }: { readonly job: Job; readonly worker: Worker }): Promise<void> {
  await worker.stop()
  await job.lastTurn?.().catch(() => {})
}

/**
 * Whether a failure is reported elsewhere: `StorageState` and `ErpWatch` report storage trouble and an unreachable ERP
 * once, for all workers. `StorageState` does not see the failures of files beside the database.
 */
function isReportedElsewhere(error: unknown): boolean {
  if (error instanceof Error && 'path' in error) return false
  if (findStorageTrouble(error) !== undefined) return true
  return error instanceof UnknownOutcome && error.kind !== 'malformed'
}

function startJob({ name, everyMs, restMs, turn }: Job, { log }: Gateway): Worker {
  const options = {
    name,
    everyMs,
    ...(restMs === undefined ? {} : { restMs }),
    log,
    isReported: isReportedElsewhere,
  }
  // A request may have woken the worker; its limit does not concern the turn.
  return startWorker({ ...options, turn: async () => (await withoutPatience(turn)) === true })
}
