/** Stock in locations inside the storage zone, such as bins: nobody else gets what an order or a hold has of it. */
import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { internalModel, outModel } from '../src/orders/context.ts'
import { Rpc } from '../src/rpc.ts'
import { readCompanyDay } from '../src/shipping.ts'
import { toDate } from '../src/values.ts'
import { Cut, openCut } from './cut.ts'
import {
  countStock,
  describeLive,
  readAvailable,
  readRow,
  shipOrder,
  stockUp,
  toHold,
  toSubmit,
  warehouse_code,
} from './live.ts'

const binCode = 'AUSYD1-BIN'

describeLive('Stock in a bin of the storage zone', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let bin: number
  let storage: number

  beforeAll(async () => {
    cut = await openCut()
    const { staff, connector } = cut.live
    storage = connector.places.warehouses.find(({ code }) => code === warehouse_code)?.storage ?? 0
    const [known] = await staff.rpc.search('stock.location', [['code', '=', binCode]])
    const values = { name: 'A bin', code: binCode, type: 'storage', parent: storage }
    bin = known ?? (await staff.createOne('stock.location', values))
  })

  /** Counts a SKU: so many units in the storage zone itself, and so many in the bin. */
  async function shelve(number: number, { loose, binned }: { loose: number; binned: number }) {
    const sku = await stockUp(cut.live, number, loose)
    await countStock(cut.live, sku, binned, warehouse_code, bin)
    expect(await readAvailable(cut.live, sku)).toBe(loose + binned)
    return sku
  }

  /** Moves units out of the warehouse, as staff do. Returns whether Tryton had them. */
  async function takeAway(sku: string, quantity: number): Promise<boolean> {
    const { staff, connector } = cut.live
    const product = await staff.findOne('product.product', [['code', '=', sku]])
    const { default_uom: uom } = await staff.readOne(
      'product.product',
      product,
      z.object({ default_uom: z.int() }),
      ['default_uom'],
    )
    const elsewhere = connector.places.warehouses.find(({ code }) => code !== warehouse_code)?.storage
    const route = { company: connector.places.company, from_location: storage, to_location: elsewhere }
    const day = toDate(readCompanyDay(connector))
    const shipment = await staff.createOne(internalModel, {
      ...{ ...route, state: 'waiting', planned_date: day, planned_start_date: day },
      moves: [['create', [{ ...route, product, quantity, uom }]]],
    })
    await staff.press(internalModel, 'assign_try', [shipment])
    const { state } = await staff.readOne(internalModel, shipment, z.object({ state: z.string() }), ['state'])
    await staff.press(internalModel, 'cancel', [shipment])
    return state === 'assigned'
  }

  it('is taken by an order once: staff cannot move its units away, and a void returns them', async () => {
    const { live } = cut
    const sku = await shelve(25, { loose: 2, binned: 5 })
    const { document } = unwrap(await live.erp.submit(toSubmit(live, sku, 6)))
    expect(document.lines[0]?.quantity_allocated).toBe(6)
    expect(await readAvailable(live, sku)).toBe(1)
    expect(await takeAway(sku, 2)).toBe(false)
    expect(await takeAway(sku, 1)).toBe(true)
    unwrap(await live.erp.void({ reference: document.reference }))
    expect(await takeAway(sku, 7)).toBe(true)
  })

  it.each(['sale.confirm', 'shipment.locate', 'shipment.assign'] as const)(
    'is taken by an order once that was cut off after %s and sent again',
    async (step) => {
      const { live, cutAfter } = cut
      const sku = await shelve(26, { loose: 2, binned: 5 })
      const input = toSubmit(live, sku, 6)
      cutAfter(step)
      await expect(live.erp.submit(input)).rejects.toThrow(Cut)
      cutAfter(undefined)
      const { document } = unwrap(await live.erp.submit(input))
      expect(document.lines[0]?.quantity_allocated).toBe(6)
      expect(await takeAway(sku, 2)).toBe(false)
      unwrap(await live.erp.void({ reference: document.reference }))
      expect(await takeAway(sku, 7)).toBe(true)
    },
  )

  it('is taken once if the call that names the bin arrives a second time: Tryton refuses it', async () => {
    const { live } = cut
    const sku = await shelve(28, { loose: 2, binned: 5 })
    const { rpc } = live.connector
    const late: unknown[] = []
    const calling = vi.spyOn(rpc, 'call').mockImplementation(async (method, ...rest) => {
      const result = await Rpc.prototype.call.call(rpc, method, ...rest)
      if (method === `model.${outModel}.write`)
        late.push(await Rpc.prototype.call.call(rpc, method, ...rest).catch((error: unknown) => error))
      return result as never
    })
    const submitting = live.erp.submit(toSubmit(live, sku, 6)).finally(() => calling.mockRestore())
    const { document } = unwrap(await submitting)
    expect(late).toMatchObject([{ kind: 'refused' }])
    expect(document.lines[0]?.quantity_allocated).toBe(6)
    expect(await readAvailable(live, sku)).toBe(1)
  })

  it('is taken once by an order with a hold of a part of it, by a hold that replaces another, and is shipped', async () => {
    const { live } = cut
    const sku = await shelve(27, { loose: 2, binned: 5 })
    const first = toHold(live, sku, 3)
    unwrap(await live.erp.hold(first))
    const second = toHold(live, sku, 5, { replaces: first.reference })
    expect(unwrap(await live.erp.hold(second)).document?.lines).toMatchObject([{ quantity_allocated: 5 }])
    expect(await readAvailable(live, sku)).toBe(2)
    expect(await takeAway(sku, 3)).toBe(false)
    const { document } = unwrap(
      await live.erp.submit(toSubmit(live, sku, 7, { hold_reference: second.reference })),
    )
    expect(document.lines[0]?.quantity_allocated).toBe(7)
    expect(await readAvailable(live, sku)).toBe(0)
    expect(await takeAway(sku, 1)).toBe(false)
    await shipOrder(live, document.reference)
    const { documents } = unwrap(await live.erp['documents.read']({ references: [document.reference] }))
    expect(documents).toMatchObject([{ status: 'shipped', lines: [{ quantity_shipped: 7 }] }])
    expect(await readRow(live, sku)).toMatchObject({ quantity_on_hand: 0, quantity_available: 0 })
  })
})
