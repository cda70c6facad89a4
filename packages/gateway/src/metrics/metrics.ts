import { Counter, Gauge, Registry } from 'prom-client'
import { apiVersion } from '../contract/version.ts'
import { DurationHistogram, type Durations } from './duration-histogram.ts'
import { RequestMeter } from './request-meter.ts'

/** The buckets of calls to the ERP and to receivers of webhooks, in seconds. */
const outsideBuckets = [0.025, 0.1, 0.5, 2.5, 10, 30]
const agentBuckets = [0.025, 0.1, 0.5, 2.5, 10]
/** The largest number of label sets of one histogram, in case a label is not as bounded as expected. */
const maxSets = 200

/** How a write of an order ended. */
export type OrderOutcome = 'placed' | 'rejected' | 'not_sent' | 'unknown' | 'undone'

/** What an `Idempotency-Key` did for a request. `reconciled` means that an open write was settled for it. */
export type KeyOutcome = 'first' | 'replayed' | 'in_progress' | 'mismatch' | 'reconciled'

/** Values of the database that a worker reads for the gauges, because a scrape must not query the database. */
export interface StoredValues {
  readonly holds: number
  readonly lockedAccounts: number
  readonly waitingDeliveries: number
  /** How long the oldest due queue has waited, in seconds. */
  readonly oldestDeliverySeconds: number
  readonly deadLetters: number
  readonly openWrites: number
  readonly oldestWriteSeconds: number
}

interface MetricsOptions {
  readonly isOn: boolean
  readonly version: string
  /** The number of this process among those of one supervisor, a label of each sample; undefined without one. */
  readonly processNumber?: number | undefined
}

/**
 * What one gateway measures about itself, in a registry of its own. No label names a channel, an account or a SKU.
 * Counters start with the process, and each process of a database counts what it does itself.
 */
export class Metrics {
  readonly registry = new Registry()
  /** Whether requests are measured. They are not if nobody may read the metrics. */
  readonly isOn: boolean
  /** What the worker read last; undefined before its first turn. */
  stored: (StoredValues & { readonly readAt: number }) | undefined
  readonly requests = new RequestMeter(this.registry)
  readonly tokensIssued = this.#count('tgw_tokens_issued_total', 'Access tokens issued.', ['grant'])
  readonly keys = this.#count('tgw_idempotency_total', 'Requests with an Idempotency-Key.', ['outcome'])
  readonly legacyPaths = this.#count(
    'tgw_legacy_path_requests_total',
    'Requests to paths of the legacy gateway.',
    [],
  )
  readonly stockChanges = this.#count('tgw_stock_changes_total', 'Stock rows that this process changed.', [
    'warehouse',
  ])
  readonly compareDifferences = this.#count(
    'tgw_full_compare_differences_total',
    'Stock rows that a full compare found different although the ERP had not reported their change.',
    ['warehouse'],
  )
  readonly fullSyncs = this.#count(
    'tgw_full_sync_forced_total',
    'Responses of the change feed that demand a full sync, except first ones without a cursor.',
    ['reason'],
  )
  readonly orders = this.#count('tgw_orders_total', 'Submits of orders, by how they ended.', [
    'kind',
    'status',
  ])
  readonly holdsExpired = this.#count('tgw_holds_expired_total', 'Expired holds that were released.', [])
  readonly deliveries = this.#count('tgw_webhook_deliveries_total', 'Attempts to deliver a webhook.', [
    'type',
    'outcome',
    'attempt',
  ])
  readonly delivery = new DurationHistogram({
    name: 'tgw_webhook_delivery_duration_seconds',
    help: 'Duration of attempts to deliver a webhook.',
    labelNames: [],
    buckets: outsideBuckets,
    registry: this.registry,
  }).addSeries({})
  readonly requestsLeftOut = this.#count(
    'tgw_request_log_left_out_total',
    'Requests that are missing from the request log, because there were too many.',
    [],
  )
  readonly ownDecisions = this.#count(
    'tgw_shared_count_fallback_total',
    'Decisions on limits that this process made by its own share, because the server of VALKEY_URL was away.',
    [],
  )
  readonly #upstream = new DurationHistogram({
    name: 'http_client_request_duration_seconds',
    help: 'Duration of calls to the ERP, retries and waiting included.',
    labelNames: ['upstream_operation', 'status'],
    buckets: outsideBuckets,
    registry: this.registry,
  })
  readonly #upstreamSeries = new Map<string, Durations>()
  readonly #agents = new DurationHistogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Duration of operations of the Model Context Protocol.',
    labelNames: ['method', 'tool', 'error_type', 'protocol_version'],
    buckets: agentBuckets,
    registry: this.registry,
  })
  readonly #agentSeries = new Map<string, Durations>()

  /** Writes the metrics as text: this process's own, or those of all processes of the supervisor. */
  read: () => Promise<string> = () => this.registry.metrics()

  constructor({ isOn, version, processNumber }: MetricsOptions) {
    this.isOn = isOn
    if (processNumber !== undefined) this.registry.setDefaultLabels({ process: String(processNumber) })
    new Gauge({
      name: 'tgw_build_info',
      help: 'The running version.',
      labelNames: ['version', 'api_version'],
      registers: [this.registry],
    }).set({ version, api_version: apiVersion }, 1)
  }

  #count<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  /** Measures a call to the ERP. `status` is `ok`, `rejected` or why there is no result. */
  endUpstreamCall(operation: string, status: string, seconds: number) {
    const labels = { upstream_operation: operation, status }
    findSeries(this.#upstreamSeries, this.#upstream, labels)?.observe(seconds)
  }

  /** Measures an operation of an agent. `tool` is empty if the operation is not a call of a tool. */
  endAgentOperation(operation: AgentOperation, seconds: number) {
    const { method, tool, errorType, protocolVersion } = operation
    const labels = { method, tool, error_type: errorType, protocol_version: protocolVersion }
    findSeries(this.#agentSeries, this.#agents, labels)?.observe(seconds)
  }
}

export interface AgentOperation {
  readonly method: string
  readonly tool: string
  /** Empty for a success. */
  readonly errorType: string
  readonly protocolVersion: string
}

function findSeries(
  known: Map<string, Durations>,
  histogram: DurationHistogram,
  labels: Readonly<Record<string, string>>,
): Durations | undefined {
  const key = Object.values(labels).join(' ')
  const found = known.get(key)
  if (found || known.size >= maxSets) return found
  const added = histogram.addSeries(labels)
  known.set(key, added)
  return added
}
