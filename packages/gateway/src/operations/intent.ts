import {
  type Answer,
  type CallOptions,
  type ErpDocument,
  type Output,
  type Quote,
  UnknownOutcome,
} from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import type { Call } from '../contract/call.ts'
import type { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { Deadline } from '../kernel/deadline.ts'
import { type Db, type Tx, together } from '../store/store.ts'
import type { IntentRow } from '../store/tables.ts'
import { mostWaitToSendMs } from '../upstream/guarded.ts'
import { definiteFailure, inDoubt, unknownFailure } from './failures.ts'
import { freeKey, keepSettled, openKey, type Resource } from './keys.ts'
import { publish } from './publish.ts'
import { inTurn } from './queue.ts'

/**
 * A write to the ERP has three steps: commit the intent with our reference, call the ERP outside any transaction,
 * commit its answer together with the key's answer. A crash in between leaves the intent, and `settle` resolves it by
 * asking the ERP for the reference: `applied` is the same code for both. A definite refusal undoes the intent; an
 * outcome that is not known leaves it open, and nobody sends it again before the ERP is known not to have it.
 */
export type Figures = Output<'submit'>['figures']

/** What the ERP says of a write: the document as it now is, and the newest figures of what it touched. */
export interface Written {
  /** Null where a hold found too little stock: nothing was made. */
  readonly document: ErpDocument | null
  readonly figures: Figures
  readonly quote?: Quote
}

/** One kind of write: how its outcome is recognised, and what it means for our documents. */
export interface Write<Detail, Told = unknown, Row = never> {
  readonly kind: string
  /** Whether `applied` may write events: then those who tell of them are woken. */
  readonly makesEvents?: true
  /** Whether the ERP's document shows that the write took effect. */
  isDone(document: ErpDocument): boolean
  /** Writes what the ERP answered; answers what the client is told. `row` is the plan's, where it gave one. */
  applied(
    gateway: Gateway,
    tx: Tx,
    intent: IntentRow,
    detail: Detail,
    written: Written,
    row?: Row,
  ): Promise<Reply<Told>>
  /** Puts our documents back to what they were before the intent. */
  undone(gateway: Gateway, tx: Tx, intent: IntentRow, detail: Detail): Promise<void>
}

/** A kind of write, its detail forgotten: it comes back from the database as it was written there. */
export type AnyWrite = Write<never>

export interface Plan<Detail, Row = never> {
  readonly document: Resource
  readonly lock: string
  readonly reference: string
  readonly channel_code: string
  readonly detail: Detail
  /** The status of the answer; 200 where it is left out. */
  readonly status?: number
  /** Where it allocates or gives back; an ERP may want such writes one after another. */
  readonly warehouses?: readonly string[]
  /** The document as the intent leaves it: nobody else changes it before the outcome is written. */
  readonly row?: Row
  /** Refuses the write in the transaction of its intent, where that takes a look at other documents. */
  check?(tx: Tx): Promise<void>
  /** What is found out while the intent is committed, and needed before anything leaves. */
  readonly ready?: Promise<unknown>
  /** What the intent changes in our documents, in its own commit. */
  mark(db: Db): readonly Compilable[]
  send(options: CallOptions): Promise<Answer<Written>>
}

/** How long the ERP may take for one write. */
export const writeTimeoutMs = 30_000
/** A process that was stopped between its intent and its call does not call any more: others may have given it up. */
const leaveWithinMs = 1_000
/** A connection that takes longer is given up (the connector's client). */
const connectMs = 3_000
/** No call leaves later than this after its intent was committed. */
export const mostLateMs = leaveWithinMs + mostWaitToSendMs + connectMs

/** Does a write for a caller, or for a worker (`call` undefined). Holds the document's lock already. */
export async function perform<Detail, Told, Row = never>(
  gateway: Gateway,
  call: Call | undefined,
  write: Write<Detail, Told, Row>,
  plan: Plan<Detail, Row>,
): Promise<Reply<Told>> {
  return inTurn(gateway, plan.warehouses ?? [], () => performed(gateway, call, write, plan)).catch(
    (error: unknown) => {
      throw error instanceof UnknownOutcome ? unknownFailure(error) : error
    },
  )
}

async function performed<Detail, Told, Row>(
  gateway: Gateway,
  call: Call | undefined,
  write: Write<Detail, Told, Row>,
  plan: Plan<Detail, Row>,
): Promise<Reply<Told>> {
  const began = gateway.clock.monotonic()
  const intent = await begun(gateway, call, write, plan)
  const deadline = Deadline.after(writeTimeoutMs)
  let answer: Answer<Written>
  try {
    await plan.ready
    if (gateway.clock.monotonic() - began > leaveWithinMs) throw tooLate()
    answer = await plan.send(optionsOf(call, deadline))
  } catch (error) {
    // It never left, or something before the ERP refused it. Everything else may have taken effect.
    const isDefinite = error instanceof UnknownOutcome ? !error.sent : error instanceof GatewayError
    if (isDefinite) await takenBack(gateway, write, intent, 502)
    throw error instanceof GatewayError ? error : unknownFailure(error)
  } finally {
    deadline.end()
  }
  if ('ok' in answer) {
    return finish(gateway, write, intent, answer.ok, call, plan.row).catch((error: unknown) => {
      if (error instanceof SettledElsewhere) throw inDoubt(intent.document_id)
      // The ERP has done it; that we could not write it down does not make it undone.
      throw unknownFailure(error)
    })
  }
  const failure = definiteFailure(answer.rejected)
  await takenBack(gateway, write, intent, 422)
  throw failure
}

/** Takes the intent of a definite failure back, unless someone else has settled it: then nothing is definite here. */
function takenBack(...[gateway, write, intent, status]: Parameters<typeof undo>): Promise<void> {
  return undo(gateway, write, intent, status).catch((error: unknown) => {
    throw error instanceof SettledElsewhere ? inDoubt(intent.document_id) : error
  })
}

function tooLate(): UnknownOutcome {
  return new UnknownOutcome('unreachable', 'The gateway was too slow to send it.', { sent: false })
}

function optionsOf(call: Call | undefined, { signal }: Deadline): CallOptions {
  return call?.fault === undefined ? { signal } : { signal, fault: call.fault }
}

async function begun<Detail, Told, Row>(
  gateway: Gateway,
  call: Call | undefined,
  write: Write<Detail, Told, Row>,
  plan: Plan<Detail, Row>,
): Promise<IntentRow> {
  const intent: IntentRow = {
    document_id: plan.document.id,
    lock_name: plan.lock,
    kind: write.kind,
    reference: plan.reference,
    channel_code: plan.channel_code,
    scope: call?.key?.scope ?? null,
    http_status: plan.status ?? 200,
    detail: JSON.stringify(plan.detail),
    request_id: call?.requestId ?? 'worker',
    sent_at: gateway.clock.now(),
    missed_at: null,
    looked_at: null,
  }
  const { db, atOnce } = gateway.store
  const statements = [
    db.insertInto('intents').values(intent),
    ...plan.mark(db),
    ...(call?.key ? [openKey(gateway, call.key, plan.document)] : []),
  ]
  if (!plan.check) await atOnce(statements)
  else
    await db.transaction().execute(async (tx) => {
      await plan.check?.(tx)
      await together(tx, statements)
    })
  return intent
}

/** Commits what the ERP answered, publishes the figures, and only then answers. */
export async function finish<Detail, Told, Row>(
  gateway: Gateway,
  write: Write<Detail, Told, Row>,
  intent: IntentRow,
  written: Written,
  call?: Call,
  row?: Row,
): Promise<Reply<Told>> {
  const [reply] = await Promise.all([
    committed(gateway, write, intent, written, call, row),
    publish(gateway, written.figures),
  ])
  return reply
}

/** The answer, the key's answer and the events of it, in one commit. */
async function committed<Detail, Told, Row>(
  gateway: Gateway,
  write: Write<Detail, Told, Row>,
  intent: IntentRow,
  written: Written,
  call: Call | undefined,
  row: Row | undefined,
): Promise<Reply<Told>> {
  const { scope, http_status } = intent
  const reply = await gateway.store.db.transaction().execute(async (tx) => {
    await closeIntent(tx, intent)
    const told = await write.applied(gateway, tx, intent, detailOf<Detail>(intent), written, row)
    if (scope !== null) await keepSettled(gateway, tx, scope, told, http_status)
    if (call?.key) call.key.isKept = true
    return told
  })
  if (write.makesEvents) gateway.nudge('events')
  return reply
}

/** Takes an intent back: the ERP did nothing. The document is as before, and the key is free. */
export async function undo<Detail, Told, Row>(
  gateway: Gateway,
  write: Write<Detail, Told, Row>,
  intent: IntentRow,
  httpStatus: number,
): Promise<void> {
  await gateway.store.db.transaction().execute(async (tx) => {
    await write.undone(gateway, tx, intent, detailOf<Detail>(intent))
    await closeIntent(tx, intent)
    if (intent.scope !== null) await freeKey(gateway, tx, intent.scope, httpStatus)
  })
}

/** The cast holds: the same kind of write put it there. */
function detailOf<Detail>({ detail }: IntentRow): Detail {
  return JSON.parse(detail) as Detail
}

async function closeIntent(tx: Tx, { document_id, kind, reference }: IntentRow): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('intents')
    .where('document_id', '=', document_id)
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .executeTakeFirst()
  // Someone else has settled it: what this commit was to write is written already, or undone.
  if (numDeletedRows !== 1n) throw new SettledElsewhere()
}

/** The intent was settled by another process while this one worked on it. */
export class SettledElsewhere extends Error {}

export function intentOfKey(db: Db, scope: string): Promise<IntentRow | undefined> {
  return db.selectFrom('intents').selectAll().where('scope', '=', scope).executeTakeFirst()
}
