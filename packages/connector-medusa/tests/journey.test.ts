/** What the warehouse's staff does in Medusa is seen through the connector. */
import { type Erp, unwrap } from '@trade-gateway/connector'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
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
} from './live.ts'
import {
  addItems,
  changeItem,
  credit,
  exchange,
  findOrder,
  handOver,
  markAsPaid,
  pack,
  refund,
  ship,
} from './warehouse.ts'

const warehouse = 'AUSYD1'
/** Not the SKU that `.ci/medusa.sh` checks conformance with at the same time. */
const sku = 'MED-0003-S'
const otherSku = 'MED-0003-L'
const maxTestMs = 120_000

if (!isConfigured) reportLeftOut('journey.test.ts')

describe.skipIf(!isConfigured)('an order', () => {
  let erp: Erp
  let request: Request
  const admin = openAdmin()
  beforeAll(async () => {
    erp = await openConnector()
    request = await signIn(erp, warehouse)
  })

  const submit = async (quantity: number) => {
    const reference = createReference()
    const lines = [{ sku, quantity }]
    const order = { ...request, ...limits, lines, reference, hold_reference: null, allow_partial: false }
    unwrap(await erp.submit(order))
    return reference
  }

  it(
    'whose billing address staff edit in Medusa is found by a connector that starts, and is not placed twice',
    async () => {
      const before = await readAvailable(erp, warehouse, sku)
      const reference = createReference()
      const lines = [{ sku, quantity: 2 }]
      const input = { ...request, ...limits, lines, reference, hold_reference: null, allow_partial: false }
      const { document } = unwrap(await erp.submit(input))
      const { id } = await findOrder(admin, reference)
      const billing_address = { first_name: 'Head office', address_1: '2 Bill Street', address_2: 'Level 3' }
      await admin.post(`/admin/orders/${id}`, z.unknown(), { billing_address })
      const started = await openConnector()
      expect(unwrap(await started.lookup({ reference })).state).toBe('found')
      expect(unwrap(await (await openConnector()).submit(input)).document.number).toBe(document.number)
      unwrap(await (await openConnector()).void({ reference }))
      expect(await readAvailable(erp, warehouse, sku)).toBe(before)
    },
    maxTestMs,
  )

  it(
    'that was shipped in Medusa has its shipment and tracking number, and cannot be voided',
    async () => {
      const before = await readAvailable(erp, warehouse, sku)
      const reference = await submit(2)
      await pack(admin, reference)
      await ship(admin, reference, 'TRACK-1')
      const [document] = unwrap(await erp['documents.read']({ references: [reference] })).documents
      expect(document).toMatchObject({
        status: 'shipped',
        shipments: [{ warehouse_code: warehouse, tracking_number: 'TRACK-1', lines: [{ sku, quantity: 2 }] }],
      })
      expect(await erp.void({ reference })).toMatchObject({ rejected: { reason: 'already_shipped' } })
      expect(await readAvailable(erp, warehouse, sku)).toBe(before - 2)
    },
    maxTestMs,
  )

  it(
    'that was packed is intercepted by a void, and its units come back',
    async () => {
      const before = await readAvailable(erp, warehouse, sku)
      const reference = await submit(3)
      await pack(admin, reference)
      const { document } = unwrap(await erp.void({ reference }))
      expect(document.status).toBe('intercepted')
      expect(await readAvailable(erp, warehouse, sku)).toBe(before)
    },
    maxTestMs,
  )

  it(
    'that was picked up is shipped, and cannot be voided',
    async () => {
      const reference = await submit(2)
      await pack(admin, reference)
      await handOver(admin, reference)
      const [document] = unwrap(await erp['documents.read']({ references: [reference] })).documents
      expect(document).toMatchObject({
        status: 'shipped',
        lines: [{ quantity_shipped: 2 }],
        shipments: [{ warehouse_code: warehouse, status_raw: 'delivered', lines: [{ sku, quantity: 2 }] }],
      })
      expect(await erp.void({ reference })).toMatchObject({ rejected: { reason: 'already_shipped' } })
    },
    maxTestMs,
  )

  it(
    'is paid once staff have marked it as paid, also after a part was paid back',
    async () => {
      const reference = await submit(1)
      const readPaid = async () =>
        unwrap(await erp['documents.read']({ references: [reference] })).documents[0]?.paid
      expect(await readPaid()).toBe(false)
      await markAsPaid(admin, reference)
      expect(await readPaid()).toBe(true)
      await refund(admin, reference, 0.5)
      const { id } = await findOrder(admin, reference)
      const found = z.object({ order: z.object({ payment_status: z.string() }) })
      const { order } = await admin.get(`/admin/orders/${id}`, found, { fields: 'payment_status' })
      expect(order.payment_status).toBe('partially_refunded')
      expect(await readPaid()).toBe(true)
    },
    maxTestMs,
  )

  it(
    'of which a part was credited keeps its costs',
    async () => {
      const reference = await submit(2)
      const readCosts = async () =>
        unwrap(await erp['documents.read']({ references: [reference] })).documents[0]?.costs
      const before = await readCosts()
      await credit(admin, reference, 20)
      expect(await readCosts()).toEqual(before)
      expect(before?.tax).toBeGreaterThan(0)
      unwrap(await erp.void({ reference }))
    },
    maxTestMs,
  )

  it(
    'that staff edit keeps its lines and costs',
    async () => {
      const reference = await submit(3)
      const read = async () =>
        unwrap(await (await openConnector())['documents.read']({ references: [reference] })).documents[0]
      const before = await read()
      const { items } = await findOrder(admin, reference)
      await addItems(admin, reference, [
        { sku, quantity: 2, unit_price: 5 },
        { sku: otherSku, quantity: 4 },
      ])
      await changeItem(admin, reference, { id: items[0]?.id ?? '', quantity: 1 })
      expect(await read()).toEqual(before)
      unwrap(await erp.void({ reference }))
    },
    maxTestMs,
  )

  it(
    'that was shipped stays shipped when a unit is exchanged for one of the same SKU',
    async () => {
      const reference = await submit(2)
      await pack(admin, reference)
      await ship(admin, reference, 'TRACK-2')
      const read = async () =>
        unwrap(await (await openConnector())['documents.read']({ references: [reference] })).documents[0]
      const before = await read()
      expect(before?.status).toBe('shipped')
      await exchange(admin, reference, { location: warehouse, sku })
      expect(await read()).toEqual({ ...before, status_raw: expect.any(String) })
    },
    maxTestMs,
  )

  it(
    'to the end customer of a drop-ship order has the recipient in Medusa',
    async () => {
      const reference = createReference()
      const recipient = {
        name: 'Alex Lee',
        phone: '+61 2 5550 1234',
        address: '1 Example Street',
        city: 'Sydney',
        state: 'NSW',
        postal_code: '2000',
        country_code: 'AU',
      }
      const delivery = { to: 'recipient', service: 'express', recipient } as const
      const lines = [{ sku, quantity: 1 }]
      const order = { ...request, ...limits, order_type: 'dropship' as const, delivery, lines, reference }
      unwrap(await erp.submit({ ...order, hold_reference: null, allow_partial: false }))
      const { id } = await findOrder(admin, reference)
      const address = z.object({ first_name: z.string(), address_1: z.string(), phone: z.string() })
      const schema = z.object({ order: z.object({ shipping_address: address }) })
      const found = await admin.get(`/admin/orders/${id}`, schema, { fields: 'id,shipping_address.*' })
      expect(found.order.shipping_address).toMatchObject({
        first_name: recipient.name,
        address_1: recipient.address,
        phone: recipient.phone,
      })
      unwrap(await erp.void({ reference }))
    },
    maxTestMs,
  )
})
