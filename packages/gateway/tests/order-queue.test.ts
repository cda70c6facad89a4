/** An ERP that cannot allocate concurrently gets one write at a time; any other ERP gets several at once. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { buyers, call, openTestGateway, signInBuyer } from './harness.ts'

const parallel = 6

async function countConcurrentWrites(serialise: Capabilities['serialise']): Promise<number> {
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
    const submit = (index: number) =>
      call(house, 'POST', '/api/v1/dropship-orders/submit', { token, body: buildOrder(index) })
    const answers = await Promise.all(Array.from({ length: parallel }, (_, index) => submit(index)))
    expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200))
    return most
  } finally {
    await house.close()
  }
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

describe('writes to an ERP', () => {
  it('come one after another where it can do only one at a time', async () => {
    expect(await countConcurrentWrites('everything')).toBe(1)
  })

  it('come one after another in each warehouse where it locks warehouses', async () => {
    expect(await countConcurrentWrites('warehouse')).toBe(2)
  })

  it('come side by side where it does not care', async () => {
    expect(await countConcurrentWrites('nothing')).toBeGreaterThan(2)
  })
})
