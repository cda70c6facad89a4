/** What the connector looks up once at its start: the region, and the warehouses with their sales channels. */
import { erpWarehouse } from '@trade-gateway/connector'
import { ConfigError, UnavailableError } from '@trade-gateway/connector-kit/settings'
import { z } from 'zod'
import type { Config } from './config.ts'
import { isFailure } from './failures.ts'
import type { MedusaHttp } from './http.ts'

export interface Warehouse {
  readonly code: string
  readonly name: string
  readonly locationId: string
  /** The sales channel whose orders Medusa allocates from this warehouse only. */
  readonly channelId: string
  readonly countryCode: string
  readonly timezone: string
}

export interface Places {
  readonly regionId: string
  /** The currency of all amounts, in upper case. */
  readonly currency: string
  /** The countries of the region, in upper case. */
  readonly countries: ReadonlySet<string>
  readonly warehouses: readonly Warehouse[]
}

const maxListed = 1000

/**
 * Looks everything up and checks it. Throws `ConfigError`, or `UnavailableError` if Medusa does not respond. The message of
 * both is a sentence for the operator.
 */
export async function readPlaces(http: MedusaHttp, config: Config): Promise<Places> {
  try {
    const [region, ...warehouses] = await Promise.all([
      readRegion(http, config.region),
      ...config.warehouses.map((warehouse) => readWarehouse(http, warehouse)),
    ])
    await requireTaxExclusivePrices(http, region)
    await requirePriceList(http, config.price_list)
    await requirePublishableKey(http, config)
    return { ...region, warehouses }
  } catch (error) {
    if (isFailure(error, 'unauthorised'))
      throw new ConfigError(
        `Medusa refuses the key: ${error.message}. Set MEDUSA_SECRET_KEY to a secret API key.`,
      )
    if (isFailure(error, 'unreachable', 'unknown'))
      throw new UnavailableError(
        `Medusa does not respond at ${config.url}: ${error.message}. Start it, or check MEDUSA_URL.`,
      )
    if (isFailure(error, 'missing', 'refused', 'unexpected'))
      throw new ConfigError(
        `What responds at ${config.url} is no Medusa that this connector reads. Check MEDUSA_URL: ${error.message}`,
      )
    throw error
  }
}

const regions = z.object({
  regions: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      currency_code: z.string(),
      countries: z.array(z.object({ iso_2: z.string() })),
    }),
  ),
})

async function readRegion(http: MedusaHttp, name: string) {
  const query = { limit: maxListed, fields: 'id,name,currency_code,countries.iso_2' }
  const found = (await http.get('/admin/regions', regions, query)).regions.find((one) => one.name === name)
  if (!found) throw new ConfigError(`Medusa has no region ${name}. Correct region in the configuration file.`)
  const currency = found.currency_code.toUpperCase()
  if (!erpWarehouse.shape.currency.safeParse(currency).success)
    throw new ConfigError(`The currency ${currency} of the region ${name} is not supported.`)
  const countries = new Set(found.countries.map(({ iso_2 }) => iso_2.toUpperCase()))
  return { regionId: found.id, currency, countries }
}

const preferences = z.object({
  price_preferences: z.array(
    z.object({ attribute: z.string(), value: z.string().nullable(), is_tax_inclusive: z.boolean() }),
  ),
})

/** Wholesale prices are without tax. With tax in a price, the goods of a quote and of an order would differ. */
async function requireTaxExclusivePrices(
  http: MedusaHttp,
  { regionId, currency }: { readonly regionId: string; readonly currency: string },
): Promise<void> {
  const { price_preferences } = await http.get('/admin/price-preferences', preferences, { limit: maxListed })
  const inclusive = price_preferences.find(
    ({ value, is_tax_inclusive }) =>
      is_tax_inclusive && (value === regionId || value?.toUpperCase() === currency),
  )
  if (!inclusive) return
  throw new ConfigError(
    `The prices of Medusa include tax (price preference ${inclusive.attribute}). Set it to prices without tax.`,
  )
}

const locations = z.object({
  stock_locations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      address: z.object({ country_code: z.string() }).nullish(),
      sales_channels: z.array(z.object({ id: z.string(), name: z.string() })).nullish(),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
})

const channels = z.object({
  sales_channel: z.object({ stock_locations: z.array(z.object({ id: z.string() })).nullish() }),
})

async function readWarehouse(
  http: MedusaHttp,
  { code, location, sales_channel, timezone }: Config['warehouses'][number],
): Promise<Warehouse> {
  const fields = 'id,name,metadata,address.country_code,sales_channels.id,sales_channels.name'
  const { stock_locations } = await http.get('/admin/stock-locations', locations, { name: location, fields })
  const found = stock_locations.find(({ name }) => name === location)
  if (!found) throw new ConfigError(`Medusa has no stock location ${location} for the warehouse ${code}.`)
  if (!found.address)
    throw new ConfigError(`The stock location ${location} has no address. Give it one with its country.`)
  const channel = found.sales_channels?.find(({ name }) => name === sales_channel)
  if (!channel)
    throw new ConfigError(`The stock location ${location} has no sales channel ${sales_channel}. Link them.`)
  const linked = await http.get(`/admin/sales-channels/${channel.id}`, channels, {
    fields: 'id,stock_locations.id',
  })
  if (linked.sales_channel.stock_locations?.length !== 1)
    throw new ConfigError(
      `The sales channel ${sales_channel} must have ${location} as its only stock location, because Medusa chooses among them.`,
    )
  const title = found.metadata?.name
  return {
    code,
    name: typeof title === 'string' && title !== '' ? title : location,
    locationId: found.id,
    channelId: channel.id,
    countryCode: found.address.country_code.toUpperCase(),
    timezone,
  }
}

const priceLists = z.object({ price_lists: z.array(z.object({ title: z.string() })) })

/** A title that no list has at the start is a mistake in the file. Later, staff may replace the list (`price-lists.ts`). */
async function requirePriceList(http: MedusaHttp, title: string | null): Promise<void> {
  if (title === null) return
  const query = { limit: maxListed, fields: 'id,title' }
  const { price_lists } = await http.get('/admin/price-lists', priceLists, query)
  if (price_lists.some((one) => one.title === title)) return
  throw new ConfigError(`Medusa has no price list ${title}. Correct price_list in the configuration file.`)
}

/** Without a key that Medusa accepts, every sign-in would fail. */
async function requirePublishableKey(http: MedusaHttp, { publishableKey }: Config): Promise<void> {
  try {
    await http.send({
      method: 'GET',
      path: '/store/regions',
      query: { limit: 1, fields: 'id' },
      schema: z.object({ regions: z.array(z.object({ id: z.string() })) }),
      headers: { 'x-publishable-api-key': publishableKey },
    })
  } catch (error) {
    if (!isFailure(error, 'refused', 'unauthorised')) throw error
    throw new ConfigError(
      `Medusa refuses the publishable key: ${error.message}. Set MEDUSA_PUBLISHABLE_KEY to a publishable API key.`,
    )
  }
}

/** Finds the warehouse of a code. */
export function findWarehouse({ warehouses }: Places, code: string): Warehouse | undefined {
  return warehouses.find((one) => one.code === code)
}
