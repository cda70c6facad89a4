import { unwrap } from '@trade-gateway/connector'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createFiscalYear } from '../src/tryton/seed-company.ts'
import type { Seeder } from '../src/tryton/seeder.ts'
import { customers } from '../src/tryton/settings.ts'
import { id, ids, toDate, toDecimal } from '../src/values.ts'
import { describeLive, openLive } from './live.ts'

/** A fiscal year before that of the sandbox. It stays for the next run. */
const formerYear = { name: 'Former', firstDay: '2019-01-01', lastDay: '2019-12-31' }
const formerDay = '2019-06-03'

/** Makes the next booking and the next bill of the former year have the numbers that those of the sandbox's year get. */
async function alignNumbers(staff: Seeder): Promise<void> {
  const company = await staff.findOne('company.company', [])
  const [known] = await staff.rpc.search('account.fiscalyear', [['name', '=', formerYear.name]])
  const former = await readSequences(staff, known ?? (await createFiscalYear(staff, company, formerYear)))
  const present = await readSequences(
    staff,
    await staff.findOne('account.fiscalyear', [['name', '=', 'Sandbox']]),
  )
  const row = z.object({ number_next: z.int() })
  for (const [model, from, to] of [
    ['ir.sequence', present.moves, former.moves],
    ['ir.sequence.strict', present.bills, former.bills],
  ] as const)
    await staff.write(model, [to], await staff.readOne(model, from, row, ['number_next']))
}

async function readSequences(staff: Seeder, year: number) {
  const yearRow = z.object({ post_move_sequence: id, invoice_sequences: ids })
  const fields = ['post_move_sequence', 'invoice_sequences']
  const { post_move_sequence, invoice_sequences } = await staff.readOne(
    'account.fiscalyear',
    year,
    yearRow,
    fields,
  )
  const { out_invoice_sequence } = await staff.readOne(
    'account.fiscalyear.invoice_sequence',
    id.parse(invoice_sequences[0]),
    z.object({ out_invoice_sequence: id }),
    ['out_invoice_sequence'],
  )
  return { moves: post_move_sequence, bills: out_invoice_sequence }
}

/** Posts a bill of the first customer; without a day, of today. Returns its numbers. */
async function postBill(staff: Seeder, amount: string, day?: string) {
  const party = await staff.findOne('party.party', [['code', '=', customers[0].code]])
  const revenue = await staff.findOne('account.account', [['type.revenue', '=', true]])
  const line = { type: 'line', account: revenue, description: 'Fee', quantity: 1 }
  const bill = await staff.createOne('account.invoice', {
    ...{ type: 'out', party, company: await staff.findOne('company.company', []) },
    ...(day === undefined ? {} : { invoice_date: toDate(day) }),
    invoice_address: await staff.findOne('party.address', [
      ['party', '=', party],
      ['invoice', '=', true],
    ]),
    currency: await staff.findOne('currency.currency', [['code', '=', 'AUD']]),
    account: await staff.findOne('account.account', [['type.receivable', '=', true]]),
    journal: await staff.findOne('account.journal', [['type', '=', 'revenue']]),
    lines: [['create', [{ ...line, unit_price: toDecimal(amount) }]]],
  })
  await staff.press('account.invoice', 'post', [bill])
  const row = z.object({ number: z.string(), 'move.': z.object({ post_number: z.string() }) })
  return staff.readOne('account.invoice', bill, row, ['number', 'move.post_number'])
}

describeLive('Two fiscal years that number alike', () => {
  it('have one number for two bills and two bookings, which the statement tells apart', async () => {
    const { erp, staff } = await openLive()
    await alignNumbers(staff)
    const numbers = await postBill(staff, '30.00', formerDay)
    expect(await postBill(staff, '40.00')).toMatchObject({
      number: numbers.number,
      'move.': { post_number: numbers['move.'].post_number },
    })
    const account = { customer_code: customers[0].code, currency: null }
    const list = { ...account, from: '2026-01-01T00:00:00.000Z', to: null, after: null, skip: 0, limit: 200 }
    const { transactions } = unwrap(await erp.transactions(list))
    expect(new Set(transactions.map(({ number }) => number)).size).toBe(transactions.length)
    const { bills } = unwrap(await erp.bills({ ...list, status: null }))
    const own = bills.filter(({ printed_number }) => printed_number === numbers.number)
    const sums = own.map(({ number }) =>
      transactions
        .filter(({ bill_number }) => bill_number === number)
        .reduce((sum, { amount }) => sum - amount, 0),
    )
    expect(own.map(({ amount_total }) => amount_total)).toEqual([4_000, 3_000])
    expect(sums).toEqual([4_000, 3_000])
  })
})
