/** The shop: region, tax, stock locations with a sales channel each, and shipping options. */
import { z } from 'zod'
import type { MedusaHttp } from '../http.ts'
import { carriers, warehouses } from './settings.ts'

const withId = z.object({ id: z.string() })
const anything = z.unknown()
const currency = 'aud'
const taxRate = 10

export interface SeededWarehouse {
  readonly code: string
  readonly locationId: string
  readonly channelId: string
}

export interface SeededShop {
  readonly regionId: string
  readonly warehouses: readonly SeededWarehouse[]
  readonly profileId: string
}

/** Creates everything that goods and customers require, with the first `count` warehouses. */
export async function seedShop(http: MedusaHttp, count: number): Promise<SeededShop> {
  const { stores } = await http.get('/admin/stores', z.object({ stores: z.array(withId).min(1) }))
  await http.post(`/admin/stores/${stores[0]?.id}`, anything, {
    name: 'Trade Sandbox',
    supported_currencies: [{ currency_code: currency, is_default: true }],
  })
  const { region } = await http.post('/admin/regions', z.object({ region: withId }), {
    name: 'Australia',
    currency_code: currency,
    countries: ['au', 'cn', 'nz'],
    automatic_taxes: true,
    payment_providers: ['pp_system_default'],
  })
  await http.post('/admin/tax-regions', anything, {
    country_code: 'au',
    provider_id: 'tp_system',
    default_tax_rate: { rate: taxRate, code: 'GST', name: 'GST' },
  })
  const profileId = await findShippingProfile(http)
  const made: SeededWarehouse[] = []
  for (const warehouse of warehouses.slice(0, count))
    made.push(await seedWarehouse(http, warehouse, profileId))
  return { regionId: region.id, warehouses: made, profileId }
}

async function findShippingProfile(http: MedusaHttp): Promise<string> {
  const { shipping_profiles } = await http.get(
    '/admin/shipping-profiles',
    z.object({ shipping_profiles: z.array(withId) }),
  )
  const [first] = shipping_profiles
  if (first) return first.id
  const created = await http.post('/admin/shipping-profiles', z.object({ shipping_profile: withId }), {
    name: 'Default',
    type: 'default',
  })
  return created.shipping_profile.id
}

async function seedWarehouse(
  http: MedusaHttp,
  { code, name, country, city }: (typeof warehouses)[number],
  profileId: string,
): Promise<SeededWarehouse> {
  const { stock_location } = await http.post('/admin/stock-locations', z.object({ stock_location: withId }), {
    name: code,
    address: { address_1: '1 Store Road', city, country_code: country },
    metadata: { name },
  })
  const { sales_channel } = await http.post('/admin/sales-channels', z.object({ sales_channel: withId }), {
    name: `Wholesale ${code}`,
    description: `Orders from ${code}`,
  })
  const path = `/admin/stock-locations/${stock_location.id}`
  await http.post(`${path}/sales-channels`, anything, { add: [sales_channel.id] })
  await http.post(`${path}/fulfillment-providers`, anything, { add: ['manual_manual'] })
  for (const kind of ['shipping', 'pickup'] as const) {
    await seedOptions(http, { locationId: stock_location.id, code, kind, profileId })
  }
  return { code, locationId: stock_location.id, channelId: sales_channel.id }
}

interface OptionsOfWarehouse {
  readonly locationId: string
  readonly code: string
  readonly kind: 'shipping' | 'pickup'
  readonly profileId: string
}

async function seedOptions(
  http: MedusaHttp,
  { locationId, code, kind, profileId }: OptionsOfWarehouse,
): Promise<void> {
  const sets = z.object({
    stock_location: z.object({ fulfillment_sets: z.array(z.object({ id: z.string(), type: z.string() })) }),
  })
  const { stock_location } = await http.post(
    `/admin/stock-locations/${locationId}/fulfillment-sets?fields=id,*fulfillment_sets`,
    sets,
    { name: `${code} ${kind}`, type: kind },
  )
  const set = stock_location.fulfillment_sets.find(({ type }) => type === kind)
  const zones = z.object({ fulfillment_set: z.object({ service_zones: z.array(withId).min(1) }) })
  const { fulfillment_set } = await http.post(`/admin/fulfillment-sets/${set?.id}/service-zones`, zones, {
    name: `${code} ${kind}`,
    geo_zones: ['au', 'nz', 'cn'].map((country_code) => ({ type: 'country', country_code })),
  })
  for (const { type, name, kind: ofKind, price } of carriers) {
    if (ofKind !== kind) continue
    await http.post('/admin/shipping-options', anything, {
      name,
      service_zone_id: fulfillment_set.service_zones[0]?.id,
      shipping_profile_id: profileId,
      provider_id: 'manual_manual',
      price_type: 'flat',
      type: { label: name, description: name, code: type },
      prices: [{ currency_code: currency, amount: price }],
      rules: [],
    })
  }
}
