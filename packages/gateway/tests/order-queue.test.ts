/** An ERP that cannot allocate concurrently gets one write at a time; any other ERP gets several at once. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { sumAvailable } from '../src/stock/available.ts'
import { listLockNames } from '../src/writes/serialize.ts'
import { buyers, call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

const parallel = 6

/** Builds the order with a number, of `skus` that are in stock in AUSYD1 if it wants them. */
type Build = (index: number, skus: readonly string[]) => ReturnType<typeof buildOrder>

const minInStock = 10

async function countConcurrentWrites(
  serialise: Capabilities['serialise'],
  build: Build = buildOrder,
): Promise<number> {
  let [now, most] = [0, 0]
  const wrapCountingErp = (erp: Erp): Erp => ({
    ...erp,
    async submit(input, options) {
      now += 1
      most = Math.max(most, now)
      // During this pause every other request arrives here too, even on PostgreSQL, unless something delays it.
      for (let turn = 0; turn < 60 && now < parallel; turn++) await pause(1)
      now -= 1
      return erp.submit(input, options)
    },
  })
  const house = await openTestGateway({ wrapErp: wrapCountingErp, capabilities: { serialise } })
  try {
    const token = await signInBuyer(house, buyers[0])
    const skus = listStockedSkus(house)
    const submit = (index: number) =>
      call(house, 'POST', '/api/v1/dropship-orders/submit', { token, body: build(index, skus) })
    const answers = await Promise.all(Array.from({ length: parallel }, (_, index) => submit(index)))
    expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200))
    return most
  } finally {
    await house.close()
  }
}

function listStockedSkus({ gateway }: TestGateway): string[] {
  const carried = gateway.mirror.stock.snapshot('AUSYD1')?.blocks.flatMap(({ skus }) => [...skus]) ?? []
  return carried.filter(
    (sku) =>
      !sku.startsWith('SBX-') &&
      gateway.mirror.reference.maySell(buyers[0].customer_code, sku) &&
      sumAvailable(gateway, ['AUSYD1'], sku).quantity_available >= minInStock,
  )
}

function buildOrder(index: number) {
  return {
    sku: 'SBX-SHORT-3',
    quantity: 1,
    warehouse_code: index % 2 === 0 ? 'AUSYD1' : 'AUSYD2',
    client_order_number: `QUEUE-${index}`,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
}

describe('the locks of a write where the ERP locks SKUs', () => {
  const listNames = (skus: readonly string[]) => listLockNames('sku', { warehouses: ['A'], skus })
  const many = Array.from({ length: 500 }, (_, index) => `SKU-${index}`)

  it('are at most one for each line, and always in the same sequence', () => {
    const names = listNames([...many, ...many])
    expect(names.length).toBeLessThanOrEqual(many.length)
    expect(names).toEqual([...new Set(names)].sort())
    expect(listNames(many.toReversed())).toEqual(names)
  })

  it('are common to writes that share an SKU, and rarely to others', () => {
    const [one] = listNames(['SKU-1'])
    expect(listNames(['SKU-2', 'SKU-1'])).toContain(one)
    expect(listNames(['SKU-2'])).not.toContain(one)
    expect(listNames(many).length).toBeGreaterThan(many.length * 0.9)
  })
})

describe('writes to an ERP', () => {
  it('come one after another where it can do only one at a time', async () => {
    expect(await countConcurrentWrites('everything')).toBe(1)
  })

  it('come one after another in each warehouse where it locks warehouses', async () => {
    expect(await countConcurrentWrites('warehouse')).toBe(2)
  })

  it('come one after another for each SKU where it locks SKUs', async () => {
    expect(await countConcurrentWrites('sku')).toBe(1)
  })

  it('come side by side for different SKUs of one warehouse where it locks SKUs', async () => {
    const build: Build = (index, skus) => ({
      ...buildOrder(index),
      warehouse_code: 'AUSYD1',
      sku: skus[index % 3] ?? '',
    })
    expect(await countConcurrentWrites('sku', build)).toBe(3)
  })

  it('come side by side where it does not care', async () => {
    expect(await countConcurrentWrites('nothing')).toBeGreaterThan(2)
  })
})
