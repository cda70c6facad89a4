import { isDeepStrictEqual } from 'node:util'
import type { Costs, ErpDocument } from '../documents.ts'
import type { Input } from '../operations.ts'
import { callChecked, callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { type Buyer, defineOrderCheck, type OrderProbe } from './order-probe.ts'

/** A quantity that no warehouse has. */
export const tooMany = 999_999_999

type Look = (probe: OrderProbe) => Promise<Skipped | undefined>

const noHolds = skip('The ERP declares that it cannot hold stock (holds: none).')

/**
 * Lists the checks of quotes and holds. Each check uses a different quantity, which identifies the check in the ERP's
 * documents.
 */
export function listHoldChecks(buyer: Buyer): Check[] {
  const defineCheck = (id: string, states: string, look: Look) =>
    defineOrderCheck(buyer, { id, states }, look)
  const defineHoldCheck = (id: string, states: string, look: Look) =>
    defineCheck(`hold.${id}`, states, skipWithoutHolds(look))
  return [
    defineCheck(
      'quote.sums',
      'The allocations of a quote add up to quantity_allocated, its lines to the goods, and its costs to the total.',
      requireQuoteSums,
    ),
    defineCheck('quote.holds_nothing', 'A quote holds nothing.', async (probe) => {
      await probe.requireLowered(0, 'a quote', () => probe.quote(3))
      return undefined
    }),
    defineCheck(
      'quote.short',
      'A quote of a short line succeeds and reports the shortage.',
      requireShortQuote,
    ),
    defineCheck(
      'quote.hold_over',
      'A quote with a hold that has ended meanwhile succeeds, without its units.',
      skipWithoutHolds(requireQuoteWithoutHold),
    ),
    defineHoldCheck(
      'exact',
      'A hold lowers the available quantity by exactly the held quantity.',
      async (probe) => {
        await probe.requireLowered(3, 'a hold of 3', () => probe.hold(3))
        return undefined
      },
    ),
    defineHoldCheck('whole', 'A hold holds all requested units or nothing.', requireWholeHold),
    defineHoldCheck('once', 'A repeated reference returns the existing hold.', requireSameHold),
    defineHoldCheck('replaces', 'A hold replaces another one in one step.', requireReplacedHoldReleased),
    defineHoldCheck(
      'release',
      'A release returns the held stock, and a repeated release returns the same result.',
      requireSameRelease,
    ),
    defineCheck('hold.none', 'An ERP without holds refuses hold with not_supported.', async (probe) => {
      if (probe.capabilities.holds !== 'none') return skip('The ERP declares that it can hold stock.')
      await callRefused(probe.erp, 'hold', probe.createHoldInput(1), 'not_supported')
      return undefined
    }),
  ]
}

/** Wraps a check so that it is skipped if the ERP does not support holds. */
export function skipWithoutHolds(look: Look): Look {
  return async (probe) => (probe.capabilities.holds === 'none' ? noHolds : look(probe))
}

/** Skips a check of repeated references if the ERP does not deduplicate them. */
export function skipWithoutDeduplication(probe: OrderProbe): Skipped | undefined {
  if (probe.capabilities.dedupes_by_reference) return undefined
  return skip('The ERP declares that it does not detect repeated references (dedupes_by_reference: false).')
}

async function requireQuoteSums(probe: OrderProbe): Promise<undefined> {
  const { lines, costs } = await probe.quote(2)
  const { goods, freight, handling, tax, discount, total } = costs
  const wrong = lines.find(({ quantity, quantity_allocated, allocations }) => {
    const sum = allocations.reduce((units, allocation) => units + allocation.quantity, 0)
    return sum !== quantity_allocated || sum > quantity
  })
  const strange = lines
    .flatMap(({ allocations }) => allocations)
    .find(({ warehouse_code }) => warehouse_code !== probe.warehouse_code)
  const isTotal = total === goods + freight + handling + tax - discount
  if (!wrong && !strange && isTotal && isSumOfLines(lines, costs)) return
  throw new ConformanceFailure({
    expected: `allocations only from ${probe.warehouse_code} that add up to quantity_allocated, unit_price × quantity = line_total, goods = the sum of line_total, and total = goods + freight + handling + tax − discount`,
    actual: JSON.stringify({ line: wrong ?? lines[0], costs }).slice(0, 400),
    remedy:
      'Allocate from warehouse_codes only, charge each line its quantity at unit_price, make goods the sum of line_total, and add costs without a field of their own to handling.',
  })
}

type ChargedLine = Pick<
  ErpDocument['lines'][number],
  'quantity' | 'quantity_allocated' | 'unit_price' | 'line_total'
>

/**
 * Whether the goods are the sum of the lines, and each line is its pieces at the price of one. An ERP may round a unit
 * price with more decimals than the currency, by less than one minor unit for each piece, and then the line. A short line
 * may charge all its pieces, or the allocated ones.
 */
export function isSumOfLines(lines: readonly ChargedLine[], { goods }: Pick<Costs, 'goods'>): boolean {
  const isPriced = lines.every(
    ({ quantity, quantity_allocated, unit_price, line_total }) =>
      quantity_allocated < quantity || Math.abs(unit_price * quantity - line_total) <= quantity,
  )
  return isPriced && goods === lines.reduce((sum, { line_total }) => sum + line_total, 0)
}

async function requireShortQuote(probe: OrderProbe): Promise<undefined> {
  const result = await callChecked(probe.erp, 'quote', probe.createQuoteInput(tooMany))
  const [line] = 'ok' in result ? result.ok.quote.lines : []
  const isReported = line && line.quantity_allocated < tooMany && line.short_reasons.length > 0
  if ('ok' in result && isReported && !result.ok.quote.fulfillable) return
  throw new ConformanceFailure({
    expected: `a quote of ${tooMany} of ${probe.sku} to return fulfillable: false, the allocated quantity and short_reasons`,
    actual:
      'ok' in result
        ? `fulfillable: ${result.ok.quote.fulfillable}`
        : `the refusal ${result.rejected.reason}`,
    remedy: 'Return what is available and let the caller decide.',
  })
}

async function requireQuoteWithoutHold(probe: OrderProbe): Promise<undefined> {
  const hold_reference = probe.createReference()
  const quoteAll = async (more: Partial<Input<'quote'>>) => {
    const result = await callChecked(probe.erp, 'quote', probe.createQuoteInput(tooMany, more))
    return 'ok' in result
      ? `${result.ok.quote.lines[0]?.quantity_allocated} allocated`
      : result.rejected.reason
  }
  await probe.hold(3, { reference: hold_reference })
  await callOk(probe.erp, 'release', { reference: hold_reference, reason: 'release' })
  const [free, ended] = [await quoteAll({}), await quoteAll({ hold_reference })]
  if (ended === free) return
  throw new ConformanceFailure({
    expected: `a quote with a hold that was released to be the one without it, ${free}`,
    actual: ended,
    remedy: 'Quote from free stock if the hold is not active: the caller may not know yet that it has ended.',
  })
}

async function requireWholeHold(probe: OrderProbe): Promise<undefined> {
  const input = probe.createHoldInput(tooMany)
  const { document } = await probe.requireLowered(0, 'a hold that is short', () =>
    callOk(probe.erp, 'hold', input),
  )
  if (document === null) return
  throw new ConformanceFailure({
    expected: `document: null for a hold of ${tooMany} of ${probe.sku}`,
    actual: `a document with ${document.lines[0]?.quantity_allocated} allocated`,
    remedy: 'Hold all lines in full or none, and give the reason in the quote.',
  })
}

async function requireSameHold(probe: OrderProbe): Promise<Skipped | undefined> {
  const forgets = skipWithoutDeduplication(probe)
  if (forgets) return forgets
  const input = probe.createHoldInput(4)
  await probe.requireLowered(4, 'a hold of 4 that was sent twice', async () => {
    const once = await probe.hold(4, input)
    const again = await callOk(probe.erp, 'hold', input)
    requireSameDocument(once.document, again.document, 'hold')
  })
  return undefined
}

/** Throws if a repeated reference has created another document, or does not return the existing one. */
export function requireSameDocument(once: ErpDocument, again: ErpDocument | null, operation: string): void {
  if (once.number === again?.number && once.reference === again.reference) return
  throw new ConformanceFailure({
    expected: `${operation} with a repeated reference to return the existing document`,
    actual: `${once.number} and then ${again?.number ?? 'no document'}`,
    remedy: 'Look the reference up in the same transaction, or declare dedupes_by_reference: false.',
  })
}

async function requireReplacedHoldReleased(probe: OrderProbe): Promise<undefined> {
  const replaces = probe.createReference()
  await probe.requireLowered(5, 'a hold of 5 that replaces one of 2', async () => {
    await probe.hold(2, { reference: replaces })
    await probe.hold(5, { replaces })
  })
  const status = (await probe.readDocument(replaces))?.status
  if (status === 'released') return
  throw new ConformanceFailure({
    expected: 'a hold that was replaced to be released',
    actual: status ?? 'no document',
    remedy:
      'Release it in the transaction of the new hold, and count its units as available to the new hold.',
  })
}

async function requireSameRelease(probe: OrderProbe): Promise<undefined> {
  const reference = probe.createReference()
  const release = () => callChecked(probe.erp, 'release', { reference, reason: 'release' })
  const [once, again] = await probe.requireLowered(0, 'a hold that was released', async () => {
    await probe.hold(6, { reference })
    return [await release(), await release()]
  })
  const isRight = 'ok' in once && 'ok' in again && once.ok.document.status === 'released'
  if (isRight && isDeepStrictEqual(once.ok.document, again.ok.document)) return
  throw new ConformanceFailure({
    expected: 'a release to return the released hold, and the same when it is repeated',
    actual: [once, again]
      .map((one) => ('ok' in one ? one.ok.document.status : one.rejected.reason))
      .join(' and '),
    remedy: 'The gateway repeats a release whose response was lost: return the existing document.',
  })
}
