import { type CallOptions, type ErpResult, ok, UnknownOutcome } from '@trade-gateway/connector'
import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Reply } from '../contract/reply.ts'
import type { Gateway } from '../gateway.ts'
import { Deadline } from '../kernel/deadline.ts'
import { numberFigures, takeFigureNumber } from '../stock/figure-numbers.ts'
import { settleWithin, withoutPatience } from '../store/patience.ts'
import type { Tx } from '../store/store.ts'
import type { IntentRow } from '../store/tables.ts'
import {
  toDocumentInDoubtError,
  toLockLostError,
  toRejectionError,
  toSentTooLateError,
  toUnconfirmedWriteError,
} from './failures.ts'
import {
  closeIntent,
  commitIntent,
  DocumentChanged,
  type Figures,
  readDetail,
  SettledElsewhere,
  type Write,
  type WritePlan,
  type Writer,
  type Written,
} from './intent.ts'
import { freeKey, storeSettledResponse } from './keys.ts'
import { countOrder } from './order-count.ts'
import { publishFigures } from './publish.ts'
import { serializeWrite } from './serialize.ts'
import { recordSighting } from './sightings.ts'
import { maxIdleBeforeSendMs, writeTimeoutMs } from './timing.ts'

/** The longest time that a write waits for the number of its figures; a part of `maxIdleBeforeSendMs`. */
const maxNumberWaitMs = 500

/** Performs a write. The caller must hold the document's lock. */
export async function performWrite<Detail, Body, Row = never>(
  writer: Writer,
  write: Write<Detail, Body, Row>,
  plan: WritePlan<Detail, Row>,
): Promise<Reply<Body>> {
  const { warehouses = [], skus, held } = plan
  return serializeWrite(writer.gateway, { warehouses, skus }, (turnLost) => {
    const lost = turnLost ? AbortSignal.any([held.lost, turnLost]) : held.lost
    return executeWrite(writer, write, { ...plan, held: { ...held, lost } })
  }).catch((error: unknown) => {
    throw error instanceof UnknownOutcome ? toUnconfirmedWriteError(error) : error
  })
}

async function executeWrite<Detail, Body, Row>(
  writer: Writer,
  write: Write<Detail, Body, Row>,
  plan: WritePlan<Detail, Row>,
): Promise<Reply<Body>> {
  const { gateway } = writer
  const started = readClocks(gateway)
  const numbering = startNumbering(gateway)
  const intent = await commitIntent(writer, write.kind, plan).catch((error: unknown) => {
    throw error instanceof DocumentChanged ? toDocumentInDoubtError(plan.document.id) : error
  })
  let answer: ErpResult<Written>
  try {
    answer = requireDone(write, await sendToErp(writer, plan, { started, numbering }))
  } catch (error) {
    // A definite failure: the request was never sent, or the gateway refused it before the ERP. Any other write may
    // have taken effect.
    const isDefinite = error instanceof UnknownOutcome ? !error.sent : error instanceof GatewayError
    const failure = error instanceof GatewayError ? error : toUnconfirmedWriteError(error)
    countOrder(gateway, write, isDefinite ? 'not_sent' : 'unknown')
    if (isDefinite) recordSighting(gateway, intent).isUnsent = true
    if (isDefinite) await undoOwnIntent(gateway, write, { intent, httpStatus: failure.status })
    throw failure
  }
  if ('rejected' in answer) {
    countOrder(gateway, write, 'rejected')
    await undoOwnIntent(gateway, write, { intent, httpStatus: 422 })
    throw toRejectionError(answer.rejected)
  }
  return applyOutcome(writer, write, {
    intent,
    written: answer.ok,
    row: plan.row,
    record: plan.record,
  }).catch((error: unknown) => {
    if (error instanceof SettledElsewhere) throw toDocumentInDoubtError(intent.document_id)
    // The ERP performed the write even though storing the outcome failed.
    throw toUnconfirmedWriteError(error)
  })
}

/**
 * Calls the ERP, unless the token was revoked while its write waited, too much time has passed, or a lock was lost:
 * another process may be responsible for the write by now.
 */
async function sendToErp<Detail, Row>(
  { gateway, call }: Writer,
  plan: WritePlan<Detail, Row>,
  { started, numbering }: { readonly started: Clocks; readonly numbering: Numbering },
): Promise<ErpResult<Written>> {
  const deadline = Deadline.after(writeTimeoutMs)
  try {
    await plan.ready
    const number = await numbering
    // The write may have waited in a queue for a long time, so its token is checked again. The check precedes the time
    // limit below, because it may read the database.
    if (call?.caller) await gateway.sessions.requireLive(call.caller)
    if (measureSince(gateway, started) > maxIdleBeforeSendMs) throw toSentTooLateError()
    if (plan.held.lost.aborted) throw toLockLostError()
    return numberWritten(await plan.send(toCallOptions(call, deadline)), number)
  } finally {
    deadline.end()
  }
}

interface Clocks {
  readonly monotonic: number
  readonly machine: number
}

function readClocks({ clock }: Gateway): Clocks {
  return { monotonic: clock.monotonic(), machine: clock.machine() }
}

/**
 * Measures the time since then, in milliseconds, by the clock that has counted more. While the machine was suspended, which
 * the monotonic clock does not count, another process may have taken over and undone the write.
 */
function measureSince({ clock }: Gateway, { monotonic, machine }: Clocks): number {
  return Math.max(clock.monotonic() - monotonic, clock.machine() - machine)
}

/**
 * Requires that the ERP's document shows the write. One that does not, such as an order that is open after its void, says
 * nothing about the write, so its outcome is unknown.
 */
function requireDone<Detail, Body, Row>(
  write: Write<Detail, Body, Row>,
  answer: ErpResult<Written>,
): ErpResult<Written> {
  const document = 'ok' in answer ? answer.ok.document : null
  if (document === null || write.isDone(document)) return answer
  throw new UnknownOutcome(
    'malformed',
    `After ${write.kind}, the ERP reported a document that is ${document.status}.`,
  )
}

/** The number of a write's figures; undefined if they have a counter, `none` if no number could be taken. */
type Numbering = Promise<number | undefined | 'none'>

/** Takes the number while the intent is committed. A write never waits long for it, and never fails for it. */
function startNumbering(gateway: Gateway): Numbering {
  const taking = withoutPatience(() => takeFigureNumber(gateway))
  return settleWithin(taking, maxNumberWaitMs).catch(() => 'none' as const)
}

/** Numbers the figures of a write. Those without any counter are left to the ERP's hints. */
function numberWritten(answer: ErpResult<Written>, number: Awaited<Numbering>): ErpResult<Written> {
  if (!('ok' in answer)) return answer
  const toRows = (rows: Figures[number]['rows']) =>
    number === 'none' ? rows.filter(({ stock_seq }) => stock_seq !== null) : numberFigures(rows, number)
  const figures = answer.ok.figures.map((each) => ({ ...each, rows: toRows(each.rows) }))
  return ok({ ...answer.ok, figures })
}

function toCallOptions(call: Call | undefined, { signal }: Deadline): CallOptions {
  return call?.fault === undefined ? { signal } : { signal, fault: call.fault }
}

/**
 * Undoes the intent of a write that this process has just made. If another process settled the intent in the meantime,
 * or the database does not respond, the outcome is reported as unknown.
 */
async function undoOwnIntent<Detail, Body, Row>(
  gateway: Gateway,
  write: Write<Detail, Body, Row>,
  undo: Undo,
): Promise<void> {
  await undoWrite(gateway, write, undo).catch((error: unknown) => {
    if (error instanceof SettledElsewhere) throw toDocumentInDoubtError(undo.intent.document_id)
    // The intent is still open and keeps the key, even though the ERP has nothing.
    throw toUnconfirmedWriteError(error)
  })
}

interface Outcome<Row> {
  readonly intent: IntentRow
  readonly written: Written
  /** The document as the intent left it, if the plan has it. */
  readonly row?: Row | undefined
  /** Records an operator's change in the audit log, as the last statement of the same commit. */
  readonly record?: ((tx: Tx) => Promise<void>) | undefined
}

/** Commits what the ERP reported, publishes the stock figures, and only then returns the response. */
export async function applyOutcome<Detail, Body, Row>(
  writer: Writer,
  write: Write<Detail, Body, Row>,
  outcome: Outcome<Row>,
): Promise<Reply<Body>> {
  const [reply] = await Promise.all([
    commitOutcome(writer, write, outcome),
    publishFigures(writer.gateway, outcome.written.figures),
  ])
  return reply
}

/** Commits the outcome, the stored response and the events together. */
async function commitOutcome<Detail, Body, Row>(
  { gateway, call }: Writer,
  write: Write<Detail, Body, Row>,
  outcome: Outcome<Row>,
): Promise<Reply<Body>> {
  const { intent, written, row } = outcome
  const { scope, http_status } = intent
  const reply = await gateway.store.db.transaction().execute(async (tx) => {
    await closeIntent(tx, intent)
    const context = { gateway, tx, intent, detail: readDetail<Detail>(intent) }
    const response = await write.apply(context, written, row)
    if (scope !== null)
      await storeSettledResponse({ gateway, tx, scope }, { reply: response, status: http_status })
    await outcome.record?.(tx)
    if (call?.key) call.key.isKept = true
    return response
  })
  countOrder(gateway, write, 'placed')
  if (write.makesEvents) gateway.nudge('events')
  return reply
}

interface Undo {
  readonly intent: IntentRow
  /** The HTTP status that is stored with the key. */
  readonly httpStatus: number
  /** Whether the ERP may refuse the reference from now on. */
  readonly isReferenceSpent?: boolean
  /** Records a settlement by a person in the audit log, as the last statement of the same commit. */
  record?(tx: Tx): Promise<void>
}

/** Undoes an intent that the ERP did not perform: restores the document and frees the key. */
export async function undoWrite<Detail, Body, Row>(
  gateway: Gateway,
  write: Write<Detail, Body, Row>,
  undo: Undo,
): Promise<void> {
  const { intent, httpStatus, isReferenceSpent = false } = undo
  await gateway.store.db.transaction().execute(async (tx) => {
    await write.undo({ gateway, tx, intent, detail: readDetail<Detail>(intent), isReferenceSpent })
    await closeIntent(tx, intent)
    if (intent.scope !== null) await freeKey({ gateway, tx, scope: intent.scope }, httpStatus)
    await undo.record?.(tx)
  })
}
