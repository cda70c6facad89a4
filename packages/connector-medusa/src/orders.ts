/**
 * Orders: a draft of Medusa carries the reference and reserves nothing; converting it reserves every line and makes it
 * an order, or does nothing. Each step is found again by the reference, so a repeated call continues after the last.
 */
import {
  type ErpResult,
  type Input,
  type OrderLine,
  type Output,
  ok,
  rejected,
} from '@trade-gateway/connector'
import { toMinor, toUnits } from './amounts.ts'
import { toOrderDocument } from './documents.ts'
import { isFailure } from './failures.ts'
import { type Figures, type Holds, toCovered } from './holds.ts'
import { type MedusaOrder, type NewDraft, type OrderStore, toSearchWord } from './medusa-orders.ts'
import { findWarehouse, type Places } from './places.ts'
import type { Destination, Plan, Quotes } from './quote.ts'
import { type HoldLine, type Intent, type RecordStore, type Row, readHoldState } from './records.ts'
import type { Steps } from './steps.ts'
import type { Stock } from './stock.ts'

interface OrderParts {
  readonly places: Places
  readonly records: RecordStore
  readonly orders: OrderStore
  readonly quotes: Quotes
  readonly stock: Stock
  readonly holds: Holds
}

type Submitted = ErpResult<Output<'submit'>>

export class Orders {
  readonly #parts: OrderParts

  constructor(parts: OrderParts) {
    this.#parts = parts
  }

  /** Places an order. The caller has the locks of `reference` and `hold_reference`. */
  async submit(input: Input<'submit'>, steps: Steps): Promise<Submitted> {
    const { records, orders } = this.#parts
    const { isFenced, intents } = await records.readOne(input.reference)
    if (isFenced) return rejected('invalid_state', `${input.reference} was settled as absent.`)
    const found = await orders.find(input.reference)
    const [draft, ...surplus] = found.drafts
    if (found.order) {
      await this.#deleteDrafts(found.drafts, steps)
      await this.#deleteIntents(intents, steps)
      return ok(await this.respond(found.order))
    }
    await this.#deleteDrafts(surplus, steps)
    if (draft) return this.#placeDraft(draft, input, steps)
    await this.#takeBackIntents(intents, steps)
    const hold = (await this.#readHold(input.hold_reference)) ?? []
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
    const { orders, holds, records, places } = this.#parts
    const { reference, hold_reference } = input
    const [first] = hold
    if (first && hold_reference !== null && (await holds.requiresUnitsOf(hold, plan))) {
      await steps.run('intent.create', () => records.createIntent(first, { reference, hold_reference }))
      await holds.end(hold, { ending: 'consumed', steps, consumedBy: reference })
    }
    let draft: MedusaOrder
    try {
      draft = await steps.run('draft.create', () => orders.createDraft(toDraft(plan, input, places)))
    } catch (error) {
      if (!isFailure(error, 'refused', 'missing')) throw error
      await this.#takeBackIntents((await records.readOne(reference)).intents, steps)
      const wanted = plan.lines.map(({ good, allocated }) => ({ sku: good.sku, quantity: allocated }))
      return this.#refuse(plan.warehouse.code, { wanted, text: error.text })
    }
    return this.#placeDraft(draft, input, steps)
  }

  /** Gives holds back that an order consumed without coming to be. */
  async #takeBackIntents(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const { particulars } of intents)
      await this.#giveHoldBack(particulars.hold_reference, { reference: particulars.reference, steps })
    await this.#deleteIntents(intents, steps)
  }

  async #deleteIntents(intents: readonly Row<Intent>[], steps: Steps): Promise<void> {
    for (const intent of intents) await steps.run('intent.delete', () => this.#parts.records.delete(intent))
  }

  async #giveHoldBack(
    holdReference: string | null,
    { reference, steps }: { readonly reference: string; readonly steps: Steps },
  ): Promise<void> {
    const hold = (await this.#readHold(holdReference)) ?? []
    const consumed = hold.filter(({ particulars }) => particulars.consumed_by === reference)
    await this.#parts.holds.revive(consumed, steps)
  }

  /** Compares the total that Medusa computed, consumes the hold, and converts the draft to an order. */
  async #placeDraft(draft: MedusaOrder, input: Input<'submit'>, steps: Steps): Promise<Submitted> {
    const { orders, holds } = this.#parts
    const total = toMinor(draft.total, draft.currency_code.toUpperCase())
    const otherTotal = refuseTotal(total, input)
    const hold = (await this.#readHold(draft.particulars.hold_reference)) ?? []
    const state = readHoldState(hold)
    const isOurs = hold.some(({ particulars }) => particulars.consumed_by === input.reference)
    if (hold.length > 0 && state !== 'held' && !isOurs) {
      await this.#deleteDrafts([draft], steps)
      return rejected('hold_expired', `The hold ${draft.particulars.hold_reference} is not active.`)
    }
    if (otherTotal) {
      await this.#takeBackDraft(draft, steps)
      return otherTotal
    }
    await holds.end(hold, { ending: 'consumed', steps, consumedBy: input.reference })
    try {
      await steps.run('draft.convert', () => orders.convert(draft))
    } catch (error) {
      if (!isFailure(error, 'refused', 'missing')) throw error
      const now = (await orders.find(input.reference)).order
      if (!now) return this.#refuseDraft(draft, { text: error.text, steps })
    }
    const { order } = await orders.find(input.reference)
    if (!order) throw new Error(`The order of ${input.reference} is not there.`)
    const { intents } = await this.#parts.records.readOne(input.reference)
    await this.#deleteIntents(intents, steps)
    return ok(await this.respond(order, hold))
  }

  /** Takes everything back after Medusa refused to reserve. */
  async #refuseDraft(
    draft: MedusaOrder,
    { text, steps }: { readonly text: string; readonly steps: Steps },
  ): Promise<Submitted> {
    await this.#takeBackDraft(draft, steps)
    const wanted = draft.items.map(({ variant_sku, quantity }) => ({ sku: variant_sku ?? '', quantity }))
    return this.#refuse(draft.particulars.warehouse_code, { wanted, text })
  }

  /** Explains why Medusa refused: what is short, or else its own text. */
  async #refuse(
    warehouse_code: string,
    { wanted, text }: { readonly wanted: readonly OrderLine[]; readonly text: string },
  ): Promise<Submitted> {
    const { places, stock } = this.#parts
    const warehouse = findWarehouse(places, warehouse_code)
    const figures = warehouse
      ? await stock.readFigures(
          warehouse,
          wanted.map(({ sku }) => sku),
        )
      : []
    const shortages = wanted.flatMap(({ sku, quantity }) => {
      const available = figures.find((figure) => figure.sku === sku)?.quantity_available ?? 0
      return available < quantity ? [{ sku, quantity, quantity_available: Math.max(0, available) }] : []
    })
    if (shortages.length > 0) return rejected('insufficient_stock', text, shortages)
    // The stock came back in between, or Medusa refused for another reason: the caller may try again.
    return rejected('invalid_state', text)
  }

  /** Deletes a draft and gives the hold back that it has consumed. */
  async #takeBackDraft(draft: MedusaOrder, steps: Steps): Promise<void> {
    await this.#deleteDrafts([draft], steps)
    const { hold_reference, reference } = draft.particulars
    await this.#giveHoldBack(hold_reference, { reference, steps })
    await this.#takeBackIntents((await this.#parts.records.readOne(reference)).intents, steps)
  }

  /** Cancels an order. The caller has its lock. */
  async void({ reference }: Input<'void'>, steps: Steps): Promise<ErpResult<Output<'void'>>> {
    const { orders } = this.#parts
    const { order, drafts } = await orders.find(reference)
    if (!order) {
      for (const draft of drafts) await this.#takeBackDraft(draft, steps)
      return rejected('not_found', `There is no order ${reference}.`)
    }
    if (order.status === 'canceled') return ok(await this.respond(order))
    const live = (order.fulfillments ?? []).filter(({ canceled_at }) => canceled_at === null)
    if (live.some(({ shipped_at, delivered_at }) => shipped_at !== null || delivered_at))
      return rejected('already_shipped', `${reference} has been shipped.`)
    for (const { id } of live) await steps.run('order.cancel', () => orders.cancelFulfillment(order.id, id))
    await steps.run('order.cancel', () => orders.cancel(order.id))
    const after = (await orders.find(reference)).order
    if (after?.status !== 'canceled') throw new Error(`The order of ${reference} is not cancelled.`)
    return ok(await this.respond(after))
  }

  /** Takes back the drafts of a reference. Returns the order if one of them has become one. */
  async takeBack(reference: string, steps: Steps): Promise<MedusaOrder | undefined> {
    const { order, drafts } = await this.#parts.orders.find(reference)
    const { intents } = await this.#parts.records.readOne(reference)
    if (order) {
      await this.#deleteDrafts(drafts, steps)
      await this.#deleteIntents(intents, steps)
      return order
    }
    if (drafts.length === 0) await this.#takeBackIntents(intents, steps)
    for (const draft of drafts) {
      try {
        await this.#takeBackDraft(draft, steps)
      } catch (error) {
        // Medusa deletes no draft that has become an order.
        const now = (await this.#parts.orders.find(reference)).order
        if (!now) throw error
        return now
      }
    }
    return drafts.length === 0 ? undefined : (await this.#parts.orders.find(reference)).order
  }

  async #deleteDrafts(drafts: readonly MedusaOrder[], steps: Steps): Promise<void> {
    for (const { id } of drafts) await steps.run('draft.delete', () => this.#parts.orders.deleteDraft(id))
  }

  async #readHold(reference: string | null): Promise<readonly Row<HoldLine>[] | undefined> {
    if (reference === null) return undefined
    return (await this.#parts.records.readOne(reference)).hold
  }

  /** The result of a write: the document, and the figures of all SKUs of the order and of its hold. */
  async respond(
    order: MedusaOrder,
    hold: readonly Row<HoldLine>[] = [],
  ): Promise<{ readonly document: Output<'submit'>['document']; readonly figures: Figures }> {
    const { places, stock, holds } = this.#parts
    const document = toOrderDocument(order, places.warehouses)
    const warehouse = findWarehouse(places, order.particulars.warehouse_code)
    const skus = new Set(document.lines.map(({ sku }) => sku))
    const others = hold.filter(
      ({ particulars: { sku, warehouse_code } }) => warehouse_code !== warehouse?.code || !skus.has(sku),
    )
    const figures = await holds.readFigures(others)
    if (!warehouse) return { document, figures }
    const rows = await stock.readFigures(warehouse, [...skus])
    const same = figures.find(({ warehouse_code }) => warehouse_code === warehouse.code)
    const rest = figures.filter((one) => one !== same)
    return {
      document,
      figures: [...rest, { warehouse_code: warehouse.code, rows: [...rows, ...(same?.rows ?? [])] }],
    }
  }
}

function refusePlan({ quote, lines }: Plan, input: Input<'submit'>): Submitted | undefined {
  if (input.payment_method === 'wechat' || input.payment_method === 'alipay')
    return rejected(
      'invalid_field',
      `Medusa takes no payment by ${input.payment_method} through this connector.`,
    )
  if (quote.unfulfillable_reasons.includes('destination_not_served'))
    return rejected('invalid_field', 'No warehouse delivers to this destination by this shipping method.')
  const short = lines.filter(({ allocated, quantity }) => allocated < quantity)
  const isNothing = lines.every(({ allocated }) => allocated === 0)
  if (short.length > 0 && (!input.allow_partial || isNothing)) {
    const shortages = short.map(({ good, quantity, allocated }) => ({
      sku: good.sku,
      quantity,
      quantity_available: allocated,
    }))
    return rejected('insufficient_stock', 'There is too little stock.', shortages)
  }
  return refuseTotal(quote.costs.total, input)
}

function refuseTotal(
  total: number,
  { expected_total, max_total }: Pick<Input<'submit'>, 'expected_total' | 'max_total'>,
): ErpResult<never> | undefined {
  if (expected_total !== null && total !== expected_total)
    return rejected('price_changed', `The total is ${total}, not ${expected_total}.`)
  if (max_total !== null && total > max_total)
    return rejected('price_changed', `The total is ${total}, which is above ${max_total}.`)
  return undefined
}

/** Builds the draft. Its prices are those of the quote, so that Medusa's total can differ by tax only. */
export function toDraft(
  { customer, warehouse, lines, option, address, quote }: Plan,
  input: Input<'submit'>,
  { regionId, currency }: { readonly regionId: string; readonly currency: string },
): NewDraft {
  const destination = toMedusaAddress(address)
  return {
    body: {
      region_id: regionId,
      sales_channel_id: warehouse.channelId,
      customer_id: customer.id,
      email: customer.email,
      no_notification_order: true,
      items: lines.flatMap(({ good, allocated, price }) =>
        allocated > 0
          ? [{ variant_id: good.variantId, quantity: allocated, unit_price: toUnits(price.unit, currency) }]
          : [],
      ),
      shipping_methods: option
        ? [{ name: option.name, shipping_option_id: option.id, amount: toUnits(option.price, currency) }]
        : [],
      shipping_address: destination,
      // Medusa's search looks at addresses. The word makes the order known by the gateway's reference.
      billing_address: { ...destination, address_2: `Reference ${toSearchWord(input.reference)}` },
    },
    particulars: {
      reference: input.reference,
      order_type: input.order_type,
      warehouse_code: warehouse.code,
      hold_reference: input.hold_reference,
      client_order_number: input.client_order_number,
      remark: input.remark,
      payment_method: input.payment_method,
      arrival: quote.arrival,
      lines: lines.map(({ good, quantity, price }) => ({
        sku: good.sku,
        product_code: good.product_code,
        quantity,
        unit_price: price.unit,
      })),
    },
  }
}

function toMedusaAddress(address: Destination) {
  return {
    first_name: address.name,
    company: address.company ?? '',
    phone: address.phone ?? '',
    address_1: address.address,
    city: address.city,
    province: address.state ?? '',
    postal_code: address.postal_code ?? '',
    country_code: address.country_code.toLowerCase(),
  }
}
