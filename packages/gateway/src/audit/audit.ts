/**
 * Records every call of the operator's endpoints, and of `/metrics` with the admin token: time, request id, the actor's
 * name, address, endpoint, path, the query of a read, and result. The row of a change is written in the change's own
 * transaction, with the values before and after, so no change can happen without its row.
 *
 * Calls that changed nothing (reads, refusals, repeated calls) are recorded after the call. Refusals are recorded up to
 * a limit per minute, so that a caller without the token cannot fill the disk. A read that a page of the console repeats
 * by itself is recorded once an hour for each operator (decision 051).
 *
 * A change of permission by somebody else than an operator, a channel or the gateway itself, has a row as well.
 */

import type { ApiResponse, Audited, Call } from '../contract/call.ts'
import { errorTable } from '../contract/error-table.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { toJson } from '../store/json.ts'
import type { Tx } from '../store/store.ts'
import type { AuditDetail } from '../store/tables.ts'
import { appendTogether } from './append-together.ts'
import { type AuditContent, appendToChain, type ChainParts } from './chain.ts'

/** The largest number of refusals that are recorded in a minute. */
const maxRefusalsPerMinute = 60
const maxPathCharacters = 500
const maxActorCharacters = 100
const maxQueryCharacters = 500
/** How long a repeated read of a polled endpoint has no row of its own. */
const repeatedMs = 60 * 60_000
/** The actor of what the gateway does by itself. */
export const gatewayActor = 'gateway'

/** The origin of a change: an operator's call or, without a call, the gateway itself. */
export interface Acting {
  readonly gateway: Gateway
  readonly call?: Call | undefined
}

/**
 * An operator's change. `before` and `after` are the changed object as the API shows it; null if it did not exist. They
 * never contain a secret.
 */
export interface Change {
  readonly before: object | null
  readonly after: object | null
  /** The code or id of what a call to a collection created. The subject of the row is its path then. */
  readonly created?: string
}

interface CallEnding {
  readonly status: number
  readonly code?: string
  readonly query?: string
}

/**
 * Records an operator's change in the transaction of the change. It must be the transaction's last statement, because
 * it locks the chain of the audit log (`chain.ts`).
 */
export async function recordChange({ gateway, call }: Acting, tx: Tx, change: Change): Promise<void> {
  if (!call?.audit) return
  const { action, status } = call.audit
  const { before, after, created } = change
  const path = created === undefined ? call.path : `${call.path}/${created}`
  const row = toAuditRow(gateway, call, { action, detail: { status, before, after } })
  await appendToChain(gateway, tx, [{ ...row, subject: path.slice(0, maxPathCharacters) }])
  call.audit.isRecorded = true
}

/** A change that no operator made, and who made it. */
export interface OwnChange extends Change {
  readonly actor: string
  readonly action: string
  readonly subject: string
  /** The call that made the change; undefined if the gateway made it by itself. */
  readonly call?: Call | undefined
}

/**
 * Records a change of permission by a channel or by the gateway itself, in the transaction of the change. Like
 * `recordChange`, it must be the transaction's last statement.
 */
export async function recordOwnChange(parts: ChainParts, tx: Tx, change: OwnChange): Promise<void> {
  const { actor, action, subject, call, before, after } = change
  await appendToChain(parts, tx, [
    {
      audit_id: parts.ids.next('aud'),
      at: parts.clock.now(),
      request_id: call?.requestId ?? '',
      actor,
      address: call?.address ?? null,
      action,
      subject: subject.slice(0, maxPathCharacters),
      detail: toJson<AuditDetail>({ before, after }),
    },
  ])
}

/** What the record of a call needs of its endpoint. */
export type AuditedEndpoint = Pick<Endpoint, 'id' | 'method' | 'query' | 'status' | 'polled'>

/** Runs a call of an operator's endpoint, and records it unless its change already did. */
export async function withAudit(
  gateway: Gateway,
  endpoint: AuditedEndpoint,
  call: Call,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const action = endpoint.id
  const audit: Audited = { action, status: endpoint.status ?? 200, isRecorded: false }
  call.audit = audit
  let answer: ApiResponse
  try {
    answer = await work()
  } catch (error) {
    // The failure gets its own row even if the change has one: the transaction of the change may have been rolled back,
    // or the call failed after the commit.
    await recordIfPossible(gateway, call, { action, detail: toCallEnding(error) })
    throw error
  }
  if (audit.isRecorded) return answer
  const recorded = { action, detail: { status: answer.status, ...describeRead(endpoint, call) } }
  if (endpoint.polled) await recordUnlessRepeated(gateway, call, recorded)
  else await (endpoint.method === 'GET' ? recordIfPossible : recordCall)(gateway, call, recorded)
  return answer
}

/**
 * Records a read, unless the same operator's same read from the same address was recorded less than an hour ago. Each
 * process remembers its own.
 */
async function recordUnlessRepeated(gateway: Gateway, call: Call, recorded: Recorded): Promise<void> {
  const { recordedReads } = gateway.memory
  const read = JSON.stringify([readActor(call), call.address ?? null, call.path, call.rawQuery])
  const at = recordedReads.get(read)
  const now = gateway.clock.monotonic()
  if (at !== undefined && now < at + repeatedMs) return
  if (await recordIfPossible(gateway, call, recorded)) recordedReads.set(read, now)
}

/**
 * Describes whose data a read looked at. A query that is not valid is not recorded, because it may have a secret; nor is
 * one that the endpoint does not read.
 */
function describeRead({ query }: AuditedEndpoint, { method, rawQuery }: Call): { readonly query?: string } {
  const isDescribed = method === 'GET' && rawQuery !== '' && Object.keys(query).length > 0
  return isDescribed ? { query: rawQuery.slice(0, maxQueryCharacters) } : {}
}

function toCallEnding(error: unknown): CallEnding {
  const { code, facts } = error instanceof GatewayError ? error : new GatewayError('INTERNAL')
  return { status: facts.status ?? errorTable[code].status, code }
}

/**
 * Records a read or a failure. If that is not possible, the log says so, the call ends as it would, and the result is
 * false.
 */
async function recordIfPossible(gateway: Gateway, call: Call, recorded: Recorded): Promise<boolean> {
  try {
    await recordCall(gateway, call, recorded)
    return true
  } catch (error) {
    gateway.log.error(
      { request_id: call.requestId, action: recorded.action, error },
      'a use of the admin API could not be recorded',
    )
    return false
  }
}

async function recordCall(gateway: Gateway, call: Call, recorded: Recorded): Promise<void> {
  const { code } = recorded.detail
  const isRefused = code === 'ADMIN_UNAUTHORIZED' || code === 'RATE_LIMITED'
  const at = gateway.clock.monotonic()
  // While no admin token is configured, all calls are refused and none is recorded.
  if (code === 'ADMIN_DISABLED') return
  if (isRefused) {
    const { paid } = await gateway.quota.tokens.take('admin refused', 1, maxRefusalsPerMinute, at)
    if (!paid) return
  }
  await appendTogether(gateway, toAuditRow(gateway, call, recorded))
}

interface Recorded {
  readonly action: string
  readonly detail: AuditDetail
}

function toAuditRow(gateway: Gateway, call: Call, { action, detail }: Recorded): AuditContent {
  const actor = readActor(call)
  return {
    audit_id: gateway.ids.next('aud'),
    at: gateway.clock.now(),
    request_id: call.requestId,
    actor: actor === '' ? null : actor,
    address: call.address ?? null,
    action,
    subject: call.path.slice(0, maxPathCharacters),
    detail: toJson(detail),
  }
}

/**
 * Returns the operator's name as claimed in `X-Admin-Actor`; empty if there is none. Only printable ASCII is kept,
 * because header values have no reliable encoding for other characters.
 */
export function readActor(call: Call): string {
  const [sent = ''] = call.header('x-admin-actor')
  return sent
    .slice(0, maxActorCharacters)
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
}
