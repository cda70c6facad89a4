/** Fills an empty Vendure over its Admin API: a product for each product code, and a variant for each SKU. */
import { z } from 'zod'
import { type StockRow, withId } from './system.ts'
import type { VendureApi } from './vendure-api.ts'

const productsPerCall = 20
const variantsPerCall = 100
const taxRate = 10
/** Vendure has prices in the smallest unit of the currency. */
export const centsPerUnit = 100

const created = z.object({ created: withId })
const anything = z.unknown()

/** Creates products and variants with the prices and quantities of `rows` in the default stock location. */
export async function seedVendure(api: VendureApi, rows: readonly StockRow[]): Promise<void> {
  const [currency, ...others] = new Set(rows.map((row) => row.currency))
  if (currency === undefined || others.length > 0) throw new Error('The rows are to have one currency.')
  await seedTaxes(api, currency)
  const goods = rows.map((row) => ({ ...row, size: row.sku.slice(row.sku.lastIndexOf('-') + 1) }))
  const sizes = await seedSizes(api, [...new Set(goods.map(({ size }) => size))])
  const codes = [...new Set(goods.map(({ product_code }) => product_code))]
  const products = await seedProducts(api, codes, sizes.groupId)
  const variants = goods.map(({ sku, product_code, size, onHand, price }) => ({
    ...{ sku, stockOnHand: onHand, productId: products.get(product_code) },
    price: Math.round(price * centsPerUnit),
    optionIds: [sizes.optionIds.get(size)],
    translations: [{ languageCode: 'en', name: `Jersey ${product_code} ${size}` }],
  }))
  const query = `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`
  for (let from = 0; from < variants.length; from += variantsPerCall)
    await api.call(query, { input: variants.slice(from, from + variantsPerCall) }, anything)
}

/** Without a tax zone, Vendure refuses to create or to list variants. */
async function seedTaxes(api: VendureApi, currency: string): Promise<void> {
  const zone = await api.call(
    'mutation { created: createZone(input: { name: "Australia" }) { id } }',
    {},
    created,
  )
  const category = await api.call(
    'mutation { created: createTaxCategory(input: { name: "Standard", isDefault: true }) { id } }',
    {},
    created,
  )
  const [zoneId, categoryId] = [zone.created.id, category.created.id]
  const rate = { name: 'GST', enabled: true, value: taxRate, zoneId, categoryId }
  await api.call(
    'mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }',
    { input: rate },
    anything,
  )
  const channels = z.object({ activeChannel: withId })
  const { activeChannel } = await api.call('{ activeChannel { id } }', {}, channels)
  await api.call(
    'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }',
    {
      input: {
        ...{ id: activeChannel.id, defaultTaxZoneId: zoneId, defaultShippingZoneId: zoneId },
        ...{ defaultCurrencyCode: currency, availableCurrencyCodes: [currency] },
      },
    },
    anything,
  )
}

interface Sizes {
  readonly groupId: string
  readonly optionIds: ReadonlyMap<string, string>
}

const group = z.object({
  created: z.object({ id: z.string(), options: z.array(z.object({ id: z.string(), code: z.string() })) }),
})

/** Creates one group of options, which all products share. */
async function seedSizes(api: VendureApi, sizes: readonly string[]): Promise<Sizes> {
  const toNamed = (name: string) => ({
    code: name.toLowerCase(),
    translations: [{ languageCode: 'en', name }],
  })
  const { created: made } = await api.call(
    `mutation ($input: CreateProductOptionGroupInput!) {
      created: createProductOptionGroup(input: $input) { id options { id code } }
    }`,
    { input: { ...toNamed('Size'), options: sizes.map(toNamed) } },
    group,
  )
  const ids = new Map(made.options.map(({ id, code }) => [code, id]))
  return {
    groupId: made.id,
    optionIds: new Map(sizes.map((size) => [size, ids.get(size.toLowerCase()) ?? ''])),
  }
}

/** Creates a product for each product code and returns the ids by code. */
async function seedProducts(
  api: VendureApi,
  codes: readonly string[],
  groupId: string,
): Promise<Map<string, string>> {
  const products = new Map<string, string>()
  for (let from = 0; from < codes.length; from += productsPerCall) {
    const part = codes.slice(from, from + productsPerCall)
    const ids = await callEach(api, part.map(describeProduct))
    for (const [at, code] of part.entries()) products.set(code, ids[at] ?? '')
    await callEach(
      api,
      ids.map((id) => `addOptionGroupToProduct(productId: "${id}", optionGroupId: "${groupId}")`),
    )
  }
  return products
}

function describeProduct(code: string): string {
  const name = `Jersey ${code}`
  const translation = `{ languageCode: en, name: "${name}", slug: "${code}", description: "" }`
  return `createProduct(input: { translations: [${translation}] })`
}

/** Sends several mutations in one document and returns the ids of their results. */
async function callEach(api: VendureApi, mutations: readonly string[]): Promise<string[]> {
  const aliased = mutations.map((mutation, at) => `m${at}: ${mutation} { id }`)
  const results = await api.call(`mutation { ${aliased.join('\n')} }`, {}, z.record(z.string(), withId))
  return mutations.map((_, at) => results[`m${at}`]?.id ?? '')
}
