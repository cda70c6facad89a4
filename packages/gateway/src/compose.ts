import type { Erp } from '@trade-gateway/connector'
import { prepareAuditChain } from './audit/adopt.ts'
import type { Config } from './config.ts'
import type { Gateway } from './gateway.ts'
import { Keys } from './identity/keys.ts'
import { Sessions } from './identity/sessions.ts'
import { adminTokenGuarded, metricsTokenGuarded, TokenGuard } from './identity/token-guard.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { type Ids, randomIds } from './kernel/ids.ts'
import type { Log } from './kernel/log.ts'
import { Quota } from './kernel/quota.ts'
import type { Spans } from './kernel/spans.ts'
import { Tracing } from './kernel/tracing.ts'
import { kinds } from './kinds.ts'
import { registerGauges } from './measure.ts'
import { createMemory } from './memory.ts'
import { Metrics } from './metrics/metrics.ts'
import { readPackageVersion } from './metrics/package-version.ts'
import { beginEpoch } from './snapshot/epoch.ts'
import { HighWater } from './snapshot/high-water.ts'
import { ReferenceMirror } from './snapshot/reference-mirror.ts'
import { StockMirror } from './snapshot/stock-mirror.ts'
import { openInstallation } from './store/installation.ts'
import type { Store, Topic } from './store/store.ts'
import { Description } from './upstream/description.ts'
import { guardErp } from './upstream/guarded.ts'
import { OperationFigures } from './upstream/operation-figures.ts'
import { refuseWrites } from './upstream/read-only.ts'
import type { SandboxControl } from './upstream/steer.ts'
import { ErpWatch } from './upstream/watch.ts'
import { WriteSwitch } from './upstream/write-switch.ts'

export interface Parts {
  readonly config: Config
  readonly store: Store
  readonly erp: Erp
  readonly log: Log
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
}

const maxCountedAddresses = 20_000

/** Builds a gateway on a migrated store. No worker runs until `startWorkers`. */
export async function openGateway(parts: Parts): Promise<Gateway> {
  const { config, store, clock = systemClock, ids = randomIds } = parts
  const tracing = new Tracing(parts.spans)
  const log = tracing.traceLog(parts.log)
  const watch = new ErpWatch(clock, log, describeErp(config))
  const metrics = new Metrics({ isOn: mayAnyoneRead(config), version: readPackageVersion() })
  const figures = new OperationFigures(clock)
  const guard = guardErp(parts.erp, clock, { watch, tracing, metrics, figures })
  const writes = new WriteSwitch({ store, clock, isEnabled: config.writesEnabled })
  await writes.follow()
  const erp = refuseWrites(guard.erp, writes)
  const { id: installation, secrets } = await openInstallation(store, config.secretsKeys, ids)
  await prepareAuditChain({ store, secrets, clock, ids, log })
  const highWater = new HighWater(parts.highWaterFile)
  const stock = new StockMirror(store, highWater, (above) => beginEpoch({ store, clock, log }, above))
  const mirror = { stock, reference: new ReferenceMirror(store.forBackground()) }
  const keys = new Keys(store, secrets, clock, ids, `trade-gateway:${installation}`)
  await keys.load()
  const sessions = new Sessions({ store, clock, config, keys })
  const nudge = (topic: Topic) => store.announce(topic)
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
    memory: createMemory(tracing, metrics, parts.auditHeadFile),
    keys,
    sessions,
    adminGuard: new TokenGuard(adminTokenGuarded, { clock, log }),
    metricsGuard: new TokenGuard(metricsTokenGuarded, { clock, log }),
    quota: createQuotas(),
    nudge,
  }
  registerGauges(gateway)
  return gateway
}

function createQuotas() {
  return {
    points: new Quota(),
    tokens: new Quota(),
    refusals: new Quota(),
    addresses: new Quota(maxCountedAddresses),
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
