import { setTimeout as pause } from 'node:timers/promises'
import type { Capabilities, Erp } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { buyers, call, openHouse, signedIn } from './harness.ts'

/** An ERP that cannot allocate side by side gets one write after another; one that can gets them at once. */
const parallel = 6

async function mostAtOnce(serialise: Capabilities['serialise']): Promise<number> {
  let [now, most] = [0, 0]
  const counting = (erp: Erp): Erp => ({
    ...erp,
    async submit(input, options) {
      now += 1
      most = Math.max(most, now)
      // Long enough for every other request to arrive here, over a database too, if nothing keeps it.
      for (let turn = 0; turn < 60 && now < parallel; turn++) await pause(1)
      now -= 1
      return erp.submit(input, options)
    },
  })
  const house = await openHouse({ wrapErp: counting, capabilities: { serialise } })
  try {
    const token = await signedIn(house, buyers[0])
    const submit = (index: number) =>
      call(house, 'POST', '/api/v1/dropship-orders/submit', { token, body: orderNumbered(index) })
    const answers = await Promise.all(Array.from({ length: parallel }, (_, index) => submit(index)))
    expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200))
    return most
  } finally {
    await house.close()
  }
}

function orderNumbered(index: number) {
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
    expect(await mostAtOnce('everything')).toBe(1)
  })

  it('come one after another in each warehouse where it locks warehouses', async () => {
    expect(await mostAtOnce('warehouse')).toBe(2)
  })

  it('come side by side where it does not care', async () => {
    expect(await mostAtOnce('nothing')).toBeGreaterThan(2)
  })
})
