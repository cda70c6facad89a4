import type { Erp } from '@trade-gateway/connector'
import { prepareAuditChain } from './audit/adopt.ts'
import type { Config } from './config.ts'
import type { Gateway } from './gateway.ts'
import { Keys } from './identity/keys.ts'
import { Sessions } from './identity/sessions.ts'
import { adminTokenGuarded, metricsTokenGuarded, TokenGuard } from './identity/token-guard.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { type Ids, randomIds } from './kernel/ids.ts'
import { LoadShedder } from './kernel/load-shedder.ts'
import type { Log } from './kernel/log.ts'
import { type Counter, Quota } from './kernel/quota.ts'
import { describeLead, notableMs, SharedClock } from './kernel/shared-clock.ts'
import type { Spans } from './kernel/spans.ts'
import { Tracing } from './kernel/tracing.ts'
import { kinds } from './kinds.ts'
import { registerGauges } from './measure.ts'
import { createMemory, type Memory } from './memory.ts'
import { Metrics } from './metrics/metrics.ts'
import { readPackageVersion } from './metrics/package-version.ts'
import { beginEpoch } from './snapshot/epoch.ts'
import { HighWater } from './snapshot/high-water.ts'
import { ReferenceMirror } from './snapshot/reference-mirror.ts'
import { StockMirror } from './snapshot/stock-mirror.ts'
import { openInstallation } from './store/installation.ts'
import { beginRecipientSealing } from './store/recipient-sealing.ts'
import { listRestores } from './store/restores.ts'
import type { Store, Topic } from './store/store.ts'
import { Description } from './upstream/description.ts'
import { guardErp } from './upstream/guarded.ts'
import { OperationFigures } from './upstream/operation-figures.ts'
import { refuseWrites } from './upstream/read-only.ts'
import type { SandboxControl } from './upstream/steer.ts'
import { ErpWatch } from './upstream/watch.ts'
import { WriteSwitch } from './upstream/write-switch.ts'
import { Batch } from './valkey/batch.ts'
import { SharedCounter } from './valkey/shared-counter.ts'
import { Valkey } from './valkey/valkey.ts'

export interface Parts {
  readonly config: Config
  readonly store: Store
  readonly erp: Erp
  readonly log: Log
  /** By default that of the database, if several processes may use it, and else that of this machine. */
  readonly clock?: Clock
  readonly ids?: Ids
  /** Returns the number of rows of the ERP that were left out because no database can store them. */
  readonly leftOut?: () => number
  /** The controls of the sandbox ERP. */
  readonly steer?: SandboxControl
  /**
   * The file with the newest stock versions that were sent to clients. Without the file, a process does not detect that
   * the database was restored while it was not running.
   */
  readonly highWaterFile?: string
  /** The file that notes the end of the audit log. Without it, only the log and the process note it. */
  readonly auditHeadFile?: string
  /** Records spans; without it, none are. */
  readonly spans?: Spans
  /** For tests: a longer wait for the server of `VALKEY_URL`. */
  readonly valkey?: { readonly waitMs: number }
}

const maxCountedSubjects = 100_000
const maxCountedAddresses = 20_000

interface CounterParts {
  readonly valkey: Valkey | undefined
  readonly clock: Clock
  readonly memory: Memory
}

async function openClock({ readClock }: Store, log: Log): Promise<Clock> {
  const clock = readClock ? await SharedClock.open(readClock) : systemClock
  const aheadMs = systemClock.now() - clock.now()
  if (Math.abs(aheadMs) > notableMs)
    log.warn({}, `the clock of this machine is ${describeLead(aheadMs)} the database's, which counts`)
  return clock
}

/** Builds a gateway on a migrated store. No worker runs until `startWorkers`. */
export async function openGateway(parts: Parts): Promise<Gateway> {
  const { config, store, ids = randomIds } = parts
  const clock = parts.clock ?? (await openClock(store, parts.log))
  const tracing = new Tracing(parts.spans)
  const log = tracing.traceLog(parts.log)
  const watch = new ErpWatch(clock, log, describeErp(config))
  const metrics = new Metrics({
    isOn: mayAnyoneRead(config),
    version: readPackageVersion(),
    processNumber: config.processNumber,
  })
  const figures = new OperationFigures(clock)
  const guard = guardErp(parts.erp, clock, { watch, tracing, metrics, figures })
  const writes = new WriteSwitch({ store, clock, isEnabled: config.writesEnabled })
  await writes.follow()
  const erp = refuseWrites(guard.erp, writes)
  const recipientsSealedFrom = await beginRecipientSealing({ store, clock })
  const { id: installation, secrets } = await openInstallation(store, config.secretsKeys, ids)
  await prepareAuditChain({ store, secrets, clock, ids, log })
  const highWater = new HighWater(parts.highWaterFile, log)
  const stock = new StockMirror(store, highWater, (above) => beginEpoch({ store, clock, log }, above))
  const mirror = { stock, reference: new ReferenceMirror(store.forBackground()) }
  const keys = new Keys(store, secrets, clock, ids, `trade-gateway:${installation}`)
  await keys.load()
  const sessions = new Sessions({ store, clock, config, keys })
  const load = new LoadShedder({
    clock,
    readStoreDelay: () => store.connectionDelayMs(),
    countUnfinished: () => metrics.requests.active,
  })
  const nudge = (topic: Topic) => store.announce(topic)
  const memory = createMemory({
    ...{ tracing, metrics, load, recipientsSealedFrom },
    auditHeadFile: parts.auditHeadFile,
    restores: await listRestores(store.db),
    process: { id: ids.next('prc'), startedAt: clock.now(), behindSince: undefined, count: 1, warnedOf: 1 },
  })
  const valkey =
    config.valkeyUrl === undefined
      ? undefined
      : await Valkey.open({ url: config.valkeyUrl, installation, log, ids, ...parts.valkey })
  const counters = createCounters({ valkey, clock, memory })
  const gateway: Gateway = {
    config,
    store,
    erp,
    clock,
    ids,
    log,
    secrets,
    installation,
    upstream: new Description(erp, clock, {
      writes,
      circuit: guard.state,
      circuitSince: guard.since,
      figures,
      steer: parts.steer,
      watch,
      countLeftOut: parts.leftOut,
    }),
    mirror,
    kinds,
    memory,
    keys,
    sessions,
    adminGuard: new TokenGuard(adminTokenGuarded, { clock, log, tries: counters.adminTries }),
    metricsGuard: new TokenGuard(metricsTokenGuarded, { clock, log, tries: counters.metricsTries }),
    quota: counters,
    valkey,
    nudge,
  }
  registerGauges(gateway)
  return gateway
}

/** Creates the counts: in the memory of this process or, with `VALKEY_URL`, shared by all processes. */
function createCounters({ valkey, clock, memory }: CounterParts) {
  const batch = valkey ? new Batch(valkey) : undefined
  const create = (name: string, maxSubjects = maxCountedSubjects): Counter => {
    if (!valkey || !batch) return new Quota(maxSubjects)
    const countProcesses = () => memory.process.count
    const onOwnDecision = () => memory.metrics.ownDecisions.inc()
    return new SharedCounter({ valkey, batch, name, clock, countProcesses, onOwnDecision, maxSubjects })
  }
  return {
    points: create('points'),
    tokens: create('tokens'),
    refusals: create('refusals'),
    addresses: create('addresses', maxCountedAddresses),
    adminTries: create('admin', maxCountedAddresses),
    metricsTries: create('metrics', maxCountedAddresses),
  }
}

/** Whether anybody may read `/metrics`. If not, requests are not measured. */
function mayAnyoneRead({ metrics, adminToken }: Config): boolean {
  return metrics.isPublic || metrics.token !== undefined || adminToken !== undefined
}

/** Describes the ERP for the log. Contains only the host, because the URL may contain a password. */
function describeErp({ upstream }: Config): string {
  return upstream ? `the ERP at ${new URL(upstream.url).host} (UPSTREAM_URL)` : 'the sandbox ERP'
}
