/** Shipments that staff cancel: Tryton asks them whether to deliver again, and no order is final before they answer. */
import { unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { outModel, saleModel } from '../src/orders/context.ts'
import { ids } from '../src/values.ts'
import { Cut, openCut } from './cut.ts'
import { describeLive, readAvailable, shipOrder, stockUp, toSubmit } from './live.ts'

const wizard = 'wizard.sale.handle.shipment.exception'
const asked = z.object({ view: z.object({ defaults: z.object({ domain_moves: ids }) }) })

describeLive('An order whose shipment staff cancel', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let sku: string

  beforeAll(async () => {
    cut = await openCut()
    sku = await stockUp(cut.live, 24, 50)
  })

  async function place(quantity: number): Promise<string> {
    const { document } = unwrap(await cut.live.erp.submit(toSubmit(cut.live, sku, quantity)))
    return document.reference
  }

  async function readSale(reference: string) {
    const { staff } = cut.live
    const sale = await staff.findOne(saleModel, [['web_id', '=', reference]])
    const row = z.object({ id: z.int(), shipments: ids, shipment_state: z.string() })
    return staff.readOne(saleModel, sale, row, ['shipments', 'shipment_state'])
  }

  const cancelShipments = async (reference: string) =>
    cut.live.staff.press(outModel, 'cancel', (await readSale(reference)).shipments)

  /** Answers Tryton's question as staff do. */
  async function answer(reference: string, isRecreated: boolean): Promise<void> {
    const { rpc } = cut.live.staff
    const { id } = await readSale(reference)
    const context = { active_model: saleModel, active_id: id, active_ids: [id] }
    const [session] = await rpc.call(`${wizard}.create`, [], z.tuple([z.int(), z.string(), z.string()]))
    const { view } = await rpc.call(`${wizard}.execute`, [session, {}, 'ask'], asked, { context })
    const { domain_moves } = view.defaults
    const form = { ask: { recreate_moves: isRecreated ? domain_moves : [], domain_moves } }
    await rpc.call(`${wizard}.execute`, [session, form, 'handle'], z.unknown(), { context })
  }

  async function readDocument(reference: string) {
    const { documents } = unwrap(await cut.live.erp['documents.read']({ references: [reference] }))
    return documents[0]
  }

  it('is open until they have it delivered again, and then shipped', async () => {
    const reference = await place(2)
    await cancelShipments(reference)
    expect(await readDocument(reference)).toMatchObject({ status: 'open', cancelled_at: null })
    // Nothing that the gateway asks answers for them.
    const settled = unwrap(await cut.live.erp.settle({ reference }))
    expect(settled).toMatchObject({ state: 'found', document: { status: 'open' } })
    expect((await readSale(reference)).shipment_state).toBe('exception')
    await answer(reference, true)
    expect(await readDocument(reference)).toMatchObject({ status: 'open' })
    const { shipments } = await readSale(reference)
    await cut.live.staff.press(outModel, 'assign_try', shipments)
    await shipOrder(cut.live, reference)
    expect(await readDocument(reference)).toMatchObject({
      status: 'shipped',
      lines: [{ quantity_shipped: 2 }],
    })
  })

  it('is cancelled once they say no, or once the gateway voids it', async () => {
    const [one, other] = [await place(2), await place(2)]
    for (const reference of [one, other]) await cancelShipments(reference)
    await answer(one, false)
    expect(await readDocument(one)).toMatchObject({ status: 'cancelled' })
    expect(unwrap(await cut.live.erp.void({ reference: other })).document.status).toBe('cancelled')
    expect((await readSale(other)).shipment_state).toBe('sent')
  })

  it('is not shipped by a part of it, until they say that the rest is not delivered', async () => {
    const { staff } = cut.live
    const reference = await place(5)
    const { shipments } = await readSale(reference)
    for (const button of ['wait', 'draft']) await staff.press(outModel, button, shipments)
    const moves = await staff.rpc.search('stock.move', [['shipment', '=', `${outModel},${shipments[0]}`]])
    await staff.write('stock.move', moves, { quantity: 3 })
    for (const button of ['wait', 'assign_try']) await staff.press(outModel, button, shipments)
    await shipOrder(cut.live, reference)
    expect(await readDocument(reference)).toMatchObject({ status: 'open', lines: [{ quantity_shipped: 3 }] })
    await cancelShipments(reference)
    expect(await readDocument(reference)).toMatchObject({ status: 'open' })
    await answer(reference, false)
    expect(await readDocument(reference)).toMatchObject({
      status: 'shipped',
      lines: [{ quantity_shipped: 3 }],
    })
  })

  it('is none if a void was cut off: the look-up waits, and settling answers Tryton', async () => {
    const { live, cutAfter } = cut
    const before = await readAvailable(live, sku)
    const reference = await place(2)
    cutAfter('void.shipments')
    await expect(live.erp.void({ reference })).rejects.toThrow(Cut)
    cutAfter(undefined)
    expect(await readDocument(reference)).toMatchObject({ status: 'cancelled' })
    expect(unwrap(await live.erp.lookup({ reference })).state).toBe('in_progress')
    expect(unwrap(await live.erp.settle({ reference })).document?.status).toBe('cancelled')
    expect(unwrap(await live.erp.lookup({ reference })).state).toBe('found')
    expect((await readSale(reference)).shipment_state).toBe('sent')
    expect(await readAvailable(live, sku)).toBe(before)
  })
})
