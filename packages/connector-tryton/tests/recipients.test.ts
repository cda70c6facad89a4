import { type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { StepName } from '../src/steps.ts'
import { id, toDecimal } from '../src/values.ts'
import { describeLive, type Live, openLive, readAvailable, stockUp, toSubmit } from './live.ts'

const deliverTo = (
  address: string,
  {
    state = null,
    country_code = 'AU',
  }: { readonly state?: string | null; readonly country_code?: string } = {},
): Input<'submit'>['delivery'] => ({
  to: 'recipient',
  service: 'normal',
  recipient: {
    ...{ name: 'Rae Recipient', phone: '+61 400 000 000', address, country_code },
    ...{ state, city: 'Sydney', postal_code: '2000' },
  },
})

describeLive('An order for a recipient', () => {
  let live: Live
  let sku: string
  /** Runs once after the next such step. */
  let meddle: { readonly after: StepName; readonly run: () => Promise<void> } | undefined

  beforeAll(async () => {
    live = await openLive({
      onStep: async (step) => {
        const run = step === meddle?.after ? meddle.run : undefined
        if (run) meddle = undefined
        await run?.()
      },
    })
    await createItaly()
    sku = await stockUp(live, 0, 20)
  })

  /** Creates what Tryton's own list of countries has of Italy. It stays for the next run. */
  async function createItaly() {
    const { staff } = live
    const [known] = await staff.rpc.search('country.country', [['code', '=', 'IT']])
    if (known !== undefined) return
    const numbers = { code3: 'ITA', code_numeric: '380' }
    const country = await staff.createOne('country.country', { name: 'Italy', code: 'IT', ...numbers })
    const region = { country, name: 'Lombardia', code: 'IT-25', type: 'region' }
    const parent = await staff.createOne('country.subdivision', region)
    const province = { country, parent, name: 'Milano', code: 'IT-MI', type: 'province' }
    await staff.createOne('country.subdivision', province)
  }

  async function limitCredit(amount: string | null) {
    const party = await live.staff.findOne('party.party', [
      ['code', '=', toSubmit(live, sku, 1).customer_code],
    ])
    await live.staff.write('party.party', [party], {
      credit_limit_amount: amount === null ? null : toDecimal(amount),
    })
  }

  async function readAddress(reference: string) {
    const { staff } = live
    const sale = await staff.findOne('sale.sale', [['web_id', '=', reference]])
    const found = z.object({ shipment_address: id })
    const { shipment_address } = await staff.readOne('sale.sale', sale, found, ['shipment_address'])
    const row = z.object({ street: z.string(), 'subdivision.': z.object({ code: z.string() }).nullish() })
    const fields = ['street', 'subdivision.code']
    const address = await staff.readOne('party.address', shipment_address, row, fields)
    return { street: address.street, state: address['subdivision.']?.code }
  }

  it('that was refused goes to the corrected address, with the same reference', async () => {
    const input = toSubmit(live, sku, 2, { order_type: 'dropship', delivery: deliverTo('1 Wrong Street') })
    meddle = { after: 'recipient.create', run: () => limitCredit('0.01') }
    expect(await live.erp.submit(input)).toMatchObject({ rejected: { reason: 'insufficient_balance' } })
    await limitCredit(null)
    unwrap(await live.erp.submit({ ...input, delivery: deliverTo('2 Right Street') }))
    expect(await readAddress(input.reference)).toEqual({ street: '2 Right Street', state: undefined })
    unwrap(await live.erp.void({ reference: input.reference }))
  })

  it.each([
    ['AU', 'nsw', { street: '1 Quay Street', state: 'AU-NSW' }],
    ['IT', 'MI', { street: '1 Quay Street', state: 'IT-MI' }],
    ['IT', 'Lombardia', { street: '1 Quay Street\nLombardia', state: undefined }],
  ])('in %s has the state %s as Tryton takes it', async (country_code, state, address) => {
    const delivery = deliverTo('1 Quay Street', { country_code, state })
    const input = toSubmit(live, sku, 1, { order_type: 'dropship', delivery })
    unwrap(await live.erp.submit(input))
    expect(await readAddress(input.reference)).toEqual(address)
    unwrap(await live.erp.void({ reference: input.reference }))
  })

  it('that Tryton does not create is refused, and leaves nothing', async () => {
    const { staff } = live
    const template = await staff.findOne('product.template', [['products.code', '=', sku]])
    const setSalable = (salable: boolean) => staff.write('product.template', [template], { salable })
    const before = await readAvailable(live, sku)
    const input = toSubmit(live, sku, 2, { order_type: 'dropship', delivery: deliverTo('1 Quay Street') })
    meddle = { after: 'recipient.create', run: () => setSalable(false) }
    const result = await live.erp.submit(input).finally(() => setSalable(true))
    expect(result).toMatchObject({ rejected: { reason: 'invalid_field' } })
    expect(await readAvailable(live, sku)).toBe(before)
    expect(unwrap(await live.erp.lookup({ reference: input.reference })).state).toBe('absent')
    unwrap(await live.erp.submit(input))
    unwrap(await live.erp.void({ reference: input.reference }))
  })

  it('that is created meanwhile is not refused: its outcome is unknown', async () => {
    const input = toSubmit(live, sku, 2, { order_type: 'dropship', delivery: deliverTo('1 Quay Street') })
    const run = async () => {
      const { company, companyParty: party, currencyId: currency } = live.connector.places
      await live.staff.createOne('sale.sale', { company, party, currency, web_id: input.reference })
    }
    meddle = { after: 'recipient.create', run }
    await expect(live.erp.submit(input)).rejects.toMatchObject({ kind: 'refused' })
    expect(unwrap(await live.erp.settle({ reference: input.reference })).state).toBe('absent')
  })
})
