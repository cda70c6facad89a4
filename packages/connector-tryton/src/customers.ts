/** Customers: their party in Tryton, their addresses, and what they may order. */
import { cutText, type ErpResult, type Output, ok, rejected } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from './connector.ts'
import { decimal, formatInstant, id, instant, isUsableCode, toMinor } from './values.ts'

export interface Customer {
  readonly id: number
  readonly code: string
  readonly name: string
}

const maxSkus = 1_000_000

export async function findCustomer({ rpc }: Connector, code: string): Promise<Customer | undefined> {
  const row = z.object({ id, code: z.string(), name: z.string().nullish() })
  const rows = await rpc.searchRead('party.party', [['code', '=', code]], row, { fields: ['code', 'name'] })
  const [found] = rows
  if (!found || rows.length > 1) return undefined
  return { id: found.id, code: found.code, name: found.name || found.code }
}

export const refuseCustomer = (code: string) => rejected('not_found', `There is no customer ${code}.`)

const addressRow = z.object({
  id,
  party_name: z.string().nullish(),
  street: z.string().nullish(),
  city: z.string().nullish(),
  postal_code: z.string().nullish(),
  'country.': z.object({ code: z.string() }).nullish(),
  'subdivision.': z.object({ name: z.string() }).nullish(),
  write_date: instant.nullish(),
  create_date: instant.nullish(),
})

export async function readAddresses(
  connector: Connector,
  { customer_code }: { customer_code: string },
): Promise<ErpResult<Output<'addresses'>>> {
  const customer = await findCustomer(connector, customer_code)
  if (!customer) return refuseCustomer(customer_code)
  const fields = [
    ...['party_name', 'street', 'city', 'postal_code', 'country.code', 'subdivision.name'],
    ...['write_date', 'create_date'],
  ]
  const domain = [
    ['party', '=', customer.id],
    ['delivery', '=', true],
  ]
  const settings = { fields, order: [['id', 'ASC']] as const }
  const rows = await connector.rpc.searchRead('party.address', domain, addressRow, settings)
  const phone = await readPhone(connector, customer)
  const known = rows.filter((row) => {
    if (row['country.']) return true
    connector.log(`left out: address ${row.id} of ${customer_code}: it has no country`)
    return false
  })
  const addresses = known.map((row, index) => toAddress(row, { customer, phone, isFirst: index === 0 }))
  return ok({ addresses })
}

function toAddress(
  row: z.output<typeof addressRow>,
  { customer, phone, isFirst }: { customer: Customer; phone: string | null; isFirst: boolean },
): Output<'addresses'>['addresses'][number] {
  return {
    address_id: String(row.id),
    name: cutText(row.party_name || customer.name, 200),
    phone,
    company: cutText(customer.name, 200),
    address: cutText(row.street ?? '', 400),
    country_code: row['country.']?.code ?? '',
    state: cutText(row['subdivision.']?.name ?? '', 100) || null,
    city: cutText(row.city ?? '', 100),
    postal_code: cutText(row.postal_code ?? '', 20) || null,
    is_default: isFirst,
    updated_at: formatInstant(Math.floor(row.write_date ?? row.create_date ?? 0)),
  }
}

async function readPhone({ rpc }: Connector, customer: Customer): Promise<string | null> {
  const row = z.object({ value: z.string().nullish() })
  const domain = [
    ['party', '=', customer.id],
    ['type', 'in', ['phone', 'mobile']],
  ]
  const settings = { fields: ['value'], limit: 1, order: [['id', 'ASC']] as const }
  const [found] = await rpc.searchRead('party.contact_mechanism', domain, row, settings)
  return cutText(found?.value ?? '', 32) || null
}

/**
 * Returns Tryton's id of the shop whose products a customer may order. Tryton has none for each customer; the
 * configuration may name one.
 */
export function requireShop({ config, places }: Connector, customerCode: string): number {
  const shop = places.shops.get(config.shops[customerCode] ?? config.shop)
  if (shop === undefined) throw new Error(`The shop of ${customerCode} was not looked up.`)
  return shop
}

export async function readSellable(
  connector: Connector,
  { customer_code }: { customer_code: string },
): Promise<ErpResult<Output<'sellable'>>> {
  if (!(await findCustomer(connector, customer_code))) return refuseCustomer(customer_code)
  return ok({ rule: 'only' as const, skus: await readSellableSkus(connector, customer_code) })
}

/** Lists the SKUs of a customer's shop. */
async function readSellableSkus(connector: Connector, customerCode: string): Promise<string[]> {
  const domain = [
    ['web_shops', '=', requireShop(connector, customerCode)],
    ['type', '=', 'goods'],
    ['salable', '=', true],
  ]
  const row = z.object({ code: z.string().nullish() })
  const settings = { fields: ['code'], limit: maxSkus }
  const rows = await connector.rpc.searchRead('product.product', domain, row, settings)
  return rows.map(({ code }) => code).filter(isUsableCode)
}

const creditRow = z.object({
  receivable: decimal.nullish(),
  credit_amount: decimal.nullish(),
  credit_limit_amount: decimal.nullish(),
})

export interface Credit {
  readonly receivable: string
  readonly creditAmount: string
  /** Null without a limit. */
  readonly creditLimit: string | null
}

/**
 * Reads what a customer owes, what it owes with orders that are not billed, and its limit, as decimals. Tryton adds up every
 * line of every order that is not billed: with 200 orders of 25 lines, more than a second of its one core.
 */
export async function readCredit({ rpc, places }: Connector, customer: Customer): Promise<Credit> {
  const fields = ['receivable', ...(hasLimits(places) ? ['credit_amount', 'credit_limit_amount'] : [])]
  const [found] = await rpc.searchRead('party.party', [['id', '=', customer.id]], creditRow, { fields })
  const receivable = found?.receivable ?? '0'
  return {
    receivable,
    creditAmount: found?.credit_amount ?? receivable,
    creditLimit: found?.credit_limit_amount ?? null,
  }
}

const openSaleRow = z.object({ untaxed_amount: decimal, tax_amount: decimal })

/**
 * Returns what orders that are not billed will cost with their taxes, in minor units: `sale_credit_limit` counts them
 * without.
 */
export async function readUnbilled(
  { rpc, places }: Connector,
  customer: Customer,
  { creditAmount, receivable }: Credit,
): Promise<number> {
  const { minorUnits } = places
  const untaxed = toMinor(creditAmount, minorUnits) - toMinor(receivable, minorUnits)
  if (untaxed <= 0) return 0
  const domain = [
    ['party', '=', customer.id],
    ['state', 'in', ['confirmed', 'processing']],
  ]
  const settings = { fields: ['untaxed_amount', 'tax_amount'] }
  const rows = await rpc.searchRead('sale.sale', domain, openSaleRow, settings)
  const orders = rows
    .map((row) => ({
      goods: toMinor(row.untaxed_amount, minorUnits),
      tax: toMinor(row.tax_amount, minorUnits),
    }))
    .filter(({ goods }) => goods > 0)
  return addTaxes(untaxed, orders)
}

interface Taxed {
  readonly goods: number
  readonly tax: number
}

/**
 * Adds taxes to an amount in minor units: by the rate of all open orders, or of the one with the highest rate, because
 * the billed ones may be those with less. Multiplies before it divides: a rate such as 1.1 would make a cent too much.
 */
function addTaxes(untaxed: number, orders: readonly Taxed[]): number {
  const sum = (of: keyof Taxed) => orders.reduce((total, order) => total + order[of], 0)
  // Rounding makes at most one minor unit of the tax of a small order.
  const rates = [
    { goods: sum('goods'), tax: sum('tax') },
    ...orders.map((each) => ({ ...each, tax: each.tax - 1 })),
  ]
  const taxes = rates.map(({ goods, tax }) => (goods === 0 ? 0 : Math.ceil((untaxed * tax) / goods)))
  return untaxed + Math.max(0, ...taxes)
}

/** Reads whether a customer has a credit limit, which costs Tryton little. Not kept: it decides about money. */
export async function hasCreditLimit({ rpc, places }: Connector, customer: Customer): Promise<boolean> {
  if (!hasLimits(places)) return false
  const settings = { fields: ['credit_limit_amount'] }
  const [found] = await rpc.searchRead('party.party', [['id', '=', customer.id]], creditRow, settings)
  return (found?.credit_limit_amount ?? null) !== null
}

/** Whether what a customer owes includes the orders that are not billed. Without them, a balance could be spent twice. */
export const countsUnbilled = ({ modules }: Connector['places']) => modules.has('sale_credit_limit')

const hasLimits = ({ modules }: Connector['places']) => modules.has('account_credit_limit')
