/** What the connector looks up once at its start: the company, warehouses, carriers, the price list and the shops. */
import { minorUnits } from '@trade-gateway/connector'
import { ConfigError, UnavailableError } from '@trade-gateway/connector-kit/settings'
import { z } from 'zod'
import type { Config } from './config.ts'
import { isFailure } from './failures.ts'
import { requireRights } from './rights.ts'
import type { Rpc } from './rpc.ts'
import { id } from './values.ts'

export interface Warehouse {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly countryCode: string
  readonly timezone: string
  readonly storage: number
  readonly output: number
  /** The zone inside the warehouse to which holds move stock. */
  readonly holdZone: number
}

export interface Carrier {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly product: number
  readonly kind: 'delivery' | 'pickup'
  readonly service: 'normal' | 'express' | undefined
  readonly days: readonly [number, number]
}

export interface Places {
  readonly company: number
  readonly companyParty: number
  readonly currency: string
  readonly currencyId: number
  readonly minorUnits: number
  readonly timezone: string
  readonly warehouses: readonly Warehouse[]
  readonly carriers: readonly Carrier[]
  readonly priceList: number | null
  readonly modules: ReadonlySet<string>
  /** Tryton's ids of the web shops of the configuration, by name. */
  readonly shops: ReadonlyMap<string, number>
}

/** The modules without which the connector does not start. */
export const requiredModules = [
  'account_invoice',
  'carrier',
  'sale',
  'sale_shipment_cost',
  'stock',
  'web_shop',
  'web_shop_vue_storefront',
  'web_user',
] as const
/**
 * With these modules, Tryton adds an order to the waiting shipment or the draft invoice of another one. A void of one
 * would cancel both, or leave what was voided to be billed.
 */
const groupingModules = [
  ['sale_shipment_grouping', 'shipment'],
  ['sale_invoice_grouping', 'invoice'],
] as const
const series = '6.0.'
/** Freight that costs what the product of the carrier does. Tryton itself has no other method. */
const quotableCostMethod = 'product'

/**
 * Looks everything up and checks it. Throws `ConfigError`, or `UnavailableError` if Tryton or its database does not
 * respond, as while they start. The message of both is a sentence for the operator.
 */
export async function readPlaces(rpc: Rpc, config: Config): Promise<Places> {
  return findPlaces(rpc, config).catch((error: unknown) => {
    if (!isFailure(error, 'unreachable', 'unknown')) throw error
    const { text } = error
    throw new UnavailableError(
      `Tryton does not respond at ${config.url} (${text}): start it, or check TRYTON_URL.`,
    )
  })
}

async function findPlaces(rpc: Rpc, config: Config): Promise<Places> {
  await requireVersion(rpc, config)
  const company = await openCompany(rpc, config)
  const modules = await readModules(rpc)
  await requireSynchronousOrders(rpc)
  const shops = await readShops(rpc, config, company)
  await requireRights(rpc, config.user)
  return {
    ...company,
    modules,
    shops,
    warehouses: await readWarehouses(rpc, config),
    carriers: await readCarriers(rpc, config),
    priceList: config.price_list === null ? null : await readPriceList(rpc, config.price_list),
  }
}

async function requireVersion(rpc: Rpc, { url }: Config): Promise<void> {
  const version = await rpc.callServer('common.server.version', z.string()).catch((error: unknown) => {
    // Only the calls of a database need a session: another path of Tryton, and other servers, refuse this one.
    if (!isFailure(error, 'forbidden', 'session', 'unexpected')) throw error
    throw new ConfigError(`There is no Tryton at ${url} (${error.text}): check TRYTON_URL.`)
  })
  if (!version.startsWith(series))
    throw new ConfigError(`The connector is for Tryton ${series}x; this server is ${version}.`)
}

async function openCompany(rpc: Rpc, { user, database }: Config) {
  const preferences = z.object({ company: z.int().nullish() })
  const { company } = await rpc.call('model.res.user.get_preferences', [true], preferences).catch((error) => {
    if (isFailure(error, 'login', 'session'))
      throw new ConfigError(`Tryton refuses the user ${user}: check TRYTON_USER and TRYTON_PASSWORD.`)
    if (isFailure(error, 'forbidden'))
      throw new ConfigError(`Tryton has no database ${database}: check TRYTON_DATABASE.`)
    throw error
  })
  if (!company) throw new ConfigError(`The user ${user} has no current company: set one in Tryton.`)
  // The language of Tryton's own texts, by which some refusals are told apart.
  rpc.setContext({ company, language: 'en' })
  const row = z.object({
    'party.': z.object({ id, name: z.string() }),
    'currency.': z.object({ id, code: z.string() }),
    timezone: z.string().nullish(),
  })
  const fields = ['party.name', 'currency.code', 'timezone']
  const [found] = await readRequired(rpc, 'company.company', [['id', '=', company]], row, fields)
  if (!found) throw new ConfigError(`The user ${user} may not read the company ${company}.`)
  const { code, id: currencyId } = found['currency.']
  if (!found.timezone)
    throw new ConfigError(
      `The company ${found['party.'].name} has no time zone: set it in Tryton, because it books by day.`,
    )
  return {
    company,
    companyParty: found['party.'].id,
    currency: code,
    currencyId,
    minorUnits: minorUnits(code),
    timezone: found.timezone,
  }
}

async function readModules(rpc: Rpc): Promise<ReadonlySet<string>> {
  const row = z.object({ name: z.string() })
  const rows = await readRequired(rpc, 'ir.module', [['state', '=', 'activated']], row, ['name'])
  const modules = new Set(rows.map(({ name }) => name))
  const missing = requiredModules.filter((name) => !modules.has(name))
  if (missing.length > 0) throw new ConfigError(`Tryton lacks modules: activate ${missing.join(', ')}.`)
  for (const [name, shared] of groupingModules)
    if (modules.has(name))
      throw new ConfigError(
        `Tryton may put several orders into one ${shared}: deactivate the module ${name}, as the README says.`,
      )
  return modules
}

async function requireSynchronousOrders(rpc: Rpc): Promise<void> {
  const row = z.object({ sale_process_after: z.unknown().nullish() })
  const [found] = await readRequired(rpc, 'sale.configuration', [], row, ['sale_process_after'])
  if (found?.sale_process_after)
    throw new ConfigError('Tryton delays orders: empty "Process Sale after" in the configuration of sales.')
}

async function readShops(
  rpc: Rpc,
  config: Config,
  { currency, currencyId }: Pick<Places, 'currency' | 'currencyId'>,
): Promise<ReadonlyMap<string, number>> {
  const names = [config.shop, ...Object.values(config.shops)]
  const row = z.object({ id, name: z.string(), type: z.string(), currency: z.int().nullish() })
  const fields = ['name', 'type', 'currency']
  const rows = await readRequired(rpc, 'web.shop', [['name', 'in', names]], row, fields)
  for (const name of names) {
    const found = rows.filter((each) => each.name === name)
    if (found.length !== 1)
      throw new ConfigError(
        `Tryton has ${found.length === 0 ? 'no' : 'more than one'} web shop named ${name}.`,
      )
    if (found[0]?.type !== 'vsf')
      throw new ConfigError(
        `The web shop ${name} must be of the type "Vue Storefront", so that customers can sign in.`,
      )
    if (found[0].currency !== currencyId)
      throw new ConfigError(
        `The web shop ${name} has another currency than the company: every amount is in ${currency}.`,
      )
  }
  return new Map(rows.map((shop) => [shop.name, shop.id]))
}

const locationRow = z.object({
  id,
  name: z.string(),
  code: z.string(),
  storage_location: z.int().nullish(),
  output_location: z.int().nullish(),
  picking_location: z.int().nullish(),
  'address.': z.object({ 'country.': z.object({ code: z.string() }).nullish() }).nullish(),
})

async function readWarehouses(rpc: Rpc, config: Config): Promise<Warehouse[]> {
  const codes = config.warehouses.map(({ code }) => code)
  const domain = [
    ['type', '=', 'warehouse'],
    ['code', 'in', codes],
  ]
  const zones = ['storage_location', 'output_location', 'picking_location']
  const fields = ['name', 'code', ...zones, 'address.country.code']
  const rows = await readRequired(rpc, 'stock.location', domain, locationRow, fields)
  const warehouses: Warehouse[] = []
  for (const { code, timezone, hold_location } of config.warehouses) {
    const found = rows.filter((row) => row.code === code)
    const [row] = found
    if (!row || found.length > 1)
      throw new ConfigError(`Tryton has ${row ? 'more than one' : 'no'} warehouse with the code ${code}.`)
    const { storage, output } = requireZones(row)
    const { id: warehouse, name } = row
    const countryCode = row['address.']?.['country.']?.code
    if (!countryCode) throw new ConfigError(`The warehouse ${code} has no address with a country.`)
    const holdZone = await readHoldZone(rpc, { code, hold_location, warehouse, storage })
    warehouses.push({ id: warehouse, code, name, countryCode, timezone, storage, output, holdZone })
  }
  return warehouses
}

/** Where Tryton takes the units of a customer's shipment from, and where to. What it takes must be what a cover has. */
function requireZones({ code, ...zones }: z.output<typeof locationRow>) {
  const { storage_location: storage, output_location: output } = zones
  if (!storage || !output) throw new ConfigError(`The warehouse ${code} lacks a storage or an output zone.`)
  if (storage === output)
    throw new ConfigError(
      `The storage zone of the warehouse ${code} is its output zone, so that no shipment takes stock: give it an output zone of its own.`,
    )
  const { picking_location: picking } = zones
  if (picking && picking !== storage)
    throw new ConfigError(
      `The warehouse ${code} has a picking location, from which alone shipments may take stock: empty it in Tryton, so that they take from the storage zone.`,
    )
  return { storage, output }
}

interface HoldZone {
  readonly code: string
  readonly hold_location: string
  readonly warehouse: number
  readonly storage: number
}

async function readHoldZone(
  rpc: Rpc,
  { code, hold_location, warehouse, storage }: HoldZone,
): Promise<number> {
  const [zone] = await rpc.search('stock.location', [
    ['code', '=', hold_location],
    ['type', '=', 'storage'],
    ['parent', 'child_of', [warehouse], 'parent'],
    // Tryton would count what is held there as available.
    ['id', '!=', storage],
    ['parent', 'not child_of', [storage], 'parent'],
  ])
  if (zone !== undefined) return zone
  throw new ConfigError(
    `The warehouse ${code} has no location ${hold_location}: create it in Tryton, of the type storage, with the warehouse as its parent and outside of its storage zone.`,
  )
}

const carrierRow = z.object({
  id,
  carrier_cost_method: z.string(),
  'party.': z.object({ name: z.string() }),
  'carrier_product.': z.object({ id, code: z.string().nullish() }),
})
type CarrierRow = z.output<typeof carrierRow>

async function readCarriers(rpc: Rpc, config: Config): Promise<Carrier[]> {
  const fields = ['carrier_cost_method', 'party.name', 'carrier_product.code']
  const rows = await readRequired(rpc, 'carrier', [], carrierRow, fields)
  return config.carriers.map((wanted) => findCarrier(rows, wanted))
}

/** Finds a carrier of the settings among those of Tryton. */
export function findCarrier(
  rows: readonly CarrierRow[],
  { code, kind, service, days }: Config['carriers'][number],
): Carrier {
  const found = rows.filter((row) => row['carrier_product.'].code === code)
  const [row] = found
  if (!row || found.length > 1)
    throw new ConfigError(
      `Tryton has ${row ? 'more than one' : 'no'} carrier whose product has the code ${code}.`,
    )
  // Modules add methods whose freight depends on the shipment, and a quote has none.
  if (row.carrier_cost_method !== quotableCostMethod)
    throw new ConfigError(
      `The carrier ${code} has the cost method "${row.carrier_cost_method}", whose freight no quote can foresee: set "Product Price" in Tryton, or leave the carrier out of the settings.`,
    )
  const { id: product } = row['carrier_product.']
  return { id: row.id, code, name: row['party.'].name, product, kind, service, days }
}

async function readPriceList(rpc: Rpc, name: string): Promise<number> {
  const found = await rpc.search('product.price_list', [['name', '=', name]])
  const [priceList] = found
  if (priceList !== undefined && found.length === 1) return priceList
  throw new ConfigError(`Tryton has ${found.length === 0 ? 'no' : 'more than one'} price list named ${name}.`)
}

/** Reads rows, and says in a sentence which right is missing. */
async function readRequired<T>(
  rpc: Rpc,
  model: string,
  domain: readonly unknown[],
  row: z.ZodType<T>,
  fields: readonly string[],
): Promise<T[]> {
  return rpc.searchRead(model, domain, row, { fields }).catch((error: unknown) => {
    if (!isFailure(error, 'forbidden')) throw error
    throw new ConfigError(
      `The connector's user may not read ${model} (${error.text}): give it the groups that the README lists.`,
    )
  })
}
