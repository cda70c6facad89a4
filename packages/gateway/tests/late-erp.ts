/**
 * An ERP for tests of settlement: it receives a write only when the test delivers it, and the test sets the result of
 * each look-up.
 */

import { type Capabilities, type Erp, type Output, UnknownOutcome } from '@trade-gateway/connector'
import { type CallResult, openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, createDraft, createOrderNumber, expectError, openShop } from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }

export type Found = Output<'lookup'>['state']

/** An ERP whose writes get no response while `isLate` is set. Counts the requests that were sent and the look-ups. */
export class LateErp {
  /** The requests in transit. Calling one delivers it to the ERP. */
  readonly underWay: (() => Promise<unknown>)[] = []
  /** The results of the next look-ups. When none is left, a look-up returns the ERP's real state. */
  readonly scripted: Found[] = []
  isLate = false
  lookups = 0
  settles = 0
  /** What the next calls of `settle` do instead of reaching the ERP. */
  readonly settleFailures: (() => never)[] = []
  sends = 0

  wrap(erp: Erp): Erp {
    const sendUnlessLate = <T>(send: () => Promise<T>): Promise<T> => {
      this.sends += 1
      if (!this.isLate) return send()
      this.underWay.push(send)
      throw new UnknownOutcome('timeout', 'Nothing came back.')
    }
    return {
      ...erp,
      submit: async (input, options) => sendUnlessLate(() => erp.submit(input, options)),
      hold: async (input, options) => sendUnlessLate(() => erp.hold(input, options)),
      void: async (input, options) => sendUnlessLate(() => erp.void(input, options)),
      lookup: async (input, options) => {
        this.lookups += 1
        const state = this.scripted.shift()
        return state === undefined ? erp.lookup(input, options) : { ok: { state, document: null } }
      },
      settle: async (input, options) => {
        this.settles += 1
        this.settleFailures.shift()?.()
        return erp.settle(input, options)
      },
    }
  }

  async deliver() {
    for (const send of this.underWay.splice(0)) await send()
  }

  /** Runs `work` while no request reaches the ERP. */
  async whileLate<T>(work: () => Promise<T>): Promise<T> {
    this.isLate = true
    return work().finally(() => {
      this.isLate = false
    })
  }
}

export interface Site {
  readonly house: TestGateway
  readonly shop: Buyer
  readonly erp: LateErp
}

/** Opens a gateway whose ERP has these capabilities and loses writes on request. */
export async function openSite(capabilities: Partial<Capabilities>): Promise<Site> {
  const erp = new LateErp()
  const house = await openTestGateway({
    styles: 30,
    journey: never,
    capabilities,
    wrapErp: (inner) => erp.wrap(inner),
  })
  return { house, shop: openShop(house), erp }
}

/** A submit that had an idempotency key and got no response. */
export interface Lost {
  readonly path: string
  readonly number: string
  /** Sends the same request again, with its own key or with another one. */
  sendAgain(key?: string): Promise<CallResult>
}

type Lose = (site: Site) => Promise<Lost>

export const lostSubmits: readonly (readonly [string, Lose])[] = [
  [
    'wholesale order',
    async ({ shop, erp }) => {
      const number = createOrderNumber()
      const { order_id } = await createDraft(shop, await shop.createSku(), 2, { client_order_number: number })
      const sendAgain = (key = `key of ${number}`) =>
        shop.post(`/orders/${order_id}/submit`, {}, { 'idempotency-key': key.replaceAll(' ', '-') })
      await expectLost(erp, sendAgain)
      return { path: `/orders/${order_id}`, number, sendAgain }
    },
  ],
  [
    'drop-ship order',
    async ({ shop, erp }) => {
      const body = buildDropship(await shop.createSku())
      const number = body.client_order_number
      const sendAgain = (key = `key of ${number}`) =>
        shop.post('/dropship-orders/submit', body, { 'idempotency-key': key.replaceAll(' ', '-') })
      await expectLost(erp, sendAgain)
      const { json } = await shop.get(`/dropship-orders?client_order_number=${number}`)
      return { path: `/dropship-orders/${json.data[0].dropship_order_id}`, number, sendAgain }
    },
  ],
]

/** Sends a submit that reaches the ERP only when the test delivers it. */
export async function expectLost(erp: LateErp, submit: () => Promise<CallResult>) {
  expectError(await erp.whileLate(submit), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
}
