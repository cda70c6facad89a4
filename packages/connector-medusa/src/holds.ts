/** Holds: reservations of Medusa, one for each line, that are made and ended one after another. */
import {
  type ErpDocument,
  type ErpResult,
  type Input,
  type Output,
  ok,
  type Quote,
  rejected,
} from '@trade-gateway/connector'
import { toHoldDocument } from './documents.ts'
import type { Environment } from './environment.ts'
import { isFailure } from './failures.ts'
import type { Intents } from './intents.ts'
import { findWarehouse, type Places } from './places.ts'
import type { Covered, Plan, Quotes } from './quote.ts'
import {
  type Ending,
  type HoldLine,
  listLive,
  type Place,
  type RecordStore,
  type Records,
  type Row,
  readHoldState,
} from './records.ts'
import type { Steps } from './steps.ts'
import type { Stock } from './stock.ts'

export type Figures = Output<'submit'>['figures']

interface HoldParts {
  readonly places: Places
  readonly environment: Environment
  readonly records: RecordStore
  readonly intents: Intents
  readonly quotes: Quotes
  readonly stock: Stock
}

export class Holds {
  readonly #parts: HoldParts

  constructor(parts: HoldParts) {
    this.#parts = parts
  }

  /** Holds all lines or none. The caller has the locks of `reference` and `replaces`. */
  async hold(input: Input<'hold'>, steps: Steps): Promise<ErpResult<Output<'hold'>>> {
    const { records, quotes, intents } = this.#parts
    const existing = await records.readOne(input.reference)
    if (existing.isFenced) return rejected('invalid_state', `${input.reference} was settled as absent.`)
    if (existing.hold.length > 0) return this.#finishHold(input, existing.hold, steps)
    await intents.takeBack(existing.intents, steps)
    const old = await records.readHold(input.replaces)
    const live = listLive(old)
    const planned = await quotes.plan(input, { isPartial: false, covered: toCovered(live) })
    if ('rejected' in planned) return planned
    if (!planned.ok.quote.fulfillable) return ok({ quote: planned.ok.quote, document: null, figures: [] })
    const lines = toHoldLines(planned.ok, input)
    if (await this.requiresUnitsOf(live, planned.ok)) await this.#endBefore(live, steps)
    const isHeld = await this.#reserve(lines, steps)
    if (!isHeld) return ok({ quote: toShortQuote(planned.ok.quote), document: null, figures: [] })
    return this.#replace(input, { quote: planned.ok.quote, steps })
  }

  /** Ends the hold whose units a new one needs, and records it, so that it is revived if the new one is refused. */
  async #endBefore(live: readonly Row<HoldLine>[], steps: Steps): Promise<void> {
    const [first] = live
    if (!first) return
    const { reference } = steps
    const intent = { reference, hold_reference: first.particulars.reference, line_item_ids: [] }
    await this.#parts.intents.create(first, intent, steps)
    await this.end(live, { ending: 'released', steps, consumedBy: reference })
  }

  /** Returns an existing hold, after making the lines that are missing. */
  async #finishHold(
    input: Input<'hold'>,
    hold: readonly Row<HoldLine>[],
    steps: Steps,
  ): Promise<ErpResult<Output<'hold'>>> {
    const quote = toQuoteOf(hold)
    if (readHoldState(hold) === 'begun') {
      const isHeld = await this.#reserve(listMissing(hold), steps)
      if (!isHeld) return ok({ quote: toShortQuote(quote), document: null, figures: [] })
    }
    return this.#replace(input, { quote, steps })
  }

  /** Ends what a hold replaces, now that all of its lines are there. */
  async #replace(
    { reference, replaces }: Input<'hold'>,
    { quote, steps }: { readonly quote: Quote; readonly steps: Steps },
  ): Promise<ErpResult<Output<'hold'>>> {
    const { hold, intents } = await this.#parts.records.readOne(reference)
    const old = await this.endReplaced(replaces, { intents, steps })
    return ok({ quote, document: requireDocument(hold), figures: await this.readFigures([...hold, ...old]) })
  }

  /** Ends a hold that is replaced for good, and returns its lines. */
  async endReplaced(
    replaces: string | null,
    { intents, steps }: { readonly intents: Records['intents']; readonly steps: Steps },
  ): Promise<readonly Row<HoldLine>[]> {
    const old = await this.#parts.records.readHold(replaces)
    await this.end(old, { ending: 'released', steps })
    await this.#parts.intents.delete(intents, steps)
    return old
  }

  /** Releases a hold. The caller has its lock. */
  async release(
    { reference, reason }: Input<'release'>,
    steps: Steps,
  ): Promise<ErpResult<Output<'release'>>> {
    const { hold } = await this.#parts.records.readOne(reference)
    const state = readHoldState(hold)
    if (state === 'none') return rejected('not_found', `There is no hold ${reference}.`)
    if (state === 'consumed') return rejected('invalid_state', `An order has consumed ${reference}.`)
    await this.end(hold, { ending: reason === 'expiry' ? 'expired' : 'released', steps })
    const after = (await this.#parts.records.readOne(reference)).hold
    return ok({ document: requireDocument(after), figures: await this.readFigures(after) })
  }

  /** Ends the lines that have not ended for good: Medusa gives their units back. */
  async end(
    rows: readonly Row<HoldLine>[],
    { ending, steps, consumedBy = null }: { ending: Ending; steps: Steps; consumedBy?: string | null },
  ): Promise<void> {
    const ended_at = new Date(this.#parts.environment.now()).toISOString()
    for (const row of rows) {
      if (hasEnded(row.particulars)) continue
      const line = { ...row.particulars, ending, ended_at, consumed_by: consumedBy }
      await steps.run('hold.end', () => this.#parts.records.updateLine(row, 0, line))
    }
  }

  /** Deletes the lines of a hold that was not finished. The first one is the last to go: it says what the others are. */
  async takeBack(rows: readonly Row<HoldLine>[], steps: Steps): Promise<void> {
    for (const row of rows.toReversed()) await steps.run('hold.delete', () => this.#parts.records.delete(row))
  }

  /** Reserves lines. If one is refused, takes all of the hold back and returns false. */
  async #reserve(lines: readonly PlacedLine[], steps: Steps): Promise<boolean> {
    const { records } = this.#parts
    for (const { place, line } of lines) {
      try {
        await steps.run('hold.reserve', () => records.createLine(place, line))
      } catch (error) {
        if (!isFailure(error, 'refused', 'missing')) throw error
        const { hold, intents } = await records.readOne(steps.reference)
        await this.takeBack(hold, steps)
        await this.#parts.intents.takeBack(intents, steps)
        return false
      }
    }
    return true
  }

  /** Whether a hold must give its units back before the plan can have them. */
  async requiresUnitsOf(old: readonly Row<HoldLine>[], { warehouse, lines }: Plan): Promise<boolean> {
    if (old.length === 0) return false
    const levels = await this.#parts.stock.readLevels(
      warehouse.locationId,
      lines.map(({ good }) => good),
    )
    return lines.some(({ good, allocated }) => (levels.get(good.sku)?.available ?? 0) < allocated)
  }

  /** Reads the figures of all SKUs of the lines. */
  async readFigures(rows: readonly Row<HoldLine>[]): Promise<Figures> {
    const skus = new Map<string, Set<string>>()
    for (const {
      particulars: { warehouse_code, sku },
    } of rows)
      skus.set(warehouse_code, (skus.get(warehouse_code) ?? new Set()).add(sku))
    const figures: Figures = []
    for (const [warehouse_code, named] of skus) {
      const warehouse = findWarehouse(this.#parts.places, warehouse_code)
      if (warehouse)
        figures.push({ warehouse_code, rows: await this.#parts.stock.readFigures(warehouse, [...named]) })
    }
    return figures
  }
}

interface PlacedLine {
  readonly place: Place
  readonly line: HoldLine
}

function toHoldLines({ warehouse, lines, quote }: Plan, input: Input<'hold'>): PlacedLine[] {
  const plan = lines.map(({ good, quantity, price }) => ({
    sku: good.sku,
    product_code: good.product_code,
    inventory_item_id: good.inventoryItemId,
    quantity,
    unit_price: price.unit,
  }))
  const common = {
    kind: 'hold' as const,
    reference: input.reference,
    order_type: input.order_type,
    warehouse_code: warehouse.code,
    count: lines.length,
    currency: quote.currency,
    expires_at: input.expires_at,
    costs: quote.costs,
    arrival: quote.arrival,
    ending: null,
    ended_at: null,
    consumed_by: null,
    replaces: input.replaces,
    price_expires_at: quote.price_expires_at,
  }
  return plan.map(({ inventory_item_id, ...line }, index) => ({
    place: { locationId: warehouse.locationId, inventoryItemId: inventory_item_id },
    line: { ...common, ...line, index, plan: index === 0 ? plan : null },
  }))
}

/** Whether a line has ended and cannot be revived. One that another hold ended can, until it is released itself. */
const hasEnded = ({ ending, consumed_by }: HoldLine) =>
  ending === 'released' ? consumed_by === null : ending !== null

/** Lists the lines of a hold that was cut off before they were reserved. */
function listMissing(rows: readonly Row<HoldLine>[]): PlacedLine[] {
  const [first] = rows
  if (!first) return []
  const { plan, ...common } = first.particulars
  if (!plan)
    throw new Error(`The first line of the hold ${common.reference} is gone, so it cannot be finished.`)
  return plan.flatMap(({ inventory_item_id, ...line }, index) =>
    rows.some(({ particulars }) => particulars.index === index)
      ? []
      : [
          {
            place: { locationId: first.locationId, inventoryItemId: inventory_item_id },
            line: { ...common, ...line, index, plan: null },
          },
        ],
  )
}

/** The units of a hold that a new hold or an order may use. */
export function toCovered(rows: readonly Row<HoldLine>[]): Covered | undefined {
  const [first] = rows
  if (!first) return undefined
  const quantities = new Map(rows.map(({ particulars: { sku, quantity } }) => [sku, quantity]))
  return { warehouse_code: first.particulars.warehouse_code, quantities }
}

function requireDocument(rows: readonly Row<HoldLine>[]): ErpDocument {
  const document = toHoldDocument(rows)
  if (document) return document
  throw new Error('A hold that was just written is not there.')
}

/** The quote of an existing hold, from what was recorded with it. */
function toQuoteOf(rows: readonly Row<HoldLine>[]): Quote {
  const document = requireDocument(rows)
  const lines = rows[0]?.particulars.plan ?? []
  const warehouse_code = rows[0]?.particulars.warehouse_code ?? ''
  const none = { goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 }
  const day = (document.expires_at ?? '').slice(0, 10)
  const dates = {
    earliest_ship_date: day,
    latest_ship_date: day,
    earliest_arrival_date: day,
    latest_arrival_date: day,
  }
  return {
    fulfillable: true,
    lines: lines.map(({ sku, product_code, quantity, unit_price }) => ({
      sku,
      product_code,
      quantity,
      quantity_allocated: quantity,
      short_reasons: [],
      allocations: [{ warehouse_code, quantity }],
      incoming: [],
      unit_price,
      line_total: unit_price * quantity,
    })),
    costs: document.costs ?? none,
    currency: document.currency,
    arrival: document.arrival ?? dates,
    unfulfillable_reasons: [],
    price_expires_at: rows[0]?.particulars.price_expires_at ?? null,
  }
}

/** The quote of a hold that Medusa refused: somebody took the units after they were counted. */
function toShortQuote(quote: Quote): Quote {
  const lines = quote.lines.map((line) => ({
    ...line,
    quantity_allocated: 0,
    allocations: [],
    short_reasons: ['insufficient_stock' as const],
  }))
  return { ...quote, lines, fulfillable: false, unfulfillable_reasons: ['insufficient_stock'] }
}
