import { type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { id, toDecimal } from '../src/values.ts'
import { describeLive, type Live, openLive, stockUp, toSubmit } from './live.ts'

const deliverTo = (address: string): Input<'submit'>['delivery'] => ({
  to: 'recipient',
  service: 'normal',
  recipient: {
    ...{ name: 'Rae Recipient', phone: '+61 400 000 000', address, country_code: 'AU' },
    ...{ state: null, city: 'Sydney', postal_code: '2000' },
  },
})

describeLive('An order for a recipient', () => {
  let live: Live
  let sku: string
  /** Runs once after the next recipient was created. */
  let meddle: (() => Promise<void>) | undefined

  beforeAll(async () => {
    live = await openLive({
      onStep: async (step) => {
        const run = step === 'recipient.create' ? meddle : undefined
        if (run) meddle = undefined
        await run?.()
      },
    })
    sku = await stockUp(live, 0, 20)
  })

  async function limitCredit(amount: string | null) {
    const party = await live.staff.findOne('party.party', [
      ['code', '=', toSubmit(live, sku, 1).customer_code],
    ])
    await live.staff.write('party.party', [party], {
      credit_limit_amount: amount === null ? null : toDecimal(amount),
    })
  }

  async function readStreet(reference: string) {
    const { staff } = live
    const sale = await staff.findOne('sale.sale', [['web_id', '=', reference]])
    const found = z.object({ shipment_address: id })
    const { shipment_address } = await staff.readOne('sale.sale', sale, found, ['shipment_address'])
    const row = z.object({ street: z.string() })
    return (await staff.readOne('party.address', shipment_address, row, ['street'])).street
  }

  it('that was refused goes to the corrected address, with the same reference', async () => {
    const input = toSubmit(live, sku, 2, { order_type: 'dropship', delivery: deliverTo('1 Wrong Street') })
    meddle = () => limitCredit('0.01')
    expect(await live.erp.submit(input)).toMatchObject({ rejected: { reason: 'insufficient_balance' } })
    await limitCredit(null)
    unwrap(await live.erp.submit({ ...input, delivery: deliverTo('2 Right Street') }))
    expect(await readStreet(input.reference)).toBe('2 Right Street')
    unwrap(await live.erp.void({ reference: input.reference }))
  })
})
