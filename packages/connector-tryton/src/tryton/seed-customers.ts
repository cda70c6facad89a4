/** The price list, the carriers, the shop and the customers of the sandbox, and the user of the connector. */
import { toDecimal } from '../values.ts'
import type { Company } from './seed-company.ts'
import type { Goods } from './seed-goods.ts'
import type { Seeder } from './seeder.ts'
import {
  connectorGroups,
  connectorUser,
  customerPassword,
  customers,
  shopName,
  wholesaleList,
} from './settings.ts'

/** Wholesale is 60 % of retail. */
const wholesaleFormula = 'unit_price * 0.6'
/** The last tenth of the SKUs is not in the shop, so that a test can order what a customer may not. */
const shopShare = 0.9
const carriers = [
  { code: 'FRT-NORMAL', name: 'Normal', price: '9.90' },
  { code: 'FRT-EXPRESS', name: 'Express', price: '24.90' },
  { code: 'FRT-PICKUP', name: 'Pick-up', price: '0.00' },
] as const

export async function seedCustomers(seeder: Seeder, company: Company, goods: Goods): Promise<void> {
  await seeder.write('sale.configuration', [1], {
    sale_invoice_method: 'shipment',
    sale_shipment_method: 'order',
    sale_shipment_cost_method: 'order',
  })
  const sale_price_list = await seeder.createOne('product.price_list', {
    ...{ name: wholesaleList, company: company.id, unit: 'product_default' },
    lines: [['create', [{ formula: wholesaleFormula }]]],
  })
  for (const carrier of carriers) await createCarrier(seeder, goods, carrier)
  await createShop(seeder, company, goods)
  for (const customer of customers) {
    const party = await createCustomer(seeder, company, { ...customer, sale_price_list })
    const user = { email: customer.username, password: customerPassword, email_valid: true, party }
    await seeder.createOne('web.user', user)
  }
  await createConnectorUser(seeder, company)
}

async function createCarrier(
  seeder: Seeder,
  { unit, accountCategory }: Goods,
  { code, name, price }: (typeof carriers)[number],
): Promise<void> {
  const template = await seeder.createOne('product.template', {
    ...{ name: `Freight ${name}`, code, type: 'service', default_uom: unit, sale_uom: unit, salable: true },
    ...{ cost_price_method: 'fixed', account_category: accountCategory, list_price: toDecimal(price) },
    products: [['create', [{ cost_price: toDecimal('5') }]]],
  })
  const carrier_product = await seeder.findOne('product.product', [['template', '=', template]])
  const party = await seeder.createOne('party.party', { name: `Carrier ${name}` })
  await seeder.createOne('carrier', { party, carrier_product, carrier_cost_method: 'product' })
}

async function createShop(seeder: Seeder, company: Company, goods: Goods): Promise<void> {
  const guest_party = await seeder.createOne('party.party', { name: 'Guest' })
  const shopSkus = goods.skuIds.slice(0, Math.floor(goods.skuIds.length * shopShare))
  await seeder.createOne('web.shop', {
    ...{ name: shopName, type: 'vsf', company: company.id, currency: company.currency, guest_party },
    // The shop's route for signing in does not use the search engine, but Tryton requires an address for it.
    ...{ vsf_elasticsearch_url: 'http://127.0.0.1:1/', vsf_elasticsearch_index: 'none' },
    warehouses: [['add', goods.warehouseIds.slice(0, 1)]],
    products: [['add', shopSkus]],
  })
}

async function createCustomer(
  seeder: Seeder,
  company: Company,
  {
    code,
    name,
    username,
    sale_price_list,
  }: (typeof customers)[number] & { readonly sale_price_list: number },
): Promise<number> {
  const place = { country: company.countries.AU, subdivision: company.subdivisions.AU, delivery: true }
  return seeder.createOne('party.party', {
    ...{ name, code, sale_price_list, customer_payment_term: company.paymentTerm },
    addresses: [
      [
        'create',
        [
          {
            ...place,
            party_name: name,
            street: '10 Pitt St',
            city: 'Sydney',
            postal_code: '2000',
            invoice: true,
          },
          { ...place, party_name: `${name} DC`, street: '99 Dock Rd', city: 'Botany', postal_code: '2019' },
        ],
      ],
    ],
    contact_mechanisms: [
      [
        'create',
        [
          { type: 'phone', value: '+61 2 9999 0000' },
          { type: 'email', value: username },
        ],
      ],
    ],
  })
}

/** Creates the user of the connector with the groups that its README lists, and no others. */
async function createConnectorUser(seeder: Seeder, company: Company): Promise<void> {
  const groups: number[] = []
  for (const name of connectorGroups) {
    const [module = '', id = ''] = name.split('.')
    groups.push(await seeder.findModuleRecord(module, id))
  }
  await seeder.createOne('res.user', {
    ...{ name: 'Trade Gateway', login: connectorUser.user, password: connectorUser.password },
    groups: [['add', groups]],
    companies: [['add', [company.id]]],
    company: company.id,
  })
}
