/** Holds: stock for a preview or a reservation. All lines or none, out of one warehouse. */
import type { Input, Output, Quote } from '@trade-gateway/connector'
import type { Sku } from '../catalogue.ts'
import { requireWarehouse } from '../connector.ts'
import type { Warehouse } from '../places.ts'
import { Deadline } from '../steps.ts'
import { type Call, type Orders, Refusal } from './context.ts'
import {
  assignInternal,
  cancelInternal,
  createInternal,
  endHold,
  markHold,
  pressAssign,
  takeInTurn,
  type Wanted,
} from './cover.ts'
import { readHold, requireHoldAgain, requireHoldDocument, toHoldDocument } from './documents.ts'
import { readChanged } from './figures.ts'
import { findCovers, findHold, findSale, findStockUnder, type Hold, type Internal } from './find.ts'
import { makeOffer, type Offer, renewQuote } from './quote.ts'
import { formatCoverText, formatHoldText, type HoldText } from './references.ts'
import { checkRequest } from './request.ts'
import { readSources, spread } from './sources.ts'

export async function hold(orders: Orders, input: Input<'hold'>): Promise<Output<'hold'>> {
  const { locks, environment } = orders.connector
  const call = { reference: input.reference, deadline: new Deadline(environment) }
  const names = [input.reference, ...(input.replaces === null ? [] : [input.replaces])]
  return locks.run(names, () => holdLocked(orders, call, input))
}

async function holdLocked(orders: Orders, call: Call, input: Input<'hold'>): Promise<Output<'hold'>> {
  const [{ hold: known, covers }, sale] = await Promise.all([
    findStockUnder(orders, input.reference),
    findSale(orders, input.reference),
  ])
  if (known?.status !== undefined) return repeatHold(orders, call, known)
  if (sale) throw new Refusal('invalid_state', `${input.reference} was settled, or is an order.`)
  if (known) await withdrawHold(orders, call, known)
  // The cover of an attempt that was cut off has units that this one needs.
  for (const { id } of covers) await cancelInternal(orders, call, { step: 'cover', id })
  const checked = await checkRequest(orders, input)
  const replaced = input.replaces === null ? undefined : await findHold(orders, input.replaces)
  const ending = replaced?.status === 'held' ? replaced : undefined
  // Staff may have completed it: its units are no longer in the storage zone.
  const held = ending?.state === 'assigned' ? ending : undefined
  // What is replaced gives its units. Its prices end with it.
  const units = held && { warehouse: held.warehouse, units: held.units }
  const options = { held: units, allowPartial: false, priceExpiresAt: input.expires_at }
  const offer = await makeOffer(orders, checked, options)
  if (!offer.quote.fulfillable) return { quote: offer.quote, document: null, figures: [] }
  const text = toText(input, offer, {
    carrier: checked.destination?.carrier.id ?? 0,
    replaces: ending?.text.reference,
  })
  const taken = await takeStock(orders, call, { offer, text, held, ending })
  if (!taken) return { quote: await renewQuote(orders, checked, offer, options), document: null, figures: [] }
  const skus = offer.priced.lines.map(({ sku }) => sku)
  return finishResult(orders, { quote: offer.quote, current: taken, replaced: ending, known: skus })
}

/** A known reference returns its hold, after ending what it replaces. */
async function repeatHold(orders: Orders, call: Call, known: Hold): Promise<Output<'hold'>> {
  await finishHold(orders, call, known)
  const current = await requireHoldAgain(orders, known.text.reference)
  return finishResult(orders, { quote: rebuildQuote(orders, known), current, replaced: undefined })
}

interface Finished {
  readonly quote: Quote
  readonly current: Hold
  readonly replaced: Hold | undefined
  /** The SKUs that this call has read. */
  readonly known?: readonly Sku[] | undefined
}

async function finishResult(
  orders: Orders,
  { quote, current, replaced, known }: Finished,
): Promise<Output<'hold'>> {
  const toSkus = (hold: Hold | undefined) => (hold?.moves ?? []).map(({ sku }) => sku)
  const isSame = replaced === undefined || replaced.warehouse === current.warehouse
  const codes = [...toSkus(current), ...(isSame ? toSkus(replaced) : [])]
  const [own, elsewhere] = await Promise.all([
    readChanged(orders, requireWarehouse(orders.connector, current.warehouse), { codes, known }),
    isSame
      ? []
      : readChanged(orders, requireWarehouse(orders.connector, replaced.warehouse), {
          codes: toSkus(replaced),
        }),
  ])
  return { quote, document: requireHoldDocument(orders, current), figures: [...own, ...elsewhere] }
}

function toText(
  { reference, order_type, expires_at }: Input<'hold'>,
  { priced }: Offer,
  { carrier, replaces }: Pick<HoldText, 'carrier' | 'replaces'>,
): HoldText {
  const { goods, freight, tax, total } = priced.costs
  const costs = [goods, freight, tax, total] as const
  return {
    reference,
    orderType: order_type,
    expiresAt: expires_at,
    costs,
    carrier,
    replaces,
    mark: undefined,
  }
}

interface Taking {
  readonly offer: Offer
  readonly text: HoldText
  /** The hold that is replaced, if it still has its units. */
  readonly held: Hold | undefined
  /** The hold that is replaced. */
  readonly ending: Hold | undefined
}

/**
 * Takes the stock of a new hold. Of a hold that it replaces in the same warehouse, only the difference has to be
 * available: while a cover has the difference and the old hold the rest, the new one is assigned by force.
 */
async function takeStock(orders: Orders, call: Call, taking: Taking): Promise<Hold | undefined> {
  const { offer, held } = taking
  const { warehouse } = offer.plan
  const lines: Wanted[] = offer.priced.lines.map(({ sku, quantity, unitPrice }) => ({
    ...{ product: sku.id, unit: sku.unit, quantity, unitPrice },
  }))
  const isInPlace = held !== undefined && held.warehouse === warehouse.id
  const missing = isInPlace ? subtract(lines, held.units) : lines
  const work = () => takeLines(orders, call, { ...taking, lines, missing: isInPlace ? missing : [] })
  return takeInTurn(orders, warehouse, { lines: missing, work })
}

interface TakingLines extends Taking {
  readonly lines: readonly Wanted[]
  /** What a cover takes beyond the hold that is replaced in its place. */
  readonly missing: readonly Wanted[]
}

async function takeLines(
  orders: Orders,
  call: Call,
  { offer, text, held, ending, lines, missing }: TakingLines,
): Promise<Hold | undefined> {
  const { warehouse } = offer.plan
  const isInPlace = held !== undefined && held.warehouse === warehouse.id
  const cover = { text: formatCoverText(text.reference), warehouse, lines: missing }
  const coverId = missing.length === 0 ? undefined : await createInternal(orders, call, 'cover', cover)
  if (coverId !== undefined && !(await assignInternal(orders, call, { step: 'cover', id: coverId }))) {
    await cancelInternal(orders, call, { step: 'cover', id: coverId })
    return undefined
  }
  const has = [held?.id, coverId].filter((each) => each !== undefined)
  const id = await createInternal(orders, call, 'hold', {
    text: formatHoldText(text),
    warehouse,
    lines: isInPlace ? await spreadLines(orders, { warehouse, lines, has }) : lines,
  })
  await pressAssign(orders, call, { step: 'hold', id, force: isInPlace })
  const created = await findHold(orders, text.reference)
  const taken = created?.id === id && created.state === 'assigned' ? created : undefined
  if (!taken) await withdrawHold(orders, call, { id, text, state: 'waiting' })
  if (taken && ending) await endHold(orders, call, { hold: ending, mark: 'released' })
  if (coverId !== undefined) await cancelInternal(orders, call, { step: 'cover', id: coverId })
  return taken
}

/** The lines of a hold that is assigned by force, by where the units of what has them are. */
async function spreadLines(
  orders: Orders,
  { warehouse, lines, has }: { warehouse: Warehouse; lines: readonly Wanted[]; has: readonly number[] },
): Promise<Wanted[]> {
  const sources = await readSources(orders, warehouse, has)
  return spread(
    lines.map((line) => ({ ...line, location: warehouse.storage })),
    sources,
  ).flat()
}

/** What is wanted beyond what a hold has. */
export function subtract(lines: readonly Wanted[], units: ReadonlyMap<number, number>): Wanted[] {
  return lines
    .map((line) => ({ ...line, quantity: line.quantity - (units.get(line.product) ?? 0), unitPrice: null }))
    .filter(({ quantity }) => quantity > 0)
}

/** Takes an attempt back that has not got its stock. */
export async function withdrawHold(
  orders: Orders,
  call: Call,
  { id, text, state }: Pick<Hold, 'id' | 'text' | 'state'>,
): Promise<void> {
  if (text.mark === undefined) await markHold(orders, call, { id, text, mark: 'failed' })
  if (state !== 'cancelled') await cancelInternal(orders, call, { step: 'hold', id })
}

/** Finishes a hold that has its stock: ends the one that it replaces, its cover, and itself if it was marked. */
export async function finishHold(orders: Orders, call: Call, known: Hold): Promise<void> {
  const replaced = await findStillReplaced(orders, known)
  if (replaced) await endHold(orders, call, { hold: replaced, mark: 'released' })
  for (const cover of await findCovers(orders, known.text.reference))
    await cancelInternal(orders, call, { step: 'cover', id: cover.id })
  if (isEnding(known)) await cancelInternal(orders, call, { step: 'hold', id: known.id })
}

/** Whether `finishHold` has something to do. Until then, stock is taken that nobody is to have. */
export async function isHoldUnfinished(
  orders: Orders,
  known: Hold,
  covers: readonly Internal[],
): Promise<boolean> {
  if (covers.length > 0 || isEnding(known)) return true
  return (await findStillReplaced(orders, known)) !== undefined
}

/** Finds the hold that another one replaces and that still has its stock, also if it is marked already. */
async function findStillReplaced(orders: Orders, { text, status }: Hold): Promise<Hold | undefined> {
  if (status !== 'held' || text.replaces === undefined) return undefined
  const replaced = await findHold(orders, text.replaces)
  return replaced && (replaced.status === 'held' || isEnding(replaced)) ? replaced : undefined
}

/** Whether a hold was marked and still has its stock. A consumed one keeps it until the order is finished. */
const isEnding = ({ text, isOpen }: Hold) => text.mark !== undefined && text.mark !== 'consumed' && isOpen

/** Rebuilds the quote of a hold for a repeated call, from what the hold says. */
function rebuildQuote(orders: Orders, known: Hold): Quote {
  const document = toHoldDocument(orders, known)
  if (!document?.costs || !document.arrival) throw new Error(`The hold ${known.text.reference} has no price.`)
  return {
    fulfillable: true,
    lines: document.lines.map(({ quantity_shipped: _shipped, ...line }) => ({
      ...line,
      short_reasons: [],
      incoming: [],
    })),
    costs: document.costs,
    currency: document.currency,
    arrival: document.arrival,
    unfulfillable_reasons: [],
    price_expires_at: known.text.expiresAt,
  }
}

export async function release(orders: Orders, input: Input<'release'>): Promise<Output<'release'>> {
  const { locks, environment } = orders.connector
  const call = { reference: input.reference, deadline: new Deadline(environment) }
  return locks.run([input.reference], async () => {
    const found = await findHold(orders, input.reference)
    if (found?.status === undefined) throw new Refusal('not_found', `There is no hold ${input.reference}.`)
    if (found.status === 'consumed')
      throw new Refusal('invalid_state', `An order has consumed the hold ${input.reference}.`)
    await endHold(orders, call, { hold: found, mark: input.reason === 'expiry' ? 'expired' : 'released' })
    const warehouse = requireWarehouse(orders.connector, found.warehouse)
    const codes = found.moves.map(({ sku }) => sku)
    const [document, figures] = await Promise.all([
      readHold(orders, input.reference),
      readChanged(orders, warehouse, { codes }),
    ])
    return { document, figures }
  })
}
