/**
 * Ends what was begun under a reference, and never begins anything. An order that is not confirmed is taken back, a
 * confirmed one is finished. A hold that has its stock is finished, another attempt is taken back. If nothing is there,
 * an empty cancelled sale takes the `web_id`, so that a `create` that is still on its way is refused by Tryton.
 */
import type { Input, Output } from '@trade-gateway/connector'
import { describeFailedCall } from '@trade-gateway/connector-kit/serve'
import { isFailure } from '../failures.ts'
import { Deadline } from '../steps.ts'
import { findStockOf, withdrawSale } from './confirm.ts'
import { type Call, type Orders, saleModel } from './context.ts'
import { cancelInternal } from './cover.ts'
import { readHold, readOrder } from './documents.ts'
import {
  findCovers,
  findHold,
  findInternals,
  findSale,
  findStockUnder,
  isVoidBegun,
  openStates,
  readShipments,
  requireSale,
  type Sale,
} from './find.ts'
import { finishOrWithdraw } from './finish.ts'
import { finishHold, isHoldUnfinished, withdrawHold } from './hold.ts'
import { coverPattern, parseCoverText, parseHoldText } from './references.ts'
import { cancelOrder } from './void.ts'

/** An internal shipment that waits for longer than any request lasts was left by a connector that ended. */
const minAbandonedMs = 120_000
const maxSweptAtOnce = 50

export async function lookup(orders: Orders, { reference }: Input<'lookup'>): Promise<Output<'lookup'>> {
  const { locks } = orders.connector
  const inProgress = { state: 'in_progress', document: null } as const
  if (locks.isTaken(reference)) return inProgress
  const sale = await findSale(orders, reference)
  if (sale && !sale.isFenced)
    return (await isUnfinished(orders, sale))
      ? inProgress
      : { state: 'found', document: await readOrder(orders, reference) }
  const { hold, covers } = await findStockUnder(orders, reference)
  if (hold?.status !== undefined)
    return (await isHoldUnfinished(orders, hold, covers))
      ? inProgress
      : { state: 'found', document: await readHold(orders, reference) }
  const isBegun = hold !== undefined || covers.length > 0
  return isBegun ? inProgress : { state: 'absent', document: null, fenced: sale !== undefined }
}

async function isUnfinished(orders: Orders, sale: Sale): Promise<boolean> {
  if (sale.isBegun) return true
  const isAsked = sale.shipment_state === 'exception' || sale.invoice_state === 'exception'
  if (isAsked && isVoidBegun(orders, await readShipments(orders, sale))) return true
  const { covers, hold } = await findStockOf(orders, sale)
  return covers.length > 0 || hold?.status === 'held' || (hold?.status === 'consumed' && hold.isOpen)
}

export async function settle(orders: Orders, { reference }: Input<'settle'>): Promise<Output<'settle'>> {
  const { locks, environment } = orders.connector
  const call = { reference, deadline: new Deadline(environment) }
  return locks.run([reference], () => settleLocked(orders, call))
}

async function settleLocked(orders: Orders, call: Call): Promise<Output<'settle'>> {
  const { reference } = call
  const sale = await findSale(orders, reference)
  if (sale && !sale.isFenced) return settleSale(orders, call, sale)
  const hold = await findHold(orders, reference)
  if (hold?.status !== undefined) {
    await finishHold(orders, call, hold)
    return { state: 'found', document: await readHold(orders, reference) }
  }
  if (!sale) await fence(orders, call)
  await withdrawAttempts(orders, call)
  // A sale may have been created between the first look and the fence; the fence is refused then.
  const current = await requireSale(orders, reference)
  return current.isFenced ? { state: 'absent', document: null } : settleSale(orders, call, current)
}

async function settleSale(orders: Orders, call: Call, sale: Sale): Promise<Output<'settle'>> {
  const { reference } = call
  if (sale.state === 'draft' || sale.state === 'quotation') {
    await withdrawSale(orders, call, { sale, stock: await findStockOf(orders, sale) })
    return { state: 'absent', document: null }
  }
  if (!(await finishOrWithdraw(orders, call))) return { state: 'absent', document: null }
  const shipments = await readShipments(orders, await requireSale(orders, reference))
  if (isVoidBegun(orders, shipments)) await cancelOrder(orders, call)
  return { state: 'found', document: await readOrder(orders, reference) }
}

/** Creates an empty cancelled sale with the reference. Somebody may have taken it at the same moment. */
async function fence({ connector }: Orders, { reference, deadline }: Call): Promise<void> {
  const { rpc, places } = connector
  const values = {
    ...{ company: places.company, currency: places.currencyId, party: places.companyParty },
    ...{ web_id: reference, state: 'cancelled', description: 'Trade Gateway: settled as absent' },
  }
  await deadline
    .run('sale.fence', () => rpc.create(saleModel, [values]))
    .catch((error: unknown) => {
      if (!isFailure(error, 'refused')) throw error
    })
}

/** Takes back every internal shipment of a reference that is not a hold with its stock. */
async function withdrawAttempts(orders: Orders, call: Call): Promise<void> {
  const attempts = await findInternals(orders, [
    ['reference', 'like', `${call.reference} %`],
    ['state', '!=', 'cancelled'],
  ])
  for (const attempt of attempts) {
    const text = parseHoldText(attempt.reference)
    if (text?.reference === call.reference) await withdrawHold(orders, call, { ...attempt, text })
  }
  for (const cover of await findCovers(orders, call.reference))
    await cancelInternal(orders, call, { step: 'cover', id: cover.id })
}

/**
 * Ends what a killed connector left and nobody asks about: covers, and attempts to hold that wait. Returns how many
 * references it settled.
 */
export async function sweep(orders: Orders): Promise<number> {
  const { rpc, locks, environment } = orders.connector
  const left = await findInternals(orders, [
    ['OR', ['reference', 'like', coverPattern], ['state', 'in', ['draft', 'waiting']]],
    ['state', 'in', openStates],
  ])
  const oldest = rpc.readServerTime() - minAbandonedMs
  const references = left
    .filter(({ createdAt }) => createdAt < oldest)
    .flatMap(({ reference }) => parseCoverText(reference) ?? parseHoldText(reference)?.reference ?? [])
    .filter((reference) => !locks.isTaken(reference))
  // In any order: those that cannot be settled now must not be the first ones each time.
  const some = [...new Set(references)]
    .map((reference) => ({ reference, place: environment.random() }))
    .sort((one, other) => one.place - other.place)
    .slice(0, maxSweptAtOnce)
  let settled = 0
  for (const { reference } of some) {
    try {
      await settle(orders, { reference })
      settled += 1
    } catch (error) {
      if (isFailure(error, 'unknown', 'session', 'login')) throw error
      // One that staff have changed must not keep what the others have.
      orders.connector.log(describeFailedCall(`sweep of ${reference}`, error))
    }
  }
  return settled
}
