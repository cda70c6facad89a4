import { type Input, unwrap } from '@trade-gateway/connector'
import { beforeAll, expect, it } from 'vitest'
import type { StepName } from '../src/steps.ts'
import { Cut, openCut, submitSteps } from './cut.ts'
import { countSales, describeLive, readAvailable, stockUp, toSubmit } from './live.ts'

const quantity = 2
const steps: StepName[] = [...submitSteps.slice(0, 2), 'recipient.create', ...submitSteps.slice(2)]
const delivery: Input<'submit'>['delivery'] = {
  to: 'recipient',
  service: 'normal',
  recipient: {
    ...{ name: 'Rae Recipient', phone: '+61 400 000 000', address: '1 Quay Street', country_code: 'AU' },
    ...{ state: null, city: 'Sydney', postal_code: '2000' },
  },
}

describeLive('Orders for a recipient that are cut off after any step', () => {
  let cut: Awaited<ReturnType<typeof openCut>>
  let sku: string

  beforeAll(async () => {
    cut = await openCut()
    sku = await stockUp(cut.live, 34, 90)
  })

  /** Submits an order that is cut off after a step. */
  async function submitCut(step: StepName): Promise<Input<'submit'>> {
    const input = toSubmit(cut.live, sku, quantity, { order_type: 'dropship', delivery })
    cut.cutAfter(step)
    await expect(cut.live.erp.submit(input)).rejects.toThrow(Cut)
    cut.cutAfter(undefined)
    return input
  }

  const countParties = ({ reference }: Input<'submit'>) =>
    cut.live.staff.rpc
      .search('party.party', [['code', 'like', `TG-${reference}-%`]])
      .then(({ length }) => length)

  it.each(steps)('are continued by a repeated submit after %s: one order, one recipient', async (step) => {
    const { live } = cut
    const before = await readAvailable(live, sku)
    const input = await submitCut(step)
    const { document } = unwrap(await live.erp.submit(input))
    expect(document).toMatchObject({ order_type: 'dropship', status: 'open' })
    expect(await countSales(live, input.reference)).toBe(1)
    expect(await countParties(input)).toBe(1)
    expect(await readAvailable(live, sku)).toBe(before - quantity)
    unwrap(await live.erp.void({ reference: input.reference }))
    expect(await readAvailable(live, sku)).toBe(before)
  })

  it.each(steps)('are finished or taken back by settle after %s', async (step) => {
    const { live } = cut
    const before = await readAvailable(live, sku)
    const { reference } = await submitCut(step)
    const isConfirmed = steps.indexOf(step) >= steps.indexOf('sale.confirm')
    const settled = unwrap(await live.erp.settle({ reference }))
    expect(settled.state).toBe(isConfirmed ? 'found' : 'absent')
    expect(unwrap(await live.erp.lookup({ reference }))).toEqual(
      isConfirmed ? settled : { ...settled, fenced: true },
    )
    expect(await readAvailable(live, sku)).toBe(isConfirmed ? before - quantity : before)
    if (isConfirmed) unwrap(await live.erp.void({ reference }))
    expect(await readAvailable(live, sku)).toBe(before)
  })
})
