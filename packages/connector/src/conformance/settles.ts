import { setTimeout as pause } from 'node:timers/promises'
import { callOperation } from '../erp.ts'
import type { Output } from '../operations.ts'
import { callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { type Buyer, defineOrderCheck, type OrderProbe } from './order-probe.ts'

/** The times in milliseconds after which the suite breaks off a submit, to settle it at different steps. */
const cutAfterMs = [0, 2, 10, 50] as const
/** The shortest time in milliseconds for which the suite watches whether something that was settled still happens. */
const minWatchMs = 200

type Look = (probe: OrderProbe) => Promise<Skipped | undefined>

/** Lists the checks of `settle`: it finishes or fences what was begun under a reference, and creates nothing. */
export function listSettleChecks(buyer: Buyer): Check[] {
  const watchMs = Math.max(minWatchMs, buyer.patience_ms)
  const defineCheck = (id: string, states: string, look: Look) =>
    defineOrderCheck(buyer, { id: `settle.${id}`, states }, async (probe) => {
      if (probe.capabilities.settles) return look(probe)
      return skip('The ERP declares that it cannot settle writes (settles: false).')
    })
  return [
    defineCheck('found', 'settle finds a finished order, each time it is called.', requireOrderFound),
    defineCheck(
      'absent',
      'settle of an unknown reference creates nothing, each time it is called.',
      requireNothingCreated,
    ),
    defineCheck(
      'fences',
      'A write that arrives after its reference was settled as absent creates nothing.',
      requireFence,
    ),
    defineCheck(
      'told',
      'If lookup says whether a reference is fenced, it is right before settle and after it.',
      requireFenceTold,
    ),
    defineCheck(
      'cut',
      'A submit that was broken off is finished or taken back by settle, and nothing happens afterwards.',
      (probe) => requireCutSubmitsEnded(probe, watchMs),
    ),
    defineOrderCheck(
      buyer,
      { id: 'settle.none', states: 'An ERP that cannot settle refuses it with not_supported.' },
      async (probe) => {
        if (probe.capabilities.settles) return skip('The ERP declares that it can settle writes.')
        await callRefused(probe.erp, 'settle', { reference: probe.createReference() }, 'not_supported')
        return undefined
      },
    ),
  ]
}

function settle(probe: OrderProbe, reference: string): Promise<Output<'settle'>> {
  return callOk(probe.erp, 'settle', { reference })
}

async function requireOrderFound(probe: OrderProbe): Promise<undefined> {
  const { document } = await probe.requireLowered(1, 'an order of 1 that was settled twice', async () => {
    const order = await probe.submit(1)
    for (let times = 0; times < 2; times++) {
      const { state, document } = await settle(probe, order.document.reference)
      if (state === 'found' && document?.number === order.document.number) continue
      throw new ConformanceFailure({
        expected: `settle to return found with ${order.document.number}`,
        actual: `${state} with ${document?.number ?? 'no document'}`,
        remedy: 'Return the document of the reference if it exists, as lookup does.',
      })
    }
    return order
  })
  // Whether a repeated reference is detected in general is another check.
  if (probe.capabilities.dedupes_by_reference) return
  const { number } = (await probe.submitAgain(document.reference, 1)) ?? document
  if (number === document.number) return
  throw new ConformanceFailure({
    expected: `a submit that arrives after settle to return ${document.number} or to be refused`,
    actual: `the further order ${number}`,
    remedy: 'After settle, nothing that was sent earlier with the reference may take effect.',
  })
}

async function requireNothingCreated(probe: OrderProbe): Promise<undefined> {
  const reference = probe.createReference()
  await probe.requireLowered(0, 'settling an unknown reference', async () => {
    for (let times = 0; times < 2; times++) {
      const { state, document } = await settle(probe, reference)
      if (state === 'absent' && document === null) continue
      throw new ConformanceFailure({
        expected: 'settle of an unknown reference to return absent and no document',
        actual: `${state} with ${document?.number ?? 'no document'}`,
        remedy:
          'settle ends what was begun and begins nothing. A record that only blocks the reference is no document.',
      })
    }
  })
}

async function requireFence(probe: OrderProbe): Promise<undefined> {
  await probe.requireLowered(0, 'an order and a hold that arrive after settle', async () => {
    const order = probe.createSubmitInput(2)
    await settle(probe, order.reference)
    await callRefused(probe.erp, 'submit', order, 'invalid_state')
    if (probe.capabilities.holds === 'none') return
    const hold = probe.createHoldInput(2)
    await settle(probe, hold.reference)
    await callRefused(probe.erp, 'hold', hold, 'invalid_state')
  })
}

async function requireFenceTold(probe: OrderProbe): Promise<Skipped | undefined> {
  if (probe.capabilities.lookup === 'none') return skip('The ERP declares that it has no look-up.')
  const reference = probe.createReference()
  const before = await callOk(probe.erp, 'lookup', { reference })
  await settle(probe, reference)
  const after = await callOk(probe.erp, 'lookup', { reference })
  if (before.fenced === undefined && after.fenced === undefined)
    return skip('lookup does not say whether a reference is fenced.')
  if (before.fenced !== true && after.fenced === true) return undefined
  throw new ConformanceFailure({
    expected: 'lookup to return fenced: true once settle has found nothing under a reference, and not before',
    actual: `${before.fenced} before settle and ${after.fenced} after it`,
    remedy: 'Read the record that blocks the reference, also in lookup.',
  })
}

async function requireCutSubmitsEnded(probe: OrderProbe, watchMs: number): Promise<undefined> {
  const before = await probe.readAvailable()
  let found = 0
  for (const delayMs of cutAfterMs) {
    const input = probe.createSubmitInput(6)
    const cut = new AbortController()
    void callOperation(probe.erp, 'submit', input, { signal: cut.signal }).catch(() => undefined)
    await pause(delayMs)
    cut.abort()
    const { state, document } = await settle(probe, input.reference)
    if (state === 'found') found += document?.lines[0]?.quantity_allocated ?? 0
  }
  const settled = before - (await probe.readAvailable())
  await pause(watchMs)
  const later = before - (await probe.readAvailable())
  if (settled === found && later === found) return
  throw new ConformanceFailure({
    expected: `submits that were broken off and settled to lower quantity_available of ${probe.sku} by ${found}, as the found orders say`,
    actual: `${settled} right after settle and ${later} after ${watchMs} ms more`,
    remedy:
      'settle waits for a running call of its reference or stops it, then finishes or takes back what it left, and fences the reference.',
  })
}
