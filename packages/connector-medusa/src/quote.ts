/** What an order would be allocated and what it would cost. Reads only: Medusa knows nothing of a quote. */
import {
  type Costs,
  type Delivery,
  type ErpAddress,
  type ErpResult,
  type Input,
  ok,
  type Quote,
  rejected,
} from '@trade-gateway/connector'
import { toMinor, toUnits } from './amounts.ts'
import { computeArrival } from './arrival.ts'
import type { Good } from './catalogue.ts'
import type { Config } from './config.ts'
import { type Customer, type Customers, toErpAddress } from './customers.ts'
import type { Environment } from './environment.ts'
import type { Goods } from './goods.ts'
import type { Buyer } from './offers.ts'
import { findWarehouse, type Places, type Warehouse } from './places.ts'
import { type Price, type Prices, type TaxPlace, toPriceAt } from './prices.ts'
import type { Shipping, ShippingOption } from './shipping.ts'
import type { Level, Stock } from './stock.ts'

/**
 * How long the gateway lets an order cost what its quote said, or nothing. Medusa computes the total of an order itself,
 * with promotions that no quote can see, so a total without a promise would be charged whatever it is.
 */
const priceLifeMs = 15 * 60_000

/** What quotes, holds and orders have in common. */
export type Request = Omit<Input<'quote'>, 'allow_partial' | 'hold_reference'>

/** Units of a hold that the order would consume: they count as available. */
export interface Covered {
  readonly warehouse_code: string
  readonly quantities: ReadonlyMap<string, number>
}

export interface PlannedLine {
  readonly good: Good
  readonly quantity: number
  readonly allocated: number
  readonly price: Price
}

/** An order as it would be placed. */
export interface Plan {
  readonly customer: Customer
  readonly warehouse: Warehouse
  readonly lines: readonly PlannedLine[]
  /** Undefined for a reservation. */
  readonly option: ShippingOption | undefined
  /** Where the goods go. If they are picked up or reserved, the customer's own address, whose tax applies. */
  readonly address: Destination
  readonly quote: Quote
}

export type Destination = Omit<ErpAddress, 'address_id' | 'is_default' | 'updated_at'>

interface PlanOptions {
  readonly isPartial: boolean
  readonly covered?: Covered | undefined
}

/** A SKU for which Medusa finds another price than the connector, whose catalogue may be too old. */
interface Disagreement {
  readonly disagreement: string
}

interface Sources {
  readonly places: Places
  readonly config: Config
  readonly environment: Environment
  readonly goods: Goods
  readonly stock: Stock
  readonly prices: Prices
  readonly shipping: Shipping
  readonly customers: Customers
}

interface Trip {
  /** Whether the goods leave the warehouse by a shipping method at all. */
  readonly isSent: boolean
  readonly options: readonly ShippingOption[]
  readonly address: Destination | undefined
}

export class Quotes {
  readonly #sources: Sources

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /**
   * Plans an order from one warehouse: the first that has every line, or else the one that has most units. With
   * `isPartial`, a short line costs what is allocated.
   */
  async plan(request: Request, options: PlanOptions): Promise<ErpResult<Plan>> {
    const plan = await this.#plan(request, options)
    if (!('disagreement' in plan)) return plan
    await this.#sources.goods.readCatalogue({ renew: true })
    const again = await this.#plan(request, options)
    if (!('disagreement' in again)) return again
    const text = `Medusa and the connector find different prices of ${again.disagreement}.`
    this.#sources.environment.log(`refused: ${text}`)
    return rejected('sku_blocked', text)
  }

  async #plan(
    request: Request,
    { isPartial, covered }: PlanOptions,
  ): Promise<ErpResult<Plan> | Disagreement> {
    const { customers, goods } = this.#sources
    const wanted = mergeLines(request.lines)
    const [session, known] = await Promise.all([
      customers.openSession(request.session, request.customer_code),
      goods.find([...wanted.keys()]),
    ])
    if (!session) return rejected('session_expired', 'The session is not open.')
    const missing = [...wanted.keys()].find((sku) => !known.has(sku))
    if (missing !== undefined) return rejected('not_found', `There is no SKU ${missing}.`)
    const { customer, token } = session
    const trip = await this.#findTrip(request, customer)
    if ('rejected' in trip) return trip
    const address = trip.ok.address ?? this.#findHome(customer)
    const [{ ofOne, freightTax }, chosen, buyer] = await Promise.all([
      this.#readPrices(token, { goods: [...known.values()], trip: trip.ok, place: address }),
      this.#chooseWarehouse(request, { wanted, known, covered, trip: trip.ok }),
      this.#readBuyer(customer, [...known.values()]),
    ])
    const blocked = [...known.values()].find(({ sku, isSold }) => !isSold || !ofOne.has(sku))
    if (blocked) return rejected('sku_blocked', `${blocked.sku} is not sold to this customer.`)
    if (!chosen) return rejected('not_found', `There is no warehouse ${request.warehouse_codes.join(', ')}.`)
    const { currency } = this.#sources.places
    const { warehouse, option, allocated } = chosen
    const priced = priceLines({ known, wanted, allocated, ofOne, buyer, isPartial, currency })
    if (!('ok' in priced)) return priced
    const lines = priced.ok
    const costs = computeCosts(lines, { isPartial, freight: option?.price ?? 0, freightTax, currency })
    const quote = this.#toQuote(lines, { warehouse, option, trip: trip.ok, costs, isPartial })
    return ok({ customer, warehouse, lines, option, address, quote })
  }

  async #readPrices(
    token: string,
    {
      goods,
      trip,
      place,
    }: { readonly goods: readonly Good[]; readonly trip: Trip; readonly place: TaxPlace },
  ): Promise<{ readonly ofOne: Map<string, Price>; readonly freightTax: number }> {
    const { prices } = this.#sources
    const [ofOne, freightTax] = await Promise.all([
      prices.read(token, { goods, place }),
      trip.isSent ? prices.readFreightTax(place) : 0,
    ])
    return { ofOne, freightTax }
  }

  /** Reads what the prices of a customer depend on, if one of the goods has prices by quantity. */
  async #readBuyer(customer: Customer, goods: readonly Good[]): Promise<Buyer | undefined> {
    if (!goods.some(({ offers }) => offers)) return undefined
    const { places, customers } = this.#sources
    return { regionId: places.regionId, groupIds: await customers.readGroups(customer.id) }
  }

  /** The address whose tax applies when nothing is delivered: the customer's, or that of the first warehouse. */
  #findHome(customer: Customer): Destination {
    const own = (customer.addresses ?? []).flatMap(toErpAddress)
    const home = own.find(({ is_default }) => is_default) ?? own[0]
    if (home) return home
    const country_code = this.#sources.places.warehouses[0]?.countryCode ?? ''
    const nowhere = { phone: null, company: null, address: '', city: '', state: null, postal_code: null }
    return { ...nowhere, name: customer.email, country_code }
  }

  async #findTrip({ delivery }: Request, customer: Customer): Promise<ErpResult<Trip>> {
    if (delivery === null) return ok({ isSent: false, options: [], address: undefined })
    const { shipping } = this.#sources
    const carrier = shipping.findCarrier(delivery)
    if (!carrier) {
      const name = delivery.to === 'address' ? delivery.shipping_method_id : delivery.service
      return rejected('not_found', `There is no shipping method ${name}.`)
    }
    if (delivery.to === 'address' && delivery.address_id === null && carrier.kind !== 'pickup')
      return rejected('invalid_field', `The shipping method ${carrier.code} requires an address.`)
    const destination = findDestination(delivery, customer)
    if ('rejected' in destination) return destination
    const address = destination.ok
    return ok({ isSent: true, options: await shipping.listOptions(carrier, address), address })
  }

  async #chooseWarehouse(
    { warehouse_codes, delivery }: Request,
    { wanted, known, covered, trip }: Wanted,
  ): Promise<Chosen | undefined> {
    const { places, stock } = this.#sources
    const levels = await stock.readAllLevels([...known.values()])
    let best: (Chosen & { readonly units: number }) | undefined
    for (const code of warehouse_codes) {
      const warehouse = findWarehouse(places, code)
      if (!warehouse) continue
      const option = trip.options.find((one) => one.warehouse.code === code)
      if (delivery !== null && !option) continue
      const own = covered?.warehouse_code === code ? covered.quantities : undefined
      const allocated = allocate(wanted, (sku) =>
        countAvailable(levels.get(sku)?.get(warehouse.locationId), own?.get(sku)),
      )
      const units = [...allocated.values()].reduce((sum, quantity) => sum + quantity, 0)
      const isWhole = [...wanted].every(([sku, quantity]) => allocated.get(sku) === quantity)
      if (isWhole) return { warehouse, option, allocated }
      if (!best || units > best.units) best = { warehouse, option, allocated, units }
    }
    return best ?? this.#findUnserved(warehouse_codes)
  }

  /** A warehouse from which nothing is delivered: the quote says that the destination is not served. */
  #findUnserved(codes: readonly string[]): Chosen | undefined {
    const warehouse = codes
      .map((code) => findWarehouse(this.#sources.places, code))
      .find((one) => one !== undefined)
    return warehouse && { warehouse, option: undefined, allocated: new Map() }
  }

  #toQuote(lines: readonly PlannedLine[], { warehouse, option, trip, costs, isPartial }: QuoteParts): Quote {
    const { environment, config, places } = this.#sources
    const isUnserved = trip.isSent && (!option || !this.#isServed(trip.address))
    const isShort = lines.some(({ allocated, quantity }) => allocated < quantity)
    const transit = option?.carrier.days ?? [0, 0]
    return {
      fulfillable: !isShort && !isUnserved,
      lines: lines.map(({ good, quantity, allocated, price }) => ({
        sku: good.sku,
        product_code: good.product_code,
        quantity,
        quantity_allocated: allocated,
        short_reasons: allocated < quantity ? ['insufficient_stock' as const] : [],
        allocations: allocated > 0 ? [{ warehouse_code: warehouse.code, quantity: allocated }] : [],
        incoming: [],
        unit_price: price.unit,
        line_total: price.unit * (isPartial ? allocated : quantity),
      })),
      costs,
      currency: places.currency,
      arrival: computeArrival(environment.now(), {
        timezone: warehouse.timezone,
        dispatch: config.dispatch_days,
        transit,
      }),
      unfulfillable_reasons: [
        ...(isShort ? ['insufficient_stock' as const] : []),
        ...(isUnserved ? ['destination_not_served' as const] : []),
      ],
      price_expires_at: new Date(environment.now() + priceLifeMs).toISOString(),
    }
  }

  #isServed(address: Destination | undefined): boolean {
    return address === undefined || this.#sources.places.countries.has(address.country_code)
  }
}

interface Wanted {
  readonly wanted: ReadonlyMap<string, number>
  readonly known: ReadonlyMap<string, Good>
  readonly covered: Covered | undefined
  readonly trip: Trip
}

interface Chosen {
  readonly warehouse: Warehouse
  readonly option: ShippingOption | undefined
  readonly allocated: ReadonlyMap<string, number>
}

interface QuoteParts {
  readonly warehouse: Warehouse
  readonly option: ShippingOption | undefined
  readonly trip: Trip
  readonly costs: Costs
  readonly isPartial: boolean
}

interface Unpriced {
  readonly known: ReadonlyMap<string, Good>
  readonly wanted: ReadonlyMap<string, number>
  readonly allocated: ReadonlyMap<string, number>
  readonly ofOne: ReadonlyMap<string, Price>
  readonly buyer: Buyer | undefined
  readonly isPartial: boolean
  readonly currency: string
}

/** Gives each line its price. Prices by quantity are those of the units that would be ordered. */
function priceLines(unpriced: Unpriced): ErpResult<PlannedLine[]> | Disagreement {
  const { known, wanted, ofOne, buyer, isPartial, currency } = unpriced
  const lines: PlannedLine[] = []
  for (const good of known.values()) {
    const { sku, offers } = good
    const quantity = wanted.get(sku) ?? 0
    const allocated = unpriced.allocated.get(sku) ?? 0
    const units = (isPartial && allocated) || quantity
    const one = ofOne.get(sku) ?? { unit: 0, tax: 0 }
    const price = offers && buyer ? toPriceAt(one, { offers, quantity: units, buyer, currency }) : one
    if (price === 'disagreement') return { disagreement: sku }
    if (price === 'gap') return rejected('invalid_field', `${sku} has no price for ${units} units.`)
    lines.push({ good, quantity, allocated, price })
  }
  return ok(lines)
}

/** Where a delivery goes. Undefined if the goods are picked up. */
function findDestination(delivery: Delivery, customer: Customer): ErpResult<Destination | undefined> {
  if (delivery.to === 'recipient') return ok({ ...delivery.recipient, company: null })
  if (delivery.address_id === null) return ok(undefined)
  const own = (customer.addresses ?? []).flatMap(toErpAddress)
  const address = own.find(({ address_id }) => address_id === delivery.address_id)
  return address ? ok(address) : rejected('not_found', `The customer has no address ${delivery.address_id}.`)
}

/** Adds up lines of the same SKU, in the order of their first line. */
export function mergeLines(
  lines: readonly { readonly sku: string; readonly quantity: number }[],
): Map<string, number> {
  const wanted = new Map<string, number>()
  for (const { sku, quantity } of lines) wanted.set(sku, (wanted.get(sku) ?? 0) + quantity)
  return wanted
}

function countAvailable(level: Level | undefined, covered = 0): number {
  return level ? Math.max(0, level.available + covered) : 0
}

function allocate(wanted: ReadonlyMap<string, number>, count: (sku: string) => number): Map<string, number> {
  return new Map([...wanted].map(([sku, quantity]) => [sku, Math.min(quantity, count(sku))]))
}

/** Computes the costs as Medusa does: tax is added up exactly, and only the total is rounded. */
export function computeCosts(
  lines: readonly Pick<PlannedLine, 'quantity' | 'allocated' | 'price'>[],
  { isPartial, freight, freightTax, currency }: CostSettings,
): Costs {
  let goods = 0
  let tax = 0
  for (const { quantity, allocated, price } of lines) {
    const units = isPartial ? allocated : quantity
    goods += price.unit * units
    tax += price.tax * units
  }
  const taxMinor = toMinor(tax + toUnits(freight, currency) * freightTax, currency)
  return { goods, freight, handling: 0, tax: taxMinor, discount: 0, total: goods + freight + taxMinor }
}

interface CostSettings {
  readonly isPartial: boolean
  readonly freight: number
  /** The part of the freight that is its tax. */
  readonly freightTax: number
  readonly currency: string
}
