/** The total of an order is that of its quote, or the order is refused. */
import { type Erp, type Input, type Quote, unwrap } from '@trade-gateway/connector'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { wholesaleGroup } from '../src/medusa/settings.ts'
import {
  createReference,
  isConfigured,
  limits,
  openAdmin,
  openConnector,
  type Request,
  readAvailable,
  reportLeftOut,
  signIn,
  soon,
} from './live.ts'

const warehouse = 'AUSYD1'
/** Of a product and a province of this file, because other files run at the same time. */
const [sku, fractionSku] = ['MED-0011-S', 'MED-0011-M']
const state = 'TAS'
const maxTestMs = 120_000
const anything = z.unknown()
const recipient = {
  name: 'Alex Lee',
  phone: '+61 2 5550 1234',
  address: '1 Example Street',
  city: 'Hobart',
  state,
  postal_code: '7000',
  country_code: 'AU',
}

if (!isConfigured) reportLeftOut('totals.test.ts')

describe.skipIf(!isConfigured)('the total of an order', () => {
  let erp: Erp
  let request: Request
  const admin = openAdmin()
  beforeEach(async () => {
    erp = await openConnector()
    const delivery = { to: 'recipient', service: 'normal', recipient } as const
    request = { ...(await signIn(erp, warehouse)), order_type: 'dropship', delivery }
  })

  /** Creates something in Medusa until the end of the test. */
  const create = async (path: string, kind: string, body: unknown): Promise<void> => {
    const made = await admin.post(path, z.record(z.string(), z.object({ id: z.string() })), body)
    const { id } = made[kind] ?? { id: '' }
    onTestFinished(() => void admin.send({ method: 'DELETE', path: `${path}/${id}`, schema: anything }))
  }

  const quote = async (lines: Input<'quote'>['lines']): Promise<Quote> =>
    unwrap(await erp.quote({ ...request, lines, allow_partial: false, hold_reference: null })).quote

  const submit = (lines: Input<'quote'>['lines'], expected_total: number) =>
    erp.submit({
      ...request,
      ...limits,
      lines,
      expected_total,
      reference: createReference(),
      hold_reference: null,
      allow_partial: false,
    })

  it(
    'is that of the quote where the province has a tax of its own',
    async () => {
      const tax_regions = z.object({ tax_regions: z.array(z.object({ id: z.string() })) })
      const query = { country_code: 'au', province_code: 'null', fields: 'id' }
      const found = await admin.get('/admin/tax-regions', tax_regions, query)
      await create('/admin/tax-regions', 'tax_region', {
        country_code: 'au',
        province_code: state.toLowerCase(),
        parent_id: found.tax_regions[0]?.id,
        default_tax_rate: { rate: 5, code: 'TAS', name: 'TAS' },
      })
      const lines = [{ sku, quantity: 10 }]
      const { costs } = await quote(lines)
      expect(costs.tax).toBe(Math.round((costs.goods + costs.freight) * 0.05))
      const { document } = unwrap(await submit(lines, costs.total))
      expect(document.costs).toEqual(costs)
      unwrap(await erp.void({ reference: document.reference }))
    },
    maxTestMs,
  )

  it(
    'is that of the quote where a price has a fraction of a cent',
    async () => {
      const groups = z.object({ customer_groups: z.array(z.object({ id: z.string() })).length(1) })
      const { customer_groups } = await admin.get('/admin/customer-groups', groups, { name: wholesaleGroup })
      const variants = z.object({ variants: z.array(z.object({ id: z.string() })).length(1) })
      const found = await admin.get('/admin/product-variants', variants, { sku: fractionSku })
      await create('/admin/price-lists', 'price_list', {
        title: createReference(),
        description: 'of a test',
        type: 'override',
        status: 'active',
        rules: { 'customer.groups.id': [customer_groups[0]?.id] },
        prices: [{ variant_id: found.variants[0]?.id, currency_code: 'aud', amount: 0.1249 }],
      })
      const lines = [{ sku: fractionSku, quantity: 40 }]
      const { costs } = await quote(lines)
      expect(costs.goods).toBe(40 * 12)
      const { document } = unwrap(await submit(lines, costs.total))
      expect(document.costs).toEqual(costs)
      unwrap(await erp.void({ reference: document.reference }))
    },
    maxTestMs,
  )

  it(
    'is promised, and an order that a promotion makes cheaper by itself is refused and leaves nothing',
    async () => {
      await create('/admin/promotions', 'promotion', {
        code: createReference(),
        type: 'standard',
        status: 'active',
        is_automatic: true,
        application_method: {
          type: 'percentage',
          target_type: 'items',
          allocation: 'across',
          value: 10,
        },
        rules: [{ attribute: 'shipping_address.province', operator: 'eq', values: [state] }],
      })
      const before = await readAvailable(erp, warehouse, sku)
      const lines = [{ sku, quantity: 2 }]
      const { costs, price_expires_at } = await quote(lines)
      // The gateway sends the total of a preview as long as its price is promised.
      expect(Date.parse(price_expires_at ?? '')).toBeGreaterThan(Date.now())
      expect(await submit(lines, costs.total)).toMatchObject({ rejected: { reason: 'price_changed' } })
      expect(await readAvailable(erp, warehouse, sku)).toBe(before)
    },
    maxTestMs,
  )

  it(
    'is promised by a hold, and by the same hold when it is repeated',
    async () => {
      const lines = [{ sku, quantity: 1 }]
      const reference = createReference()
      const input = { ...request, lines, reference, replaces: null, expires_at: soon() }
      const { quote: first } = unwrap(await erp.hold(input))
      const { quote: repeated } = unwrap(await (await openConnector()).hold(input))
      unwrap(await erp.release({ reference, reason: 'release' }))
      expect(Date.parse(first.price_expires_at ?? '')).toBeGreaterThan(Date.now())
      expect(repeated.price_expires_at).toBe(first.price_expires_at)
    },
    maxTestMs,
  )
})
