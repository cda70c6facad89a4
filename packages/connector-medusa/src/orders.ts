/**
 * Orders: a draft of Medusa carries the reference and reserves nothing; converting it reserves every line and makes it
 * an order, or does nothing. Each step is found again by the reference, so a repeated call continues after the last.
 */
import { type ErpResult, type Input, type Output, ok, rejected } from '@trade-gateway/connector'
import { toMinor } from './amounts.ts'
import { isFailure } from './failures.ts'
import { type Holds, toCovered } from './holds.ts'
import type { Intents } from './intents.ts'
import type { MedusaOrder, OrderStore } from './medusa-orders.ts'
import { toDraft } from './order-draft.ts'
import { explainRefusal, refusePlan, refuseTotal } from './order-refusals.ts'
import type { OrderReservations } from './order-reservations.ts'
import { readOrderResult } from './order-results.ts'
import { readPlaced } from './placed.ts'
import type { Places } from './places.ts'
import type { Plan, Quotes } from './quote.ts'
import { type HoldLine, type RecordStore, type Row, readHoldState } from './records.ts'
import type { Steps } from './steps.ts'
import type { Stock } from './stock.ts'
import type { TakeBack } from './take-back.ts'

interface OrderParts {
  readonly places: Places
  readonly records: RecordStore
  readonly orders: OrderStore
  readonly reservations: OrderReservations
  readonly quotes: Quotes
  readonly stock: Stock
  readonly holds: Holds
  readonly intents: Intents
  readonly takeBack: TakeBack
}

type Submitted = ErpResult<Output<'submit'>>

export class Orders {
  readonly #parts: OrderParts

  constructor(parts: OrderParts) {
    this.#parts = parts
  }

  /** Places an order. The caller has the locks of `reference` and `hold_reference`. */
  async submit(input: Input<'submit'>, steps: Steps): Promise<Submitted> {
    const { records, orders, takeBack } = this.#parts
    const { isFenced, intents, orders: recorded } = await records.readOne(input.reference)
    if (isFenced) return rejected('invalid_state', `${input.reference} was settled as absent.`)
    const found = await orders.find(input.reference)
    const [draft, ...surplus] = found.drafts
    if (found.order) {
      await takeBack.besidesOrder(found.order, { drafts: found.drafts, intents, steps })
      return ok(await readOrderResult(this.#parts, found.order))
    }
    await takeBack.deleteDrafts(surplus, steps)
    if (draft) {
      if (!recorded.some(({ order_id }) => order_id === draft.id)) await this.#recordDraft(draft, steps)
      return this.#placeDraft(draft, input, steps)
    }
    await this.#parts.intents.takeBack(intents, steps)
    const hold = await records.readHold(input.hold_reference)
    if (input.hold_reference !== null && readHoldState(hold) !== 'held')
      return rejected('hold_expired', `The hold ${input.hold_reference} is not active.`)
    const planned = await this.#parts.quotes.plan(input, {
      isPartial: input.allow_partial,
      covered: toCovered(hold),
    })
    if ('rejected' in planned) return planned
    return refusePlan(planned.ok, input) ?? this.#createDraft(planned.ok, { input, hold, steps })
  }

  /** Creates the draft, and places it. A hold without whose units Medusa makes no draft is consumed before. */
  async #createDraft(
    plan: Plan,
    { input, hold, steps }: { input: Input<'submit'>; hold: readonly Row<HoldLine>[]; steps: Steps },
  ): Promise<Submitted> {
    const { orders, holds, records, places, intents } = this.#parts
    const { reference, hold_reference } = input
    const [first] = hold
    if (first && hold_reference !== null && (await holds.requiresUnitsOf(hold, plan))) {
      await intents.create(first, { reference, hold_reference, line_item_ids: [] }, steps)
      await holds.end(hold, { ending: 'consumed', steps, consumedBy: reference })
    }
    let draft: MedusaOrder
    try {
      draft = await steps.run('draft.create', () => orders.createDraft(toDraft(plan, input, places)))
    } catch (error) {
      if (!isFailure(error, 'refused', 'missing')) throw error
      await intents.takeBack((await records.readOne(reference)).intents, steps)
      const wanted = plan.lines.map(({ good, allocated }) => ({ sku: good.sku, quantity: allocated }))
      return explainRefusal(this.#parts, plan.warehouse.code, { wanted, text: error.text })
    }
    await this.#recordDraft(draft, steps)
    return this.#placeDraft(draft, input, steps)
  }

  /** Records the reference of a draft, and what it places, where staff do not edit it, before it becomes an order. */
  async #recordDraft(draft: MedusaOrder, steps: Steps): Promise<void> {
    const { records, places } = this.#parts
    const place = await records.findPlace(places.warehouses)
    const record = {
      reference: draft.particulars.reference,
      order_id: draft.id,
      placed: readPlaced(draft),
    }
    await steps.run('draft.record', () => records.createOrderRecord(place, record))
  }

  /** Compares the total that Medusa computed, consumes the hold, and converts the draft to an order. */
  async #placeDraft(draft: MedusaOrder, input: Input<'submit'>, steps: Steps): Promise<Submitted> {
    const { orders, holds, records, takeBack } = this.#parts
    const total = toMinor(draft.total, draft.currency_code.toUpperCase())
    const otherTotal = refuseTotal(total, input)
    const hold = await records.readHold(draft.particulars.hold_reference)
    const state = readHoldState(hold)
    const isOurs = hold.some(({ particulars }) => particulars.consumed_by === input.reference)
    if (hold.length > 0 && state !== 'held' && !isOurs) {
      await takeBack.deleteDrafts([draft], steps)
      return rejected('hold_expired', `The hold ${draft.particulars.hold_reference} is not active.`)
    }
    if (otherTotal) {
      await takeBack.draft(draft, steps)
      return otherTotal
    }
    if (draft.items.some(({ variant }) => variant?.allow_backorder))
      return this.#refuseDraft(draft, { text: 'Medusa would take this order without its units.', steps })
    await holds.end(hold, { ending: 'consumed', steps, consumedBy: input.reference })
    try {
      await this.#convert(draft, steps)
    } catch (error) {
      if (!isFailure(error, 'refused', 'missing')) throw error
      const now = (await orders.find(input.reference)).order
      if (!now) return this.#refuseDraft(draft, { text: error.text, steps })
    }
    const { order } = await orders.find(input.reference)
    if (!order) throw new Error(`The order of ${input.reference} is not there.`)
    const { intents } = await records.readOne(input.reference)
    await takeBack.besidesOrder(order, { drafts: [], intents, steps })
    return ok(await readOrderResult(this.#parts, order, hold))
  }

  /**
   * Makes a draft an order. If Medusa refuses it for want of stock that an earlier conversion of it has reserved and left
   * behind, that is deleted first. Medusa holds a lock during a conversion, so that a refusal proves that no other one runs.
   */
  async #convert(draft: MedusaOrder, steps: Steps): Promise<void> {
    const { orders, reservations } = this.#parts
    const convert = () => steps.run('draft.convert', () => orders.convert(draft, readPlaced(draft)))
    try {
      await convert()
    } catch (error) {
      if (!isFailure(error, 'refused') || (await orders.find(steps.reference)).order) throw error
      if ((await reservations.deleteSurplus(draft, steps)) === 0) throw error
      await convert()
    }
  }

  /** Takes everything back if Medusa refused to reserve, or would not refuse. */
  async #refuseDraft(
    draft: MedusaOrder,
    { text, steps }: { readonly text: string; readonly steps: Steps },
  ): Promise<Submitted> {
    await this.#parts.takeBack.draft(draft, steps)
    const wanted = draft.items.map(({ variant_sku, quantity }) => ({ sku: variant_sku ?? '', quantity }))
    return explainRefusal(this.#parts, draft.particulars.warehouse_code, { wanted, text })
  }

  /** Cancels an order. The caller has its lock. */
  async void({ reference }: Input<'void'>, steps: Steps): Promise<ErpResult<Output<'void'>>> {
    const { orders, takeBack } = this.#parts
    const { order, drafts } = await orders.find(reference)
    if (!order) {
      for (const draft of drafts) await takeBack.draft(draft, steps)
      return rejected('not_found', `There is no order ${reference}.`)
    }
    if (order.status === 'canceled') return ok(await readOrderResult(this.#parts, order))
    const live = (order.fulfillments ?? []).filter(({ canceled_at }) => canceled_at === null)
    if (live.some(({ shipped_at, delivered_at }) => shipped_at !== null || delivered_at))
      return rejected('already_shipped', `${reference} has been shipped.`)
    for (const { id } of live) await steps.run('order.cancel', () => orders.cancelFulfillment(order.id, id))
    await steps.run('order.cancel', () => orders.cancel(order.id))
    const after = (await orders.find(reference)).order
    if (after?.status !== 'canceled') throw new Error(`The order of ${reference} is not cancelled.`)
    return ok(await readOrderResult(this.#parts, after))
  }
}
