/** Shipping methods: the shipping options of all warehouses with the same type are one method. */
import { cutText, type Delivery, type ErpShippingMethod } from '@trade-gateway/connector'
import { Cached } from '@trade-gateway/connector-kit/cached'
import { z } from 'zod'
import { toMinor } from './amounts.ts'
import type { Config } from './config.ts'
import type { Environment } from './environment.ts'
import type { MedusaHttp } from './http.ts'
import type { Places, Warehouse } from './places.ts'

const maxOptions = 1000
const maxAgeMs = 30_000

type Carrier = Config['carriers'][number]

/** The shipping option of a carrier in one warehouse. */
export interface ShippingOption {
  readonly id: string
  readonly carrier: Carrier
  readonly name: string
  readonly warehouse: Warehouse
  /** In minor units. */
  readonly price: number
}

const options = z.object({
  shipping_options: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      type: z.object({ code: z.string() }).nullish(),
      service_zone: z
        .object({
          fulfillment_set: z.object({ location: z.object({ id: z.string() }).nullish() }).nullish(),
        })
        .nullish(),
      prices: z.array(z.object({ amount: z.number(), currency_code: z.string() })).nullish(),
    }),
  ),
})
const fields = 'id,name,type.code,service_zone.fulfillment_set.location.id,prices.amount,prices.currency_code'

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
          warehouse_codes: own.map(({ warehouse }) => warehouse.code),
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

  /** Lists the shipping options of a carrier, one for each warehouse that offers it. */
  async listOptions(carrier: Carrier): Promise<readonly ShippingOption[]> {
    return (await this.#options.get()).filter((option) => option.carrier.code === carrier.code)
  }

  async #read(): Promise<readonly ShippingOption[]> {
    const query = { limit: maxOptions, fields }
    const { shipping_options } = await this.#http.get('/admin/shipping-options', options, query)
    const { currency, warehouses } = this.#places
    return shipping_options.flatMap(({ id, name, type, service_zone, prices }) => {
      const carrier = this.#config.carriers.find(({ code }) => code === type?.code)
      const locationId = service_zone?.fulfillment_set?.location?.id
      const warehouse = warehouses.find((one) => one.locationId === locationId)
      const price = prices?.find(({ currency_code }) => currency_code.toUpperCase() === currency)
      return carrier && warehouse && price
        ? [{ id, name, carrier, warehouse, price: toMinor(price.amount, currency) }]
        : []
    })
  }
}
