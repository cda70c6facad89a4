/**
 * Shipping methods: the shipping options of all warehouses with the same type are one method. An option counts as it does
 * for every cart of a shop: one for returns or with further rules does not, and neither does a price with conditions.
 */
import { cutText, type Delivery, type ErpShippingMethod } from '@trade-gateway/connector'
import { Cached } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import { toMinor } from './amounts.ts'
import type { Config } from './config.ts'
import type { Environment } from './environment.ts'
import type { MedusaHttp } from './http.ts'
import type { Places, Warehouse } from './places.ts'
import { type GeoZone, geoZone, measureCover, type Place } from './zones.ts'

const maxOptions = 1000
const maxAgeMs = 30_000

type Carrier = Config['carriers'][number]

/** A shipping option of a carrier in one warehouse. */
export interface ShippingOption {
  readonly id: string
  readonly carrier: Carrier
  readonly name: string
  readonly warehouse: Warehouse
  /** Where it delivers to. */
  readonly zones: readonly GeoZone[]
  /** In minor units. */
  readonly price: number
}

const rules = z
  .array(z.object({ attribute: z.string(), operator: z.string(), value: z.unknown() }))
  .nullish()
  .transform((found) => found ?? [])
type Rules = z.output<typeof rules>

const price = z.object({
  amount: z.number(),
  currency_code: z.string(),
  min_quantity: z.number().nullish(),
  price_list_id: z.string().nullish(),
  price_rules: rules,
})

const options = z.object({
  shipping_options: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      type: z.object({ code: z.string() }).nullish(),
      rules,
      service_zone: z
        .object({
          fulfillment_set: z.object({ location: z.object({ id: z.string() }).nullish() }).nullish(),
          geo_zones: z.array(geoZone).nullish(),
        })
        .nullish(),
      prices: z.array(price).nullish(),
    }),
  ),
})
const fields = [
  'id,name,type.code,rules.attribute,rules.operator,rules.value',
  'service_zone.fulfillment_set.location.id,service_zone.geo_zones.*',
  'prices.amount,prices.currency_code,prices.min_quantity,prices.price_list_id',
  'prices.price_rules.attribute,prices.price_rules.operator,prices.price_rules.value',
].join(',')

export type MedusaShippingOption = z.output<typeof options>['shipping_options'][number]

export class Shipping {
  readonly #http: MedusaHttp
  readonly #places: Places
  readonly #config: Config
  readonly #options: Cached<readonly ShippingOption[]>

  constructor(
    http: MedusaHttp,
    places: Places,
    { config, environment }: { config: Config; environment: Environment },
  ) {
    this.#http = http
    this.#places = places
    this.#config = config
    this.#options = new Cached(environment, maxAgeMs, () => this.#read())
  }

  async listMethods(): Promise<ErpShippingMethod[]> {
    const all = await this.#options.get()
    const first = this.#config.carriers.find(({ kind }) => kind === 'delivery')?.code
    return this.#config.carriers.flatMap((carrier) => {
      const own = all.filter((option) => option.carrier.code === carrier.code)
      const [option] = own
      if (!option) return []
      const isDelivery = carrier.kind === 'delivery'
      return [
        {
          shipping_method_id: carrier.code,
          name: option.name,
          kind: carrier.kind,
          requires_address: isDelivery,
          carrier: isDelivery ? cutText(option.name, 100) : null,
          warehouse_codes: [...new Set(own.map(({ warehouse }) => warehouse.code))],
          estimated_days: { min: carrier.days[0], max: carrier.days[1] },
          price: option.price,
          currency: this.#places.currency,
          is_default: carrier.code === first,
        },
      ]
    })
  }

  /** Finds the carrier that a delivery names. */
  findCarrier(delivery: Delivery): Carrier | undefined {
    return this.#config.carriers.find((carrier) =>
      delivery.to === 'address'
        ? carrier.code === delivery.shipping_method_id
        : carrier.service === delivery.service,
    )
  }

  /** Lists the shipping options of a carrier to a destination, of the narrowest zones first; without one, to anywhere. */
  async listOptions(carrier: Carrier, destination: Place | undefined): Promise<readonly ShippingOption[]> {
    const own = (await this.#options.get()).filter((option) => option.carrier.code === carrier.code)
    if (!destination) return own
    return own
      .map((option) => ({ option, cover: measureCover(option.zones, destination) }))
      .filter(({ cover }) => cover > 0)
      .sort((one, other) => other.cover - one.cover)
      .map(({ option }) => option)
  }

  async #read(): Promise<readonly ShippingOption[]> {
    const query = { limit: maxOptions, fields }
    const { shipping_options } = await this.#http.get('/admin/shipping-options', options, query)
    return shipping_options.flatMap((option) => toShippingOption(option, this.#config, this.#places))
  }
}

/** Returns the option if every order of its carrier, warehouse and zones may have it, or else nothing. */
export function toShippingOption(
  { id, name, type, rules: conditions, service_zone, prices }: MedusaShippingOption,
  { carriers }: Pick<Config, 'carriers'>,
  { regionId, currency, warehouses }: Pick<Places, 'regionId' | 'currency' | 'warehouses'>,
): ShippingOption[] {
  const carrier = carriers.find(({ code }) => code === type?.code)
  const locationId = service_zone?.fulfillment_set?.location?.id
  const warehouse = warehouses.find((one) => one.locationId === locationId)
  const own = prices?.filter(
    ({ currency_code, min_quantity, price_list_id }) =>
      currency_code.toUpperCase() === currency && !min_quantity && !price_list_id,
  )
  const found =
    own?.find(({ price_rules }) => price_rules.length > 0 && holds(price_rules, { region_id: regionId })) ??
    own?.find(({ price_rules }) => price_rules.length === 0)
  if (!carrier || !warehouse || !found || !holds(conditions, ofShop)) return []
  const zones = service_zone?.geo_zones ?? []
  return [{ id, name, carrier, warehouse, zones, price: toMinor(found.amount, currency) }]
}

/** What Medusa compares the rules of an option with when a shop asks for it. */
const ofShop = { is_return: 'false', enabled_in_store: 'true' }

/** Whether rules hold in every order. One that this connector does not know may not. */
function holds(conditions: Rules, known: Readonly<Record<string, string>>): boolean {
  return conditions.every(
    ({ attribute, operator, value }) => operator === 'eq' && known[attribute] === String(value),
  )
}
