import { callOperation, type ErpResult, withTimeout } from '../erp.ts'
import type { OperationId, Output } from '../operations.ts'
import { callTimeoutMs, shorten } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { requireSameDocument, skipWithoutDeduplication } from './holds.ts'
import { type Buyer, defineOrderCheck, type OrderProbe } from './order-probe.ts'

/** The number of orders that are sent at once. */
const concurrentOrders = 8
/** Each of the orders wants more than this part of the stock, so only some of them can be allocated. */
const parts = 4

type Outcome<T> = { readonly result: ErpResult<T> } | { readonly failure: string }

/** Lists the checks of writes that arrive at the same time. */
export function listParallelChecks(buyer: Buyer): Check[] {
  return [
    defineOrderCheck(
      buyer,
      {
        id: 'parallel',
        states: `${concurrentOrders} concurrent orders of one SKU allocate no more than there is, and each gets a definite result.`,
      },
      requireNoOversale,
    ),
    defineOrderCheck(
      buyer,
      {
        id: 'once.parallel',
        states: 'A reference that is sent twice at the same time creates one document.',
      },
      requireOneDocument,
    ),
  ]
}

/** Sends an operation without a check of its result. */
async function send<Id extends OperationId>(
  probe: OrderProbe,
  id: Id,
  input: unknown,
): Promise<Outcome<Output<Id>>> {
  try {
    const result = await callOperation(probe.erp, id, input, withTimeout(callTimeoutMs))
    // The cast holds because the checks of single calls compare this operation's results with its schema.
    return { result: result as ErpResult<Output<Id>> }
  } catch (error) {
    return { failure: shorten(error instanceof Error ? error.message : String(error)) }
  }
}

async function requireNoOversale(probe: OrderProbe): Promise<undefined> {
  const before = await probe.readAvailable()
  const quantity = Math.floor(before / parts) + 1
  const inputs = Array.from({ length: concurrentOrders }, () => probe.createSubmitInput(quantity))
  const outcomes = await Promise.all(inputs.map((input) => send(probe, 'submit', input)))
  const reasons = outcomes.flatMap((outcome) =>
    'result' in outcome && 'rejected' in outcome.result ? [outcome.result.rejected.reason] : [],
  )
  // An ERP that must not get such orders at the same time may fail them. It still must not sell too much.
  if (probe.capabilities.serialise === 'nothing') requireDefiniteResults(outcomes, reasons)
  const sold = await sumAllocated(
    probe,
    inputs.map(({ reference }) => reference),
  )
  const after = await probe.readAvailable()
  const isSomeSold = sold > 0 || reasons.some((reason) => reason !== 'insufficient_stock') || before < 1
  if (sold <= before && before - after === sold && isSomeSold) return
  throw new ConformanceFailure({
    expected: `${concurrentOrders} concurrent orders of ${quantity} ${probe.sku} to allocate some, and at most the ${before} that were available`,
    actual: `${sold} allocated, and ${after} available afterwards`,
    remedy:
      'Lock the stock of the SKU in the warehouse before its quantity is read, and allocate in the same transaction.',
  })
}

function requireDefiniteResults(outcomes: readonly Outcome<unknown>[], reasons: readonly string[]): void {
  const failed = outcomes.find((outcome) => 'failure' in outcome)
  const strange = reasons.find(
    (reason) => reason !== 'insufficient_stock' && reason !== 'insufficient_balance',
  )
  if (!failed && strange === undefined) return
  throw new ConformanceFailure({
    expected: 'each of the concurrent orders to be placed, or refused with insufficient_stock',
    actual: failed && 'failure' in failed ? `no result: ${failed.failure}` : `the refusal ${strange}`,
    remedy:
      'Repeat a step that failed because of a lock, within a deadline, or declare what serialise must be.',
  })
}

async function sumAllocated(probe: OrderProbe, references: readonly string[]): Promise<number> {
  let sum = 0
  for (const reference of references) {
    const document = await probe.readDocument(reference)
    for (const line of document?.lines ?? []) sum += line.quantity_allocated
  }
  return sum
}

async function requireOneDocument(probe: OrderProbe): Promise<Skipped | undefined> {
  const forgets = skipWithoutDeduplication(probe)
  if (forgets) return forgets
  if (!(await isRepeatDetected(probe)))
    return skip('A repeated reference creates another document even in sequence (orders.submit.once).')
  const order = probe.createSubmitInput(4)
  await probe.requireLowered(4, 'an order of 4 that was sent twice at once', async () => {
    const both = await Promise.all([send(probe, 'submit', order), send(probe, 'submit', order)])
    requireSameNumbers(both, 'submit')
  })
  if (probe.capabilities.holds === 'none') return undefined
  const hold = probe.createHoldInput(5)
  await probe.requireLowered(5, 'a hold of 5 that was sent twice at once', async () => {
    const both = await Promise.all([send(probe, 'hold', hold), send(probe, 'hold', hold)])
    requireSameNumbers(both, 'hold')
  })
  return undefined
}

/** Whether references that are repeated one after the other create no further document. */
async function isRepeatDetected(probe: OrderProbe): Promise<boolean> {
  const order = probe.createSubmitInput(1)
  const orders = [await send(probe, 'submit', order), await send(probe, 'submit', order)]
  if (probe.capabilities.holds === 'none') return countNumbers(orders) === 1
  const hold = probe.createHoldInput(1)
  const holds = [await send(probe, 'hold', hold), await send(probe, 'hold', hold)]
  return countNumbers(orders) === 1 && countNumbers(holds) === 1
}

type Written = Outcome<Output<'hold' | 'submit'>>

function listDocuments(outcomes: readonly Written[]) {
  return outcomes.flatMap((outcome) =>
    'result' in outcome && 'ok' in outcome.result && outcome.result.ok.document
      ? [outcome.result.ok.document]
      : [],
  )
}

function countNumbers(outcomes: readonly Written[]): number {
  return new Set(listDocuments(outcomes).map(({ number }) => number)).size
}

/** Throws if two calls with one reference returned different documents. One of them may have failed or been refused. */
function requireSameNumbers(both: readonly Written[], operation: string): void {
  const [one, other] = listDocuments(both)
  if (one && other) requireSameDocument(one, other, operation)
}
