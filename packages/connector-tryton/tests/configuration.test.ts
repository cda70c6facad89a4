import { ConfigError } from '@trade-gateway/connector-kit/settings'
import { expect, it } from 'vitest'
import { openConnector } from '../src/connector.ts'
import { systemEnvironment } from '../src/environment.ts'
import { serveLocally } from '../src/testing/local-tryton.ts'
import { connectorUser, customers } from '../src/tryton/settings.ts'
import { describeLive, type Live, openLive, readLiveConfig } from './live.ts'

const open = (config: Parameters<typeof readLiveConfig>[0]) =>
  openConnector(readLiveConfig(config), { environment: systemEnvironment, log: () => undefined })

const zone = { timezone: 'Australia/Sydney', hold_location: 'AUSYD1-HOLD' }
const carrier = { kind: 'delivery' as const, service: undefined, days: [1, 2] as [number, number] }
const shelf = { name: 'Shelf', code: 'AUSYD1-SHELF', type: 'storage' }

/** Serves the live Tryton with another cost method of its carriers, as the module `carrier_weight` adds it. */
const serveByWeight = () =>
  serveLocally(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' }
    const answer = await fetch(`${readLiveConfig().url}${request.url}`, { method: 'POST', headers, body })
    const text = await answer.text()
    response.end(text.replaceAll(/(?<="carrier_cost_method": ?)"product"/g, '"weight"'))
  })

/** Returns a location inside the storage zone. It stays for the next run. */
async function requireShelf({ staff }: Live): Promise<number> {
  const [known] = await staff.rpc.search('stock.location', [['code', '=', shelf.code]])
  if (known !== undefined) return known
  const parent = await staff.findOne('stock.location', [['code', '=', 'AUSYD1-STORAGE']])
  return staff.createOne('stock.location', { ...shelf, parent })
}

describeLive('A configuration that does not fit Tryton', () => {
  it.each([
    ['a wrong password', { password: 'wrong-password' }, /refuses the user gateway/],
    ['an unknown shop', { shop: 'nowhere' }, /no web shop named nowhere/],
    ['an unknown price list', { price_list: 'Secret' }, /no price list named Secret/],
    [
      'an unknown warehouse',
      { warehouses: [{ code: 'NOWHERE', ...zone }] },
      /no warehouse with the code NOWHERE/,
    ],
    [
      'a hold zone outside the warehouse',
      { warehouses: [{ ...zone, code: 'AUSYD1', hold_location: 'AUSYD2-HOLD' }] },
      /The warehouse AUSYD1 has no location AUSYD2-HOLD: create it/,
    ],
    [
      'a storage zone as the hold zone',
      { warehouses: [{ ...zone, code: 'AUSYD1', hold_location: 'AUSYD1-STORAGE' }] },
      /has no location AUSYD1-STORAGE: create it .* outside of its storage zone/,
    ],
    ['an unknown database', { database: 'nowhere' }, /no database nowhere: check TRYTON_DATABASE/],
    [
      'an address that is not that of Tryton',
      { url: `${readLiveConfig().url}/elsewhere` },
      /no Tryton at .*elsewhere .*check TRYTON_URL/,
    ],
    [
      'an unknown carrier',
      { carriers: [{ code: 'FRT-NONE', ...carrier }] },
      /no carrier whose product has the code FRT-NONE/,
    ],
  ])('is refused at the start in a sentence: %s', async (_name, config, sentence) => {
    // The configuration of a file has no undefined values; the casts of this table stay within its schema.
    const opening = open({ config: config as Parameters<typeof readLiveConfig>[0] & object })
    await expect(opening).rejects.toThrow(ConfigError)
    await expect(open({ config: config as object })).rejects.toThrow(sentence)
  })

  it('is refused at the start in a sentence: a right that the user lacks', async () => {
    const { staff } = await openLive()
    const user = await staff.findOne('res.user', [['login', '=', connectorUser.user]])
    const change = (what: 'add' | 'remove', group: number) =>
      staff.write('res.user', [user], { groups: [[what, [group]]] })
    const expectRefused = async (name: string, sentence: RegExp) => {
      const group = await staff.findOne('res.group', [['name', '=', name]])
      await change('remove', group)
      try {
        await expect(open({})).rejects.toThrow(sentence)
      } finally {
        await change('add', group)
      }
    }
    await expectRefused(
      'Stock Force Assignment',
      /may not press assign_force of stock.shipment.internal, press assign_force of stock.shipment.out: give/,
    )
    await expectRefused('Sales', /The (connector's )?user .*may not .*sale/)
    await expect(open({})).resolves.toBeDefined()
  })

  it('is refused at the start in a sentence: a warehouse from whose storage zone no shipment takes stock', async () => {
    const live = await openLive()
    const { staff, connector } = live
    const { id, storage, output } = connector.places.warehouses[0] ?? { id: 0 }
    try {
      await staff.write('stock.location', [id], { picking_location: await requireShelf(live) })
      await expect(open({})).rejects.toThrow(/The warehouse AUSYD1 has a picking location/)
      await staff.write('stock.location', [id], { picking_location: storage })
      await expect(open({})).resolves.toBeDefined()
      await staff.write('stock.location', [id], { picking_location: null, output_location: storage })
      await expect(open({})).rejects.toThrow(/The storage zone of the warehouse AUSYD1 is its output zone/)
    } finally {
      await staff.write('stock.location', [id], { picking_location: null, output_location: output })
    }
    await expect(open({})).resolves.toBeDefined()
  })

  it('is refused at the start in a sentence: a hold zone inside the storage zone', async () => {
    await requireShelf(await openLive())
    const warehouses = [{ ...zone, code: 'AUSYD1', hold_location: shelf.code }]
    await expect(open({ config: { warehouses } })).rejects.toThrow(/has no location AUSYD1-SHELF: create it/)
  })

  it('is refused at the start in a sentence: the module that puts several orders into one shipment', async () => {
    const { staff } = await openLive()
    const module = await staff.findOne('ir.module', [['name', '=', 'sale_shipment_grouping']])
    // What Tryton loads changes only when it starts.
    await staff.write('ir.module', [module], { state: 'activated' })
    try {
      await expect(open({})).rejects.toThrow(/deactivate the module sale_shipment_grouping/)
    } finally {
      await staff.write('ir.module', [module], { state: 'not activated' })
    }
    await expect(open({})).resolves.toBeDefined()
  })

  it('is refused at the start in a sentence: a carrier whose freight depends on the shipment', async () => {
    const opening = open({ url: await serveByWeight() })
    await expect(opening).rejects.toThrow(/^The carrier FRT-.* has the cost method "weight", whose freight/)
  })

  it('is refused at the start in a sentence: a shop in another currency', async () => {
    const { staff, connector } = await openLive()
    const shop = connector.places.shops.get('trade') ?? 0
    const values = { name: 'Testing', code: 'XTS', symbol: 'X' }
    const [known] = await staff.rpc.search('currency.currency', [['code', '=', values.code]])
    const currency = known ?? (await staff.createOne('currency.currency', values))
    await staff.write('web.shop', [shop], { currency })
    try {
      await expect(open({})).rejects.toThrow(/The web shop trade has another currency than the company/)
    } finally {
      await staff.write('web.shop', [shop], { currency: connector.places.currencyId })
    }
  })

  it('is none if the name of the shop has a colon: its customers sign in and stay signed in', async () => {
    const { staff, connector } = await openLive()
    const shop = connector.places.shops.get('trade') ?? 0
    await staff.write('web.shop', [shop], { name: 'trade: Sydney' })
    try {
      const live = await openLive({ config: { shop: 'trade: Sydney' } })
      expect(await live.orders.signIn.findCustomer(live.session)).toMatchObject({ code: customers[0].code })
      const afresh = await openLive({ config: { shop: 'trade: Sydney' } })
      expect(await afresh.orders.signIn.findCustomer(live.session)).toMatchObject({ code: customers[0].code })
    } finally {
      await staff.write('web.shop', [shop], { name: 'trade' })
    }
  })
})
