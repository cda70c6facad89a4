/** Goods of which Medusa takes more orders than there are units. */
import { type Erp, type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  buyElsewhere,
  createReference,
  giveBack,
  isConfigured,
  limits,
  openAdmin,
  openConnector,
  openMortal,
  type Request,
  readAvailable,
  reportLeftOut,
  signIn,
} from './live.ts'
import { allowBackorders } from './warehouse.ts'

const warehouse = 'AUSYD2'
/** A SKU that no other test orders. */
const sku = 'MED-0010-S'
const maxTestMs = 120_000

if (!isConfigured) reportLeftOut('backorders.test.ts')

describe.skipIf(!isConfigured)('goods that allow backorders', () => {
  const admin = openAdmin()
  let erp: Erp
  let request: Request
  beforeEach(async () => {
    erp = await openConnector()
    request = await signIn(erp, warehouse)
  })
  afterEach(() => allowBackorders(admin, sku, false))

  const createOrder = (quantity: number): Input<'submit'> => ({
    ...request,
    ...limits,
    lines: [{ sku, quantity }],
    reference: createReference(),
    hold_reference: null,
    allow_partial: false,
  })

  it(
    'are neither listed nor ordered',
    async () => {
      await allowBackorders(admin, sku, true)
      const started = await openConnector()
      const { rows } = unwrap(await started['stock.read']({ warehouse_code: warehouse, skus: [sku] }))
      expect(rows).toEqual([])
      expect(await started.submit(createOrder(1))).toMatchObject({ rejected: { reason: 'not_found' } })
    },
    maxTestMs,
  )

  it(
    'are not ordered by a draft from before: somebody has bought all of them, and nothing is oversold',
    async () => {
      const before = await readAvailable(erp, warehouse, sku)
      const input = createOrder(2)
      await expect((await openMortal('draft.record')).submit(input)).rejects.toThrow('killed')
      await allowBackorders(admin, sku, true)
      const bought = await buyElsewhere(warehouse, sku, before)
      const result = await (await openConnector()).submit(input)
      await allowBackorders(admin, sku, false)
      const started = await openConnector()
      expect(await readAvailable(started, warehouse, sku)).toBe(0)
      expect(result).toMatchObject({
        rejected: { reason: 'insufficient_stock', shortages: [{ sku, quantity: 2, quantity_available: 0 }] },
      })
      expect(unwrap(await started.lookup({ reference: input.reference })).state).toBe('absent')
      await giveBack(bought)
      expect(await readAvailable(started, warehouse, sku)).toBe(before)
    },
    maxTestMs,
  )
})
