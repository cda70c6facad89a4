/** Products, addresses and catalogues of an ERP whose lists are incomplete or wrong. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { syncReference, syncReferenceWhenDue } from '../src/reference/sync.ts'
import { beginEpoch } from '../src/snapshot/epoch.ts'
import { createWorld, openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, createDraft, expectData, expectError, openShop } from './trade.ts'

/** Tests set these to replace the ERP's answers. */
let answers: {
  -readonly [Id in
    | 'products.changed'
    | 'products.read'
    | 'products.snapshot'
    | 'addresses'
    | 'shipping_methods']?: Erp[Id]
} = {}
let house: TestGateway
let shop: Buyer

beforeEach(async () => {
  answers = {}
  house = await openTestGateway({
    styles: 30,
    wrapErp: (erp) => ({
      ...erp,
      'products.changed': (input, options) =>
        (answers['products.changed'] ?? erp['products.changed'])(input, options),
      'products.read': (input, options) => (answers['products.read'] ?? erp['products.read'])(input, options),
      'products.snapshot': (input, options) =>
        (answers['products.snapshot'] ?? erp['products.snapshot'])(input, options),
      shipping_methods: (input, options) =>
        (answers.shipping_methods ?? erp.shipping_methods)(input, options),
      addresses: (input, options) => (answers.addresses ?? erp.addresses)(input, options),
    }),
  })
  shop = openShop(house)
})
afterEach(() => house.close())

async function countProducts(): Promise<number> {
  await house.gateway.mirror.reference.follow()
  const rows = await house.gateway.store.db
    .selectFrom('reference_records')
    .select('id')
    .where('kind', '=', 'product')
    .where('removed', '=', 0)
    .execute()
  return rows.length
}

/** The ERP knows no cursor any more, so that all products are read. */
function demandFullRead() {
  const { erp } = house.sandbox
  answers['products.changed'] = async (input, options) => {
    const answer = await erp['products.changed'](input, options)
    return 'ok' in answer && input.cursor !== null ? { ok: { ...answer.ok, everything: true } } : answer
  }
}

describe('a product that the ERP cannot report', () => {
  it('keeps its last state, stops no other, and is read again ten minutes later', async () => {
    const { erp } = house.sandbox
    const codes = ['SBX', 'BRS-0029', 'CER-0001', 'GONE-1']
    const [, bad = ''] = codes
    let isBad = true
    answers['products.changed'] = async () => ({
      ok: { cursor: 'after-them', everything: false, more: false, product_codes: codes },
    })
    answers['products.read'] = async (input, options) => {
      if (isBad && input.product_codes.includes(bad))
        throw new UnknownOutcome('malformed', 'The name of a product is too long.')
      const answer = await erp['products.read'](input, options)
      if ('rejected' in answer) return answer
      const products = answer.ok.products.map((product) => ({ ...product, brand: 'Renewed' }))
      return { ok: { products } }
    }
    const readState = async () => {
      await house.gateway.mirror.reference.follow()
      const { reference } = house.gateway.mirror
      const brands = codes.map((code) => reference.findProduct(code)?.brand)
      const source = await house.gateway.store.db
        .selectFrom('reference_sources')
        .select('cursor')
        .where('source', '=', 'products')
        .executeTakeFirst()
      return { brands: brands.map((brand) => brand === 'Renewed'), isDone: source?.cursor === 'after-them' }
    }
    const live = await countProducts()
    await syncReference(house.gateway)
    expect(await readState()).toEqual({ brands: [true, false, true, false], isDone: false })
    expect(await countProducts()).toBe(live)
    isBad = false
    await syncReference(house.gateway)
    expect((await readState()).brands, 'within ten minutes').toEqual([true, false, true, false])
    house.clock.advance(10 * 60_000)
    await syncReference(house.gateway)
    expect(await readState()).toEqual({ brands: [true, true, true, false], isDone: true })
  })
})

describe('a list of products', () => {
  it('that repeats its first page withdraws none', async () => {
    const before = await countProducts()
    expect(before).toBeGreaterThan(20)
    demandFullRead()
    const { erp } = house.sandbox
    answers['products.snapshot'] = (_input, options) =>
      erp['products.snapshot']({ after: null, limit: 5 }, options)
    await expect(syncReference(house.gateway)).rejects.toThrow('does not end')
    expect(await countProducts()).toBe(before)
  })

  it('that is empty once, while the ERP starts, withdraws none; a second time it is believed', async () => {
    const before = await countProducts()
    demandFullRead()
    const { erp } = house.sandbox
    let isEmpty = true
    answers['products.snapshot'] = async (input, options) => {
      const answer = isEmpty ? { ok: { products: [], next: null } } : erp['products.snapshot'](input, options)
      isEmpty = false
      return answer
    }
    await syncReference(house.gateway)
    expect(await countProducts()).toBe(before)
    answers['products.snapshot'] = async () => ({ ok: { products: [], next: null } })
    await syncReference(house.gateway)
    expect(await countProducts()).toBe(0)
  })
})

describe('the products of an ERP without hints', () => {
  it('are read once a minute', async () => {
    const other = await openTestGateway({
      styles: 5,
      capabilities: { changes: 'none' },
      wrapErp: (erp) => ({
        ...erp,
        'products.snapshot': (input, options) =>
          (answers['products.snapshot'] ?? erp['products.snapshot'])(input, options),
      }),
    })
    let reads = 0
    answers['products.snapshot'] = (input, options) => {
      reads += 1
      return other.sandbox.erp['products.snapshot'](input, options)
    }
    await syncReference(other.gateway)
    other.clock.advance(59_999)
    await syncReference(other.gateway)
    expect(reads).toBe(0)
    other.clock.advance(1)
    await syncReference(other.gateway)
    expect(reads).toBe(1)
    await other.close()
  })
})

describe('the worker of the reference data', () => {
  it('is not due at each change of permissions, but at a new customer and after its interval', async () => {
    await syncReferenceWhenDue(house.gateway)
    const { erp } = house.sandbox
    let calls = 0
    answers['products.changed'] = (input, options) => {
      calls += 1
      return erp['products.changed'](input, options)
    }
    await syncReferenceWhenDue(house.gateway)
    expect(calls, 'a session that ended').toBe(0)
    await createWorld(house, { customer_code: 'CUST-LANTERN' })
    await syncReferenceWhenDue(house.gateway)
    expect(calls, 'a new customer').toBe(1)
    house.clock.advance(15_000)
    await syncReferenceWhenDue(house.gateway)
    expect(calls, 'the interval').toBe(2)
  })
})

describe('a record that the ERP cannot report', () => {
  it('does not keep the sync from the addresses of a customer', async () => {
    const { erp } = house.sandbox
    // The channel of the buyer is made by its first call.
    await shop.get('/addresses')
    demandFullRead()
    answers['products.snapshot'] = () =>
      Promise.reject(new UnknownOutcome('malformed', 'An image has no URL.'))
    answers.addresses = async (input, options) => {
      const answer = await erp.addresses(input, options)
      if (!('ok' in answer)) return answer
      return { ok: { addresses: answer.ok.addresses.map((address) => ({ ...address, city: 'Hobart' })) } }
    }
    await expect(syncReference(house.gateway)).rejects.toThrow('cannot report the first product')
    await house.gateway.mirror.reference.follow()
    const { json } = await shop.get('/addresses')
    expect(json.data[0]).toMatchObject({ city: 'Hobart' })
  })
})

describe('shipping methods', () => {
  const forgetMethods = async () => {
    const { db } = house.gateway.store
    await db.deleteFrom('reference_records').where('kind', '=', 'shipping_method').execute()
    await db.deleteFrom('reference_sources').where('source', '=', 'shipping_methods').execute()
    // So that the mirror begins again, as at a first start.
    await beginEpoch(house.gateway)
    await house.gateway.mirror.reference.follow()
    await syncReference(house.gateway).catch(() => {})
    await house.gateway.mirror.reference.follow()
  }

  it('that have not been read are an error, neither an empty list nor an unknown method', async () => {
    const { order_id } = await createDraft(shop, await shop.createSku())
    answers.shipping_methods = () => Promise.reject(new UnknownOutcome('malformed', 'A method has no name.'))
    await forgetMethods()
    const list = () => shop.get('/shipping-methods')
    const preview = () => shop.post(`/orders/${order_id}/allocation-preview`)
    for (const call of [list, preview]) {
      const { message } = expectError(await call(), 'UPSTREAM_ERROR', { retryable: true })
      expect(message).toContain('shipping methods')
    }
    answers.shipping_methods = async () => ({ ok: { shipping_methods: [] } })
    await syncReference(house.gateway)
    await house.gateway.mirror.reference.follow()
    expect((await list()).json.data).toEqual([])
    expectError(await preview(), 'NOT_FOUND', { param: 'shipping.shipping_method_id' })
    delete answers.shipping_methods
    await syncReference(house.gateway)
    await house.gateway.mirror.reference.follow()
    expectData(await preview())
  })
})

describe('a database that was restored from an older state', () => {
  const product = {
    kind: 'product' as const,
    owner: '',
    id: 'LATER-1',
    body: JSON.stringify({ product_code: 'LATER-1', names: {}, skus: [] }),
    removed: 0,
    updated_at: 0,
  }
  const reference = () => house.gateway.mirror.reference

  /** Adds a product as a sync does, and returns the way back to the state before. */
  async function addProduct(): Promise<() => Promise<void>> {
    const { db } = house.gateway.store
    const version = reference().version + 1
    await db
      .insertInto('reference_records')
      .values({ ...product, version })
      .execute()
    await setCounter(version)
    await reference().follow()
    expect(reference().findProduct('LATER-1')).toBeDefined()
    return async () => {
      await db.deleteFrom('reference_records').where('id', '=', 'LATER-1').execute()
      await setCounter(version - 1)
    }
  }
  const setCounter = (value: number) =>
    house.gateway.store.db.updateTable('counters').set({ value }).where('name', '=', 'reference').execute()

  it('leaves no record of the time that was lost', async () => {
    const before = await countProducts()
    const restore = await addProduct()
    await restore()
    await reference().follow()
    expect(reference().findProduct('LATER-1')).toBeUndefined()
    expect([...reference().products()]).toHaveLength(before)
    expect(reference().isFilled).toBe(true)
    expect((await shop.get('/products?page_size=1')).status).toBe(200)
  })

  it('leaves none either if its counter has already overtaken', async () => {
    const restore = await addProduct()
    const newest = reference().version
    await restore()
    await beginEpoch(house.gateway)
    await setCounter((await readCounter()) + 10)
    await reference().follow()
    expect(reference().findProduct('LATER-1')).toBeUndefined()
    expect(reference().version).toBeGreaterThan(newest)
  })

  async function readCounter(): Promise<number> {
    const { db } = house.gateway.store
    const query = db.selectFrom('counters').select('value').where('name', '=', 'reference')
    return (await query.executeTakeFirstOrThrow()).value
  }
})
