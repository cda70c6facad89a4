/** Freight to a destination, by zones and shipping options that staff created in Medusa. */
import { type Erp, unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createReference,
  isConfigured,
  limits,
  openAdmin,
  openConnector,
  type Request,
  reportLeftOut,
  signIn,
  spareCarrier,
} from './live.ts'
import { createZone, type Zone } from './warehouse.ts'

const warehouse = 'CHNZJ1'
const sku = 'MED-0008-S'
const maxTestMs = 120_000
const address = { first_name: 'Alex', last_name: 'Lee', address_1: '1 Example Street', city: 'Example' }

if (!isConfigured) reportLeftOut('freight.test.ts')

describe.skipIf(!isConfigured)('freight', () => {
  const admin = openAdmin()
  const zones: Zone[] = []
  let erp: Erp
  let request: Request

  beforeAll(async () => {
    const price = (amount: number) => ({ currency_code: 'aud', amount })
    const free = { ...price(0), rules: [{ attribute: 'item_total', operator: 'gte', value: 500 }] }
    const ofReturns = [{ attribute: 'is_return', operator: 'eq', value: 'true' }]
    const create = (geoZone: object, options: object[]) =>
      createZone(admin, { location: warehouse, carrier: spareCarrier, geoZone, options })
    const australia = { type: 'country', country_code: 'au' }
    zones.push(
      await create(australia, [{ prices: [price(0)], rules: ofReturns }, { prices: [free, price(12)] }]),
      await create({ ...australia, type: 'province', province_code: 'VIC' }, [{ prices: [price(8)] }]),
      await create({ type: 'country', country_code: 'nz' }, [{ prices: [price(40)] }]),
    )
    erp = await openConnector()
    request = await signIn(erp, warehouse)
  }, maxTestMs)
  afterAll(async () => {
    for (const { remove } of zones) await remove()
  }, maxTestMs)

  const deliverTo = async (destination: object): Promise<Request> => {
    const path = `/admin/customers/${request.customer_code}/addresses`
    const schema = z.object({ customer: z.object({ addresses: z.array(z.object({ id: z.string() })) }) })
    const query = '?fields=*addresses'
    const before = await admin.get(`/admin/customers/${request.customer_code}`, schema, {
      fields: '*addresses',
    })
    const { customer } = await admin.post(`${path}${query}`, schema, { ...address, ...destination })
    const known = new Set(before.customer.addresses.map(({ id }) => id))
    const address_id = customer.addresses.find(({ id }) => !known.has(id))?.id ?? ''
    zones.push({
      remove: () => admin.send({ method: 'DELETE', path: `${path}/${address_id}`, schema: z.unknown() }),
    })
    erp = await openConnector()
    return { ...request, delivery: { to: 'address', shipping_method_id: spareCarrier, address_id } }
  }
  const quote = async (destination: object) => {
    const input = { ...(await deliverTo(destination)), lines: [{ sku, quantity: 1 }] }
    return unwrap(await erp.quote({ ...input, allow_partial: false, hold_reference: null })).quote
  }

  it.each([
    ['of a country', { country_code: 'au', province: 'NSW' }, 1200],
    ['of a province within it', { country_code: 'au', province: 'VIC' }, 800],
    ['of another country', { country_code: 'nz' }, 4000],
  ])(
    'is that of the option %s',
    async (_name, destination, freight) => {
      expect(await quote(destination)).toMatchObject({ fulfillable: true, costs: { freight } })
    },
    maxTestMs,
  )

  it(
    'to a country without an option is not served, and nothing is ordered to there',
    async () => {
      const destination = { country_code: 'cn', province: 'Zhejiang' }
      expect(await quote(destination)).toMatchObject({
        fulfillable: false,
        unfulfillable_reasons: expect.arrayContaining(['destination_not_served']),
      })
      const order = { ...(await deliverTo(destination)), ...limits, lines: [{ sku, quantity: 1 }] }
      const reference = createReference()
      const result = await erp.submit({ ...order, reference, hold_reference: null, allow_partial: false })
      expect(result).toMatchObject({ rejected: { reason: 'invalid_field' } })
    },
    maxTestMs,
  )

  it(
    'of an order is that of the quote, in one shipping method for all options of a warehouse',
    async () => {
      const order = { ...(await deliverTo({ country_code: 'nz' })), ...limits, lines: [{ sku, quantity: 1 }] }
      const reference = createReference()
      const { document } = unwrap(
        await erp.submit({ ...order, reference, hold_reference: null, allow_partial: false }),
      )
      expect(document.costs?.freight).toBe(4000)
      unwrap(await erp.void({ reference }))
      const { shipping_methods } = unwrap(await erp.shipping_methods({}))
      const own = shipping_methods.filter(({ shipping_method_id }) => shipping_method_id === spareCarrier)
      expect(own.map(({ warehouse_codes }) => warehouse_codes)).toEqual([[warehouse]])
    },
    maxTestMs,
  )
})
