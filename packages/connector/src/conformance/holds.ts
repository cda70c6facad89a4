import { isDeepStrictEqual } from 'node:util'
import type { ErpDocument } from '../documents.ts'
import { answered, asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { type Buyer, orderCheck, type Shop } from './shop.ts'

/** More than any warehouse has. */
export const tooMany = 999_999_999

type Look = (shop: Shop) => Promise<Skipped | undefined>

const noHolds = skip('The ERP says that it cannot hold stock (holds: none).')

/** Checks of quotes and holds. Each orders another quantity, so that a report tells them apart. */
export function holdChecks(buyer: Buyer): Check[] {
  const check = (id: string, states: string, look: Look) => orderCheck(buyer, { id, states }, look)
  const holdCheck = (id: string, states: string, look: Look) =>
    check(`hold.${id}`, states, needingHolds(look))
  return [
    check('quote.sums', 'A quote adds up: allocations to what is allocated, costs to the total.', addUp),
    check('quote.holds_nothing', 'A quote holds nothing.', async (shop) => {
      await shop.lowers(0, 'a quote', () => shop.quote(3))
      return undefined
    }),
    check('quote.short', 'A shortage is an answer of a quote, not a refusal.', quoteTooMany),
    holdCheck('exact', 'A hold lowers what is available by exactly what it holds.', async (shop) => {
      await shop.lowers(3, 'a hold of 3', () => shop.hold(3))
      return undefined
    }),
    holdCheck('whole', 'A hold holds all that was asked for or nothing.', holdTooMany),
    holdCheck('once', 'A reference that comes again answers the hold that exists.', holdTwice),
    holdCheck('replaces', 'A hold replaces another one in one step.', replaceHold),
    holdCheck('release', 'A release gives back what was held; again: the same answer.', releaseTwice),
    check('hold.none', 'An ERP that has no holds refuses to hold with not_supported.', async (shop) => {
      if (shop.capabilities.holds !== 'none') return skip('The ERP says that it can hold stock.')
      await refused(shop.erp, 'hold', shop.holdInput(1), 'not_supported')
      return undefined
    }),
  ]
}

/** Skips a look at an ERP that has no holds. */
export function needingHolds(look: Look): Look {
  return async (shop) => (shop.capabilities.holds === 'none' ? noHolds : look(shop))
}

/** Why a check of references that come again does not apply. */
export function forgetsReferences(shop: Shop): Skipped | undefined {
  if (shop.capabilities.dedupes_by_reference) return undefined
  return skip('The ERP says that it does not notice a reference that comes again (dedupes_by_reference).')
}

async function addUp(shop: Shop): Promise<undefined> {
  const { lines, costs } = await shop.quote(2)
  const { goods, freight, handling, tax, discount, total } = costs
  const wrong = lines.find(({ quantity, quantity_allocated, allocations }) => {
    const sum = allocations.reduce((units, allocation) => units + allocation.quantity, 0)
    return sum !== quantity_allocated || sum > quantity
  })
  const strange = lines
    .flatMap(({ allocations }) => allocations)
    .find(({ warehouse_code }) => warehouse_code !== shop.warehouse_code)
  const isRight = !wrong && !strange && total === goods + freight + handling + tax - discount
  if (isRight) return
  throw new ConformanceFailure({
    expected: `allocations from ${shop.warehouse_code} alone that add up to quantity_allocated, and total = goods + freight + handling + tax − discount`,
    came: JSON.stringify({ line: wrong ?? lines[0], costs }).slice(0, 400),
    remedy: 'Allocate from warehouse_codes only, and put what no field is for into handling.',
  })
}

async function quoteTooMany(shop: Shop): Promise<undefined> {
  const answer = await answered(shop.erp, 'quote', shop.quoteInput(tooMany))
  const [line] = 'ok' in answer ? answer.ok.quote.lines : []
  const isTold = line && line.quantity_allocated < tooMany && line.short_reasons.length > 0
  if ('ok' in answer && isTold && !answer.ok.quote.fulfillable) return
  throw new ConformanceFailure({
    expected: `a quote of ${tooMany} of ${shop.sku} to say fulfillable: false, what is allocated and short_reasons`,
    came:
      'ok' in answer
        ? `fulfillable: ${answer.ok.quote.fulfillable}`
        : `the refusal ${answer.rejected.reason}`,
    remedy: 'Answer what there is: the caller decides.',
  })
}

async function holdTooMany(shop: Shop): Promise<undefined> {
  const input = shop.holdInput(tooMany)
  const { document } = await shop.lowers(0, 'a hold that is short', () => asked(shop.erp, 'hold', input))
  if (document === null) return
  throw new ConformanceFailure({
    expected: `document: null for a hold of ${tooMany} of ${shop.sku}`,
    came: `a document of ${document.lines[0]?.quantity_allocated}`,
    remedy: 'Hold all lines whole or none, and let the quote say why.',
  })
}

async function holdTwice(shop: Shop): Promise<Skipped | undefined> {
  const forgets = forgetsReferences(shop)
  if (forgets) return forgets
  const input = shop.holdInput(4)
  await shop.lowers(4, 'a hold of 4 that was asked for twice', async () => {
    const once = await asked(shop.erp, 'hold', input)
    const again = await asked(shop.erp, 'hold', input)
    if (once.document && again.document) requireSame(once.document, again.document, 'hold')
  })
  return undefined
}

/** Throws where a reference that came again made another document. */
export function requireSame(once: ErpDocument, again: ErpDocument, operation: string): void {
  if (once.number === again.number && once.reference === again.reference) return
  throw new ConformanceFailure({
    expected: `${operation} with a reference that came before to answer the document that exists`,
    came: `${once.number} and then ${again.number}`,
    remedy: 'Look the reference up in the same transaction, or declare dedupes_by_reference: false.',
  })
}

async function replaceHold(shop: Shop): Promise<undefined> {
  const replaces = shop.newReference()
  await shop.lowers(5, 'a hold of 5 that replaces one of 2', async () => {
    await shop.hold(2, { reference: replaces })
    await shop.hold(5, { replaces })
  })
  const status = (await shop.read(replaces))?.status
  if (status === 'released') return
  throw new ConformanceFailure({
    expected: 'a hold that was replaced to be released',
    came: status ?? 'no document',
    remedy: 'Release it in the transaction that holds the new one, and count its units as available to that.',
  })
}

async function releaseTwice(shop: Shop): Promise<undefined> {
  const reference = shop.newReference()
  const release = () => answered(shop.erp, 'release', { reference, reason: 'release' })
  const [once, again] = await shop.lowers(0, 'a hold that was released', async () => {
    await shop.hold(6, { reference })
    return [await release(), await release()]
  })
  const isRight = 'ok' in once && 'ok' in again && once.ok.document.status === 'released'
  if (isRight && isDeepStrictEqual(once.ok.document, again.ok.document)) return
  throw new ConformanceFailure({
    expected: 'a release to answer the released hold, and the same when it comes again',
    came: [once, again]
      .map((one) => ('ok' in one ? one.ok.document.status : one.rejected.reason))
      .join(' and '),
    remedy: 'A release may be repeated, since its answer may be lost: answer what exists.',
  })
}
