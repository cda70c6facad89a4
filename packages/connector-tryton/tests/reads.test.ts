import { unwrap } from '@trade-gateway/connector'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { hintLagMs } from '../src/hints.ts'
import { customerPassword, customers } from '../src/tryton/settings.ts'
import { id, toDecimal } from '../src/values.ts'
import { bookBack } from './book-back.ts'
import {
  countStock,
  createReference,
  describeLive,
  type Live,
  openLive,
  readAvailable,
  readRow,
  stockUp,
  toSubmit,
  warehouse_code,
} from './live.ts'
import { openProxy, type RecordingProxy } from './proxy.ts'

describeLive('What the connector reads', () => {
  let proxy: RecordingProxy
  let live: Live

  beforeAll(async () => {
    proxy = await openProxy(process.env.TEST_TRYTON_URL ?? '')
    live = await openLive({ url: proxy.url })
  })

  afterAll(() => proxy.close())

  it('shows picked goods as on hand and not available, and the shipment once it has left', async () => {
    const sku = await stockUp(live, 16, 10)
    const input = toSubmit(live, sku, 4)
    unwrap(await live.erp.submit(input))
    const sale = await live.staff.findOne('sale.sale', [['web_id', '=', input.reference]])
    const row = z.object({ shipments: z.array(id) })
    const { shipments } = await live.staff.readOne('sale.sale', sale, row, ['shipments'])
    await live.staff.press('stock.shipment.out', 'pick', shipments)
    expect(await readRow(live, sku)).toMatchObject({ quantity_on_hand: 10, quantity_available: 6 })
    for (const button of ['pack', 'done']) await live.staff.press('stock.shipment.out', button, shipments)
    expect(await readRow(live, sku)).toMatchObject({ quantity_on_hand: 6, quantity_available: 6 })
    const [document] = unwrap(await live.erp['documents.read']({ references: [input.reference] })).documents
    expect(document).toMatchObject({ status: 'shipped', lines: [{ quantity_shipped: 4 }] })
    expect(document?.shipments[0]).toMatchObject({ lines: [{ sku, quantity: 4 }], warehouse_code })
    expect(await live.erp.void({ reference: input.reference })).toMatchObject({
      rejected: { reason: 'already_shipped' },
    })
  })

  it('hints what was committed long after its stamp', async () => {
    // Confirming many lines takes seconds in one transaction, whose stamp is its start.
    const goods = await live.staff.rpc.searchRead(
      'product.product',
      [['code', 'like', 'ST005%']],
      z.object({ id, code: z.string() }),
      { fields: ['code'] },
    )
    // Another quantity in each run: an inventory without differences moves nothing.
    const base = 500 + (Date.now() % 10_000)
    const location = live.connector.places.warehouses.find(({ code }) => code === 'CHNZJ1')?.storage
    const { company } = live.connector.places
    const inventory = await live.staff.createOne('stock.inventory', {
      ...{ location, company, empty_quantity: 'keep' },
      lines: [['create', goods.map((each, index) => ({ product: each.id, quantity: base + index }))]],
    })
    const first = unwrap(await live.erp['stock.changed']({ warehouse_code: 'CHNZJ1', cursor: null }))
    let cursor = first.cursor
    const hinted = new Set<string>()
    const poll = async () => {
      const hints = unwrap(await live.erp['stock.changed']({ warehouse_code: 'CHNZJ1', cursor }))
      cursor = hints.cursor
      for (const sku of hints.skus) hinted.add(sku)
      return hints
    }
    let isConfirmed = false
    const confirming = live.staff.press('stock.inventory', 'confirm', [inventory]).then(() => {
      isConfirmed = true
    })
    while (!isConfirmed) await poll()
    await confirming
    // A poll may share what another one began to read just before the commit.
    const listMissed = async () => {
      await poll()
      return goods.filter(({ code }) => !hinted.has(code))
    }
    await expect.poll(listMissed, { timeout: hintLagMs }).toEqual([])
    // What was hinted for a cursor is not hinted again for the next one.
    expect((await poll()).skus).toEqual([])
  })

  it('renews a session that Tryton no longer knows, and then understands no older cursor', async () => {
    const { cursor } = unwrap(await live.erp['stock.changed']({ warehouse_code, cursor: null }))
    let isLost = true
    proxy.setFault(({ method }) => {
      if (!isLost || method === 'common.db.login') return undefined
      isLost = false
      return 'status 401'
    })
    expect(unwrap(await live.erp.warehouses({})).warehouses).toHaveLength(3)
    unwrap(await live.erp.addresses({ customer_code: customers[0].code }))
    proxy.setFault(() => undefined)
    expect(unwrap(await live.erp['stock.changed']({ warehouse_code, cursor })).everything).toBe(true)
  })

  it('goes on with the cursors of the start before it, if Tryton still has what they have seen', async () => {
    // Without a price list: a start remembers no hints, and a price that was changed just before hints everything.
    const start = () => openLive({ url: proxy.url, config: { price_list: null } })
    const poll = async ({ erp }: Live, cursor: string | null) =>
      unwrap(await erp['stock.changed']({ warehouse_code, cursor }))
    const first = await start()
    const sku = await stockUp(first, 18, 10)
    const { cursor: fresh } = await poll(first, null)
    // Other connectors sweep expired holds meanwhile: only the newest write of all is named by a cursor.
    const maxTries = 5
    const seeOwnMove = async (tries = 1): Promise<{ move: number; cursor: string }> => {
      const move = await createMove(first, sku)
      const { cursor } = await poll(first, fresh)
      if (cursor.includes(`-${move}-`)) return { move, cursor }
      if (tries === maxTries) throw new Error(`Each of ${maxTries} moves was followed by another write.`)
      return seeOwnMove(tries + 1)
    }
    const { move, cursor } = await seeOwnMove()
    await countStock(first, sku, 12)
    const after = await poll(await start(), cursor)
    expect(after).toMatchObject({ everything: false, skus: expect.arrayContaining([sku]) })

    await first.staff.rpc.call('model.stock.move.delete', [[move]], z.unknown())
    expect((await poll(await start(), cursor)).everything).toBe(true)
  })

  it('repeats no write whose response was cut, and finds it by its reference', async () => {
    const sku = await stockUp(live, 17, 10)
    proxy.setFault(({ method }) => (method === 'model.sale.sale.create' ? 'cut' : undefined))
    const input = toSubmit(live, sku, 3)
    await expect(live.erp.submit(input)).rejects.toThrow()
    proxy.setFault(() => undefined)
    const creates = proxy.seen.filter(
      ({ method, body }) => method === 'model.sale.sale.create' && body.includes(input.reference),
    )
    expect(creates).toHaveLength(1)
    expect(unwrap(await live.erp.submit(input)).document.status).toBe('open')
    expect(await readAvailable(live, sku)).toBe(7)
    unwrap(await live.erp.void({ reference: input.reference }))
  })

  it('sends no impossible name or password to Tryton, and tells nothing by its refusals', async () => {
    const before = proxy.seen.length
    const odd = ['a\u0000b', '\ud800', 'a\r\nb', ' ']
    const refused = { rejected: { reason: 'bad_credentials', message: 'The name or the password is wrong.' } }
    for (const text of odd) {
      expect(await live.erp.sign_in({ username: text, password: customerPassword })).toEqual(refused)
      expect(await live.erp.sign_in({ username: customers[0].username, password: text })).toEqual(refused)
    }
    expect(proxy.seen).toHaveLength(before)
    expect(await live.erp.sign_in({ username: 'nobody@shop.example', password: 'x' })).toEqual(refused)
    expect(await live.erp.sign_in({ username: customers[1].username, password: 'x' })).toEqual(refused)
  })

  it('is the ledger in order of booking: a posting that is dated back changes no earlier balance', async () => {
    const customer_code = customers[0].code
    const input = {
      customer_code,
      currency: null,
      from: '2020-01-01T00:00:00Z',
      to: null,
      after: null,
      skip: 0,
    }
    const list = async () => unwrap(await live.erp.transactions({ ...input, limit: 200 })).transactions
    const before = await list()
    await bookBack(live.staff, '2021-03-05', '12.34')
    const after = await list()
    expect(after.slice(1)).toEqual(before)
    expect(after[0]).toMatchObject({ amount: 1234, type: 'payment' })
    const { balances } = unwrap(await live.erp.balances({ customer_code, currency: null }))
    expect(balances[0]?.balance).toBe(after[0]?.balance_after)
    expect(balances[0]?.balance).toBe(await readTrytonBalance(live, customer_code))
  })

  it('leaves out what no order could name, with the reason', async () => {
    const unit = await live.staff.findOne('product.uom', [['symbol', '=', 'kg']])
    const code = createReference().toUpperCase()
    const values = { type: 'goods', cost_price_method: 'fixed', list_price: toDecimal('1'), salable: true }
    const products = [['create', [{ cost_price: toDecimal('1') }]]]
    const account_category = await live.staff.findOne('product.category', [['accounting', '=', true]])
    await live.staff.createOne('product.template', {
      ...{ ...values, name: 'By weight', code: `${code}-KG`, products, account_category },
      ...{ default_uom: unit, sale_uom: unit },
    })
    const skus = [`${code}-KG`]
    expect(unwrap(await live.erp['stock.read']({ warehouse_code, skus })).rows).toEqual([])
    expect(live.logged.join('\n')).toMatch(/-KG: its unit is not counted in whole pieces/)
  })
})

/** Creates a move of one piece that is a draft, so that it can be deleted again. */
async function createMove({ staff, connector }: Live, sku: string): Promise<number> {
  const product = await staff.findOne('product.product', [['code', '=', sku]])
  const unit = z.object({ default_uom: id })
  const { default_uom: uom } = await staff.readOne('product.product', product, unit, ['default_uom'])
  const { company, warehouses } = connector.places
  const places = { from_location: warehouses[0]?.storage, to_location: warehouses[0]?.output }
  return staff.createOne('stock.move', { product, quantity: 1, uom, company, ...places })
}

async function readTrytonBalance({ staff }: Live, code: string): Promise<number> {
  const party = await staff.findOne('party.party', [['code', '=', code]])
  const row = z.object({ receivable: z.object({ decimal: z.string() }) })
  const { receivable } = await staff.readOne('party.party', party, row, ['receivable'])
  return Math.round(-Number(receivable.decimal) * 100)
}
