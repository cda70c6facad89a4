/** Shipping methods, and what a delivery of the gateway is in Tryton. */
import { cutText, type Input, type Output } from '@trade-gateway/connector'
import type { Connector } from './connector.ts'
import type { Customer } from './customers.ts'
import type { Carrier } from './places.ts'
import { toMinor } from './values.ts'

const dayMs = 86_400_000

export async function readShippingMethods({
  places,
  config,
  forms,
}: Connector): Promise<Output<'shipping_methods'>> {
  const { currency, minorUnits, carriers } = places
  const prices = await Promise.all(carriers.map(({ product }) => forms.readFreightPrice(product)))
  return {
    shipping_methods: carriers.map((carrier, index) => ({
      shipping_method_id: carrier.code,
      name: carrier.name,
      kind: carrier.kind,
      requires_address: carrier.kind === 'delivery',
      carrier: cutText(carrier.name, 100),
      warehouse_codes: places.warehouses.map(({ code }) => code),
      estimated_days: {
        min: config.dispatch_days[0] + carrier.days[0],
        max: config.dispatch_days[1] + carrier.days[1],
      },
      price: Math.max(0, toMinor(prices[index] ?? '0', minorUnits)),
      currency,
      is_default: index === 0,
    })),
  }
}

/** Where an order goes. For a recipient, whose address is created with the order, `address` is that of the customer. */
export interface Destination {
  readonly carrier: Carrier
  readonly address: number
  readonly recipient: Recipient | undefined
}

type DeliveryInput = NonNullable<Input<'quote'>['delivery']>
type Recipient = Extract<DeliveryInput, { to: 'recipient' }>['recipient'] & { readonly country: number }

export type Found = { readonly destination: Destination } | { readonly refused: string } | 'not served'

/** Finds the carrier and the address of a delivery. Without one, it is that of the first carrier and address. */
export async function findDestination(
  connector: Connector,
  customer: Customer,
  delivery: Input<'quote'>['delivery'],
): Promise<Found> {
  const { carriers } = connector.places
  if (delivery?.to === 'recipient') return findRecipient(connector, customer, delivery)
  const carrier = delivery ? carriers.find(({ code }) => code === delivery.shipping_method_id) : carriers[0]
  if (!carrier) return { refused: `There is no shipping method ${delivery?.shipping_method_id}.` }
  const wanted = delivery?.address_id ?? null
  const address = await findAddress(connector, customer, wanted)
  if (address === undefined)
    return { refused: wanted === null ? 'The customer has no address.' : `There is no address ${wanted}.` }
  return { destination: { carrier, address, recipient: undefined } }
}

async function findRecipient(
  connector: Connector,
  customer: Customer,
  { service, recipient }: Extract<DeliveryInput, { to: 'recipient' }>,
): Promise<Found> {
  const carrier = connector.places.carriers.find((each) => each.service === service)
  if (!carrier) return { refused: `No carrier of the configuration performs the service ${service}.` }
  const [country] = await connector.rpc.search('country.country', [['code', '=', recipient.country_code]])
  if (country === undefined) return 'not served'
  const address = await findAddress(connector, customer, null)
  if (address === undefined) return { refused: 'The customer has no address.' }
  return { destination: { carrier, address, recipient: { ...recipient, country } } }
}

async function findAddress(
  { rpc, forms }: Connector,
  customer: Customer,
  wanted: string | null,
): Promise<number | undefined> {
  if (wanted === null) return forms.findDeliveryAddress(customer.id)
  if (!/^\d{1,9}$/.test(wanted)) return undefined
  const [found] = await rpc.search('party.address', [
    ['party', '=', customer.id],
    ['id', '=', Number(wanted)],
  ])
  return found
}

/** When goods that are ordered on a day leave and arrive. */
export function computeArrival({ config }: Connector, day: string, carrier: Pick<Carrier, 'days'>) {
  const add = (days: number) => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
  const [minDispatch, maxDispatch] = config.dispatch_days
  return {
    earliest_ship_date: add(minDispatch),
    latest_ship_date: add(maxDispatch),
    earliest_arrival_date: add(minDispatch + carrier.days[0]),
    latest_arrival_date: add(maxDispatch + carrier.days[1]),
  }
}

/** The current day of the company, by which Tryton books. */
export function readCompanyDay({ rpc, places }: Connector): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: places.timezone })
  return format.format(new Date(rpc.readServerTime()))
}
