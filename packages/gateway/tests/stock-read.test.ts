import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listPieces } from '../src/contract/call.ts'
import { shouldSkip } from './faults/sizes.ts'
import { call, createWorld, openTestGateway, type TestGateway, type World } from './harness.ts'

let house: TestGateway
let reader: World

beforeAll(async () => {
  house = await openTestGateway({ styles: 120 })
  reader = await createWorld(house)
})
afterAll(() => house.close())

const readStock = (query = '', headers: Record<string, string> = {}) =>
  call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock${query}`, { token: reader.token, headers })

const listSkus = (rows: { sku: string }[]) => rows.map(({ sku }) => sku)

describe('GET /warehouses', () => {
  it('lists the real warehouses and the views with their members', async () => {
    const { json } = await call(house, 'GET', '/api/v1/warehouses', { token: reader.token })
    expect(json.data.map((each: { warehouse_code: string }) => each.warehouse_code)).toEqual([
      'AU',
      'AUSYD1',
      'AUSYD2',
      'CHNZJ1',
      'CN',
    ])
    expect(json.data[0]).toMatchObject({ kind: 'company', members: ['AUSYD1', 'AUSYD2'], currency: 'AUD' })
    expect(json.data[3]).toMatchObject({
      kind: 'warehouse',
      members: [],
      currency: 'CNY',
      country_code: 'CN',
    })
  })

  it('lists the allowed ones only', async () => {
    const { token } = await createWorld(house, { warehouse_allowlist: ['CN', 'AUSYD2'] })
    const { json } = await call(house, 'GET', '/api/v1/warehouses', { token })
    expect(json.data.map((each: { warehouse_code: string }) => each.warehouse_code)).toEqual(['AUSYD2', 'CN'])
  })
})

describe('GET /warehouses/{warehouse_code}/stock', () => {
  it('gives by pages exactly what it gives whole, at the prices of the specification', async () => {
    const whole = await readStock()
    expect(whole.headers.get('ratelimit-cost')).toBe('60')
    expect(whole.json.has_more).toBe(false)
    const paged: { sku: string }[] = []
    for (let page = 1; ; page++) {
      const { json, headers } = await readStock(`?page=${page}&page_size=333`)
      expect(headers.get('ratelimit-cost')).toBe('5')
      expect(json).toMatchObject({ page, page_size: 333 })
      paged.push(...json.data)
      if (!json.has_more) break
    }
    expect(paged).toEqual(whole.json.data)
    expect(listSkus(paged)).toEqual(listSkus(paged).toSorted((a, b) => (a < b ? -1 : 1)))
  })

  it('is empty far beyond the last page', async () => {
    const { json } = await readStock('?page=1000000000&page_size=1000')
    expect(json).toMatchObject({ data: [], has_more: false })
  })

  it('answers one style and one SKU for a point, paged or not', async () => {
    const { json: whole } = await readStock()
    const style = whole.data[10].product_code
    const expected = whole.data.filter((row: { product_code: string }) => row.product_code === style)
    const byStyle = await readStock(`?product_code=${style}`)
    expect(byStyle.json.data).toEqual(expected)
    expect(byStyle.headers.get('ratelimit-cost')).toBe('1')
    const paged = await readStock(`?product_code=${style}&page=1&page_size=1`)
    expect(paged.json).toMatchObject({ data: [expected[0]], has_more: expected.length > 1 })
    const bySku = await readStock(`?sku=${whole.data[10].sku}&product_code=${style}`)
    expect(bySku.json.data).toEqual([whole.data[10]])
    expect((await readStock(`?sku=${whole.data[10].sku}&product_code=SBX`)).json.data).toEqual([])
  })

  it('answers a SKU that is not kept here as a row of zeros, and an unknown one as NOT_FOUND', async () => {
    const elsewhere = house.sandbox.store.one(
      `select sku from stock where warehouse_code = 'CHNZJ1' and sku not in
       (select sku from stock where warehouse_code = 'AUSYD1') limit 1`,
    )
    const zero = await readStock(`?sku=${elsewhere?.sku}`)
    expect(zero.json.data).toMatchObject([
      { sku: elsewhere?.sku, quantity_available: 0, warehouse_code: 'AUSYD1' },
    ])
    for (const [query, param] of [
      ['?sku=NO-SUCH', 'sku'],
      ['?product_code=NO-SUCH', 'product_code'],
    ] as const) {
      const { status, json } = await readStock(query)
      expect(status).toBe(404)
      expect(json.error).toMatchObject({ code: 'NOT_FOUND', reason: 'sku_unknown', param })
    }
  })

  it('costs a point and no bytes where the ETag still holds, and answers anew after a change', async () => {
    const { headers } = await readStock()
    const tag = headers.get('etag') ?? ''
    const same = await readStock('', { 'if-none-match': `"other", ${tag}` })
    expect(same.status).toBe(304)
    expect(same.text).toBe('')
    expect(same.headers.get('ratelimit-cost')).toBe('1')
    expect(same.headers.get('x-stock-version')).toBe(headers.get('x-stock-version'))
    const poor = await createWorld(house, { points_per_minute: 60 })
    await call(house, 'GET', '/api/v1/warehouses', { token: poor.token })
    const affordable = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', {
      token: poor.token,
      headers: { 'if-none-match': tag },
    })
    expect(affordable.status).toBe(304)
  })

  it('keeps the ETag of a warehouse when a product changes, of which the row of a SKU without stock is made', async () => {
    const absent = house.sandbox.store.one(
      `select sku, product_code from stock where warehouse_code = 'CHNZJ1' and sku not in
       (select sku from stock where warehouse_code = 'AUSYD1') limit 1`,
    )
    const ofWarehouse = ['', '?page=2&page_size=10']
    const ofSku = `?sku=${absent?.sku}`
    const tags = new Map<string, string>()
    for (const query of [...ofWarehouse, ofSku])
      tags.set(query, (await readStock(query)).headers.get('etag') ?? '')
    house.sandbox.store.run(
      `update products set body = json_set(body, '$.updated_at', '2026-11-20T12:00:00.000Z'),
       seq = (select max(seq) + 1 from products) where product_code = ?`,
      String(absent?.product_code),
    )
    await house.settle()
    for (const query of ofWarehouse) {
      const same = await readStock(query, { 'if-none-match': tags.get(query) ?? '' })
      expect([same.status, same.headers.get('ratelimit-cost')], query).toEqual([304, '1'])
    }
    const { status, json } = await readStock(ofSku, { 'if-none-match': tags.get(ofSku) ?? '' })
    expect([status, json.data?.[0].updated_at]).toEqual([200, '2026-11-20T12:00:00.000Z'])
  })

  /** Commits one changed row of AUSYD1, as another process would, and returns the version. */
  const changeInDatabase = async () => {
    const { db } = house.gateway.store
    const { version } = await db
      .updateTable('warehouses')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('warehouse_code', '=', 'AUSYD1')
      .returning('version')
      .executeTakeFirstOrThrow()
    const first = db
      .selectFrom('stock')
      .select('sku')
      .where('warehouse_code', '=', 'AUSYD1')
      .orderBy('sku')
      .limit(1)
    await db
      .updateTable('stock')
      .set((eb) => ({ version, quantity_on_hand: eb('quantity_on_hand', '+', 1) }))
      .where('warehouse_code', '=', 'AUSYD1')
      .where('sku', '=', first)
      .execute()
    return version
  }

  it('costs a point where another process has sent what this one has still to read', async () => {
    const { token } = await createWorld(house, { points_per_minute: 100 })
    const version = await changeInDatabase()
    const tag = `W/"${version}.0"`
    const path = '/api/v1/warehouses/AUSYD1/stock'
    const { status, headers } = await call(house, 'GET', path, { token, headers: { 'if-none-match': tag } })
    expect([status, headers.get('ratelimit-cost'), headers.get('ratelimit-remaining')]).toEqual([
      304,
      '1',
      '99',
    ])
    expect(headers.get('x-stock-version')).toBe(String(version))
  })

  it('is not the older state of this process, where the client has the tag of a newer one too', async () => {
    const path = '?page=1&page_size=100'
    const { headers } = await readStock(path)
    const version = await changeInDatabase()
    const tags = `${headers.get('etag')}, W/"${version}.0"`
    const same = await readStock(path, { 'if-none-match': tags })
    expect([same.status, same.headers.get('ratelimit-cost')]).toEqual([304, '1'])
    expect(same.headers.get('x-stock-version')).toBe(String(version))
  })

  const laterPage = 'a later page by number, where another process has sent newer stock'
  it.skipIf(shouldSkip(laterPage, { postgres: true }))(
    `is no 304 of an older copy on ${laterPage}`,
    async () => {
      const path = '?page=2&page_size=100'
      const { headers } = await readStock(path)
      // Another process sends the first page after this change.
      const version = await changeInDatabase()
      const newer = await readStock(path, { 'if-none-match': headers.get('etag') ?? '' })
      expect([newer.status, newer.json.version, newer.headers.get('ratelimit-cost')]).toEqual([
        200,
        version,
        '5',
      ])
      const same = await readStock(path, { 'if-none-match': newer.headers.get('etag') ?? '' })
      expect([same.status, same.headers.get('ratelimit-cost')]).toEqual([304, '1'])
    },
  )

  it('is a 304 for its point, also if the stock changes while the processes count the points', async () => {
    const { headers } = await readStock()
    const { points } = house.gateway.quota
    const take = points.take.bind(points)
    vi.spyOn(points, 'take').mockImplementationOnce(async (...args) => {
      await changeInDatabase()
      await house.gateway.mirror.stock.follow()
      return take(...args)
    })
    const same = await readStock('', { 'if-none-match': headers.get('etag') ?? '' })
    expect([same.status, same.headers.get('ratelimit-cost')]).toEqual([304, '1'])
    for (const name of ['etag', 'x-stock-version']) expect(same.headers.get(name)).toBe(headers.get(name))
    const newer = await readStock('', { 'if-none-match': headers.get('etag') ?? '' })
    expect([newer.status, newer.headers.get('ratelimit-cost')]).toEqual([200, '60'])
  })

  it.each(['gzip', 'zstd'])('compresses by %s for those who ask, to the same rows', async (coding) => {
    const plain = await readStock('', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const response = await fetch(`${house.url}/api/v1/warehouses/AUSYD1/stock`, {
      headers: { authorization: `Bearer ${reader.token}`, 'accept-encoding': coding },
    })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    expect(await response.text()).toBe(plain.text)
    const refused = await readStock('', { 'accept-encoding': 'gzip;q=0, *;q=0' })
    expect(refused.headers.get('content-encoding')).toBeNull()
  })

  it.each(['gzip', 'zstd'])(
    'sends stock while %s compresses it, and whole to those who come later',
    async (coding) => {
      const read = async (method: string) => {
        const response = await fetch(`${house.url}/api/v1/warehouses/CHNZJ1/stock`, {
          method,
          headers: { authorization: `Bearer ${reader.token}`, 'accept-encoding': coding },
        })
        expect(response.headers.get('content-encoding')).toBe(coding)
        return { text: await response.text(), size: response.headers.get('content-length') }
      }
      expect(await read('HEAD')).toEqual({ text: '', size: null })
      const first = await read('GET')
      expect(first).toEqual({ text: expect.stringContaining('CHNZJ1'), size: null })
      const second = await read('GET')
      expect(second).toEqual({ text: first.text, size: expect.stringMatching(/^\d+$/) })
      expect(await read('HEAD')).toEqual({ text: '', size: second.size })
    },
  )

  it('knows only the five codes, and the allowlist literally', async () => {
    const { json } = await call(house, 'GET', '/api/v1/warehouses/ausyd1/stock', { token: reader.token })
    expect(json.error).toMatchObject({ code: 'WAREHOUSE_UNKNOWN' })
    for (const code of ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']) expect(json.error.message).toContain(code)
    const { token } = await createWorld(house, { warehouse_allowlist: ['AU'] })
    expect((await call(house, 'GET', '/api/v1/warehouses/AU/stock?page=1', { token })).status).toBe(200)
    const denied = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page=1', { token })
    expect(denied.json.error.code).toBe('WAREHOUSE_DENIED')
  })

  it('refuses what cannot be paid, charges nothing for it, and says when it can', async () => {
    const poor = await createWorld(house, { points_per_minute: 60 })
    const readPoorStock = (query: string) =>
      call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock${query}`, { token: poor.token })
    expect((await readPoorStock('')).status).toBe(200)
    const refused = await readPoorStock('?page=1')
    expect(refused.json.error.code).toBe('RATE_LIMITED')
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    const wait = Number(refused.headers.get('retry-after'))
    house.clock.advance((wait - 1) * 1000)
    expect((await readPoorStock('?page=1')).status).toBe(429)
    house.clock.advance(1000)
    expect((await readPoorStock('')).status).toBe(200)
  })
})

describe('a page that is kept', () => {
  const readPage = async (world: World) => {
    const path = '/api/v1/warehouses/AUSYD1/stock?page=1&page_size=40'
    const { text, json, headers } = await call(house, 'GET', path, { token: world.token })
    return { text, json, link: headers.get('link'), age: Number(headers.get('x-stock-age')) }
  }

  it('is sent again as it is, with the age that the copy has now', async () => {
    const first = await readPage(reader)
    const second = await readPage(reader)
    const { size, calculatedSize } = house.gateway.memory.pages
    house.clock.advance(7_000)
    const again = await readPage(reader)
    expect(second).toEqual(first)
    expect(again).toEqual({ ...first, age: first.age + 7 })
    expect(house.gateway.memory.pages).toMatchObject({ size, calculatedSize })
  })

  it('is kept at its second request, because most pages are read only once', async () => {
    const { token } = await createWorld(house)
    const { pages } = house.gateway.memory
    const known = new Set(pages.keys())
    const listKept = () =>
      [...pages]
        .filter(([name]) => !known.has(name))
        .map(([, page]) => (page ? page.body.chunks.length : page))
    const read = (query: string) => call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock${query}`, { token })
    const { version } = (await read('?page=1&page_size=60')).json
    expect(listKept()).toEqual([false])
    await read('?page=1&page_size=60')
    expect(listKept()).toEqual([1])
    const [page] = [...pages].filter(([name]) => !known.has(name)).map(([, each]) => each)
    const bytes = page ? [...listPieces(page.body.chunks)] : []
    // A part of Node's pool would keep all of the pool.
    expect(bytes.map(({ buffer, length }) => buffer.byteLength - length)).toEqual([0])
    await read(`/changes?since=${version - 1}&page_size=60`)
    expect(listKept()).toContain(false)
    await read(`/changes?since=${version - 1}&page_size=60`)
    expect(listKept()).toEqual([1, 1])
  })

  it('is of one channel, whose cursor it holds', async () => {
    await readPage(reader)
    const other = await createWorld(house)
    const { json } = await readPage(other)
    const path = `/api/v1/warehouses/AUSYD1/stock?cursor=${json.next_cursor}`
    expect((await call(house, 'GET', path, { token: other.token })).status).toBe(200)
    expect((await call(house, 'GET', path, { token: reader.token })).status).toBe(422)
  })

  it('is never sent for another version of the stock', async () => {
    // Kept and compressed by now.
    await readPage(reader)
    await readPage(reader)
    const { json: before } = await readPage(reader)
    const { sku, quantity_on_hand } = before.data[3]
    house.sandbox.store.run("update warehouses set stock_seq = stock_seq + 1 where warehouse_code = 'AUSYD1'")
    house.sandbox.store.run(
      `update stock set on_hand = on_hand + 11, stock_seq =
       (select stock_seq from warehouses where warehouse_code = 'AUSYD1')
       where warehouse_code = 'AUSYD1' and sku = ?`,
      sku,
    )
    await house.settle()
    for (let time = 0; time < 3; time++) {
      const { json: after } = await readPage(reader)
      expect(after.version).toBe(before.version + 1)
      expect(after.data[3]).toMatchObject({ sku, quantity_on_hand: quantity_on_hand + 11 })
    }
  })

  it.each(['gzip', 'zstd'])('is compressed to %s once, for all who request it later', async (coding) => {
    const { token } = await createWorld(house)
    const path = '/api/v1/warehouses/AUSYD1/stock?page=1&page_size=50'
    const read = () => call(house, 'GET', path, { token, headers: { 'accept-encoding': coding } })
    const responses = [await read(), await read(), await read(), await read()]
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    for (const { headers } of responses) expect(headers.get('content-encoding')).toBe(coding)
    // The one that is kept is sent while it is compressed, so that its length is not known.
    const lengths = responses.map(({ headers }) => headers.get('content-length'))
    expect(lengths).toEqual([expect.any(String), null, expect.any(String), lengths[2]])
  })

  it('takes a bounded part of the memory, whatever clients request', async () => {
    const { pages } = house.gateway.memory
    for (let page = 1; page <= 150; page++) {
      for (let time = 0; time < 2; time++) await readStock(`?page=${page}&page_size=1`)
    }
    expect(pages.calculatedSize, 'a page of one row counts with its name').toBeGreaterThan(150 * 4096)
    expect(pages.calculatedSize).toBeLessThanOrEqual(pages.maxSize)
    expect(pages.maxSize).toBeLessThanOrEqual(16 * 1024 * 1024)
  })
})

describe('products, shipping methods and addresses', () => {
  it('lists products in the order of their codes, in the reader’s language, searched in all', async () => {
    const first = await call(house, 'GET', '/api/v1/products?page_size=100', { token: reader.token })
    expect(first.headers.get('ratelimit-cost')).toBe('30')
    const codes = first.json.data.map((each: { product_code: string }) => each.product_code)
    expect(codes).toEqual(codes.toSorted())
    expect(first.json.has_more).toBe(true)
    const second = await call(house, 'GET', '/api/v1/products?page=2&page_size=100', { token: reader.token })
    expect(
      second.json.data.every((each: { product_code: string }) => !codes.includes(each.product_code)),
    ).toBe(true)
    expect(first.json.data.length + second.json.data.length).toBe(121)
    const korean = await call(house, 'GET', '/api/v1/products/SBX', {
      token: reader.token,
      headers: { 'accept-language': 'ko-KR' },
    })
    expect(korean.headers.get('content-language')).toBe('ko')
    expect(korean.json.data.name).toMatch(/[가-힣]/)
    const found = await call(house, 'GET', `/api/v1/products?q=${encodeURIComponent('沙盒')}`, {
      token: reader.token,
    })
    expect(found.json.data.map((each: { product_code: string }) => each.product_code)).toEqual(['SBX'])
  })

  it('finds the products whose names and codes have every word, in any order', async () => {
    const { json } = await call(house, 'GET', '/api/v1/products?page_size=1', { token: reader.token })
    const [{ product_code, name }] = json.data
    const [first, ...others] = name.toLowerCase().split(' ')
    expect(others.length).toBeGreaterThan(1)
    const findCodes = async (q: string) => {
      const found = await call(house, 'GET', `/api/v1/products?q=${encodeURIComponent(q)}`, {
        token: reader.token,
      })
      return found.json.data.map((each: { product_code: string }) => each.product_code)
    }
    expect(await findCodes(`${others.at(-1)} ${first}`)).toContain(product_code)
    expect(await findCodes(`${others.at(-1)} ${product_code}`)).toEqual([product_code])
    expect(await findCodes(`${first} ${product_code} nonsense`)).toEqual([])
  })

  it('filters by SKU, style and time of change', async () => {
    const bySku = await call(house, 'GET', '/api/v1/products?sku=SBX-OOS', { token: reader.token })
    expect(bySku.json.data).toMatchObject([{ product_code: 'SBX' }])
    const none = await call(house, 'GET', '/api/v1/products?updated_since=2026-11-21T00:00:01Z', {
      token: reader.token,
    })
    expect(none.json.data).toEqual([])
    const unknown = await call(house, 'GET', '/api/v1/products/NO-SUCH', { token: reader.token })
    expect(unknown.json.error).toMatchObject({
      code: 'NOT_FOUND',
      param: 'product_code',
      reason: 'sku_unknown',
    })
  })

  it('marks what the channel’s customer may order', async () => {
    const { token } = await createWorld(house, { customer_code: 'CUST-LANTERN' })
    await house.settle()
    const { json } = await call(house, 'GET', '/api/v1/products/SBX', { token })
    const blocked = json.data.skus.filter((each: { sellable: boolean }) => !each.sellable)
    expect(listSkus(blocked)).toEqual(['SBX-BLOCKED'])
    const addresses = await call(house, 'GET', '/api/v1/addresses', { token })
    expect(addresses.json.data).toHaveLength(4)
    const own = await call(house, 'GET', '/api/v1/addresses', { token: reader.token })
    expect(own.json.data).toEqual([])
  })

  it('offers the shipping methods of the allowed warehouses', async () => {
    const { json } = await call(house, 'GET', '/api/v1/shipping-methods', { token: reader.token })
    expect(json.data).toHaveLength(5)
    const { token } = await createWorld(house, { warehouse_allowlist: ['CN'] })
    const chinese = await call(house, 'GET', '/api/v1/shipping-methods', { token })
    expect(chinese.json.data.map((each: { warehouse_codes: string[] }) => each.warehouse_codes)).toEqual([
      ['CHNZJ1'],
      ['CHNZJ1'],
    ])
  })
})

describe('what a page must not lose', () => {
  it('keeps the places of withdrawn rows in the pages of one style', async () => {
    const sql =
      "select product_code from stock where warehouse_code = 'AUSYD1' group by product_code having count(*) > 6"
    const style = String(house.sandbox.store.one(sql)?.product_code)
    const readPage = (number: number) => readStock(`?product_code=${style}&page_size=3&page=${number}`)
    const whole = listSkus((await readStock(`?product_code=${style}`)).json.data)
    const seen = listSkus((await readPage(1)).json.data)
    house.sandbox.store.run("update warehouses set stock_seq = stock_seq + 1 where warehouse_code = 'AUSYD1'")
    house.sandbox.store.run(
      `update stock set withdrawn = 1, stock_seq = (select stock_seq from warehouses where warehouse_code = 'AUSYD1')
       where warehouse_code = 'AUSYD1' and sku = ?`,
      whole[1] ?? '',
    )
    await house.settle()
    for (let number = 2, more = true; more; number++) {
      const { json } = await readPage(number)
      seen.push(...listSkus(json.data))
      more = json.has_more
    }
    expect(seen).toEqual(whole)
  })

  it('keeps products that changed after the first page, or whose clock is ahead', async () => {
    const later = new Date(house.clock.now() + 3_600_000).toISOString()
    const listPage = async (number: number, asOf = '') => {
      const query = `page=${number}&page_size=100${asOf}`
      return (await call(house, 'GET', `/api/v1/products?${query}`, { token: reader.token })).json
    }
    const first = await listPage(1)
    const row = house.sandbox.store.one("select body from products where product_code = 'SBX'")
    const body = JSON.stringify({ ...JSON.parse(String(row?.body)), updated_at: later })
    house.sandbox.store.run(
      "update products set body = ?, seq = (select max(seq) + 1 from products) where product_code = 'SBX'",
      body,
    )
    await house.settle()
    const second = await listPage(2, `&as_of=${first.as_of}`)
    expect(first.data.length + second.data.length).toBe(121)
    const again = await listPage(1)
    expect(again.data.map((each: { product_code: string }) => each.product_code)).toContain('SBX')
  })

  it('charges nothing for a span of days that is none', async () => {
    const answer = await call(house, 'GET', '/api/v1/products?start_date=2026-11-21&end_date=2026-11-01', {
      token: reader.token,
    })
    expect(answer.json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'start_date' })
    expect(answer.headers.get('ratelimit-cost')).toBe('0')
  })
})
