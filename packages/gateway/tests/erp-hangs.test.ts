/**
 * The ERP accepts every call and responds to none. Reads from memory and from the database must succeed although no
 * call to the ERP has returned. The test counts calls and measures no time, so a slow machine cannot fail it.
 */

import { callOperation, createErp } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { startWorkers } from '../src/workers.ts'
import { waitUntil } from './faults/processes.ts'
import { call, createWorld, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { reportFigure } from './promises/report-figure.ts'
import { syncStock } from './sync-stock.ts'
import { type Buyer, buildDropship, openShop } from './trade.ts'

const minute = 60_000
const arrivalMs = 20_000
const submits = 40
const rounds = 25

/** An ERP whose calls wait until the test releases them. */
class HangingErp {
  isHanging = false
  started = 0
  returned = 0
  readonly #waiting: (() => void)[] = []

  async waitWhileHanging() {
    if (!this.isHanging) return
    this.started += 1
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.returned += 1
  }

  releaseCalls() {
    this.isHanging = false
    for (const go of this.#waiting.splice(0)) go()
  }
}

let house: TestGateway
let shop: Buyer
let token: string
const hanging = new HangingErp()

beforeAll(async () => {
  house = await openTestGateway({
    styles: 60,
    settings: { RATE_LIMIT_POINTS: '1000000' },
    wrapErp: (erp) =>
      createErp(async (id, input, options) => {
        await hanging.waitWhileHanging()
        return callOperation(erp, id, input, options)
      }),
  })
  shop = openShop(house)
  ;({ token } = await createWorld(house))
})
afterAll(() => house.close())

describe('an ERP that hangs', () => {
  it('holds up no read, whatever waits for it', async () => {
    const bodies = []
    for (let index = 0; index < submits; index++)
      bodies.push(buildDropship(await shop.createSku({ AUSYD1: 5 })))
    const { json } = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page_size=5', { token })
    const { version } = json
    const [{ sku, product_code }] = json.data
    const reads = [
      '/warehouses',
      `/warehouses/AUSYD1/stock?sku=${sku}`,
      '/warehouses/AU/stock?page_size=100',
      '/warehouses/AUSYD1/stock',
      `/warehouses/AUSYD1/stock/changes?since=${version}`,
      '/warehouses/AUSYD1/stock/checksum',
      `/products/${product_code}`,
      '/orders',
      '/dropship-orders',
      '/holds',
      '/shipments',
      '/me',
    ]

    hanging.isHanging = true
    const writes = bodies.map((body) => shop.post('/dropship-orders/submit', body))
    const workers = [syncStock(house.gateway), syncDocuments(house.gateway)].map((work) =>
      work.catch(() => {}),
    )
    await waitUntil(() => hanging.started >= 10, arrivalMs, 'Ten calls do not wait at the ERP')

    const statuses = []
    for (let round = 0; round < rounds; round++) {
      const answers = reads.map((path) => call(house, 'GET', `/api/v1${path}`, { token }))
      for (const { status } of await Promise.all(answers)) statuses.push(status)
    }
    expect(statuses).toEqual(Array(rounds * reads.length).fill(200))
    expect(hanging.returned).toBe(0)
    reportFigure(['I34'], `${statuses.length} reads beside ${submits} submits that hang; all 200`)

    hanging.releaseCalls()
    await Promise.all([...writes, ...workers])
  })

  it('lets the age of what is read grow, to the second, and returns it to zero', async () => {
    const readAge = async () => {
      const { status, headers } = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page_size=1', {
        token,
      })
      expect(status).toBe(200)
      const documents = await call(house, 'GET', '/api/v1/orders', { token })
      return [Number(headers.get('x-stock-age')), Number(documents.headers.get('x-data-age'))]
    }
    await house.settle()
    expect(await readAge()).toEqual([0, 0])
    hanging.isHanging = true
    const workers = [syncStock(house.gateway), syncDocuments(house.gateway)].map((work) =>
      work.catch(() => {}),
    )
    house.clock.advance(7 * minute + 999)
    expect(await readAge()).toEqual([420, 420])
    const status = await fetch(`${house.url}/statusz`)
    const { data }: LooseJson = JSON.parse(await status.text())
    const ages = data.warehouses.flatMap(({ age_seconds: seconds }: LooseJson) =>
      seconds === null ? [] : [seconds],
    )
    expect(ages).toEqual([420, 420, 420])
    hanging.releaseCalls()
    await Promise.all(workers)
    await house.settle()
    expect(await readAge()).toEqual([0, 0])
  })

  it('keeps nothing of the request log from being stored when the process stops', async () => {
    const { db } = house.gateway.store
    const at = Math.floor(house.clock.now() / minute) * minute
    const readCounts = () => db.selectFrom('request_counts').select('calls').where('at', '=', at).execute()
    hanging.isHanging = true
    const before = hanging.started
    const stopWorkers = startWorkers(house.gateway)
    try {
      await expect.poll(() => hanging.started, { timeout: arrivalMs }).toBeGreaterThan(before)
      // The count of the running minute is stored by the last turn alone.
      expect((await call(house, 'GET', '/api/v1/me', { token })).status).toBe(200)
      expect(await readCounts()).toEqual([])
      const stopped = stopWorkers()
      await expect.poll(readCounts, { timeout: arrivalMs }).not.toEqual([])
      hanging.releaseCalls()
      await stopped
    } finally {
      hanging.releaseCalls()
    }
  })
})
