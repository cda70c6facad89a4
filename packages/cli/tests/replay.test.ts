import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInBuyer } from '../../gateway/tests/harness.ts'
import { deliverDue, openReceiver, type Receiver, registerEndpoint } from '../../gateway/tests/receiver.ts'
import { runInProcess } from './run-in-process.ts'
import { openShopWithHome, type Shop } from './shop.ts'

/** The minutes between the attempts of a delivery, until it is a dead letter. */
const retryMinutes = [0, 1, 3, 11, 61, 361]

let shop: Shop
const open: Receiver[] = []
beforeAll(async () => {
  shop = await openShopWithHome()
})
afterAll(async () => {
  for (const receiver of open) await receiver.close()
  await shop.close()
})

async function tgw(...argv: readonly string[]) {
  const env = { ...shop.env, HOME: shop.home.folder, TGW_KEYCHAIN: 'off' }
  return runInProcess(argv, { env })
}

async function submitOrder(number: string) {
  const recipient = ['name=Kim Park', 'phone=+61 2 5550 1234', 'address=1 Example Street', 'city=Sydney']
    .concat(['state=NSW', 'postal_code=2000', 'country_code=AU'])
    .flatMap((field) => ['--set', `recipient.${field}`])
  const goods = ['--sku', 'SBX-SHORT-3', '--quantity', '1', '--number', number]
  expect(await tgw('dropship', 'submit', ...recipient, ...goods)).toMatchObject({ code: 0 })
}

async function addReceiver() {
  const receiver = await openReceiver()
  open.push(receiver)
  const { endpoint_id } = await registerEndpoint(shop.house, await signInBuyer(shop.house), receiver.url)
  return { receiver, endpoint_id: String(endpoint_id) }
}

/** Places an order whose event no receiver accepts, until its deliveries are dead letters. */
async function makeDeadLetters(number: string, receivers: readonly Receiver[]) {
  for (const receiver of receivers) receiver.usual = 500
  await submitOrder(number)
  for (const minutes of retryMinutes) {
    shop.house.clock.advance(minutes * 60_000)
    await deliverDue(shop.house)
  }
  for (const receiver of receivers) receiver.usual = 200
}

describe('tgw webhooks replay', () => {
  it('sends again what it can, and says how many deliveries have a deleted endpoint', async () => {
    const kept = await addReceiver()
    // The list has the newest first, so that deliveries to the deleted endpoint come before and after the others.
    const deleted = await addReceiver()
    await makeDeadLetters('DELETED-1', [kept.receiver, deleted.receiver])
    await makeDeadLetters('DELETED-2', [kept.receiver, deleted.receiver])
    expect(await tgw('webhooks', 'remove', deleted.endpoint_id)).toMatchObject({ code: 0 })
    const counted = await tgw('webhooks', 'replay', '--failed', '--dry-run', '--json')
    expect(JSON.parse(counted.out)).toEqual({ count: 2, skipped: 2 })

    const said = (count: number) => `Deliveries skipped, because their endpoint was deleted: ${count}.\n`
    for (const mode of ['--failed', '--all']) {
      const earlier = kept.receiver.received.length
      const replayed = await tgw('webhooks', 'replay', mode)
      expect(replayed, mode).toEqual({ code: 0, out: '2 are sent again.\n', err: said(2) })
      await deliverDue(shop.house)
      const again = kept.receiver.received.slice(earlier).map(({ event }) => event.data.client_order_number)
      expect(again.toSorted(), mode).toEqual(['DELETED-1', 'DELETED-2'])
    }
    const event = kept.receiver.received.at(-1)?.event.event_id
    const one = await tgw('webhooks', 'replay', '--event', event, '--json')
    expect(one).toMatchObject({ code: 0, err: said(1) })
    expect(JSON.parse(one.out)).toMatchObject({ endpoint_id: kept.endpoint_id, event_id: event })
  })
})
