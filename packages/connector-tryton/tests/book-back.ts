import type { Seeder } from '../src/tryton/seeder.ts'
import { customers } from '../src/tryton/settings.ts'
import { toDate, toDecimal } from '../src/values.ts'

/** Posts a payment of the first customer, dated back to a day of the past. */
export async function bookBack(staff: Seeder, day: string, amount: string): Promise<void> {
  await staff.press('account.move', 'post', [await draftPayment(staff, day, amount)])
}

/** Creates the same payment as a draft. Returns the id of its move. */
export async function draftPayment(staff: Seeder, day: string, amount: string): Promise<number> {
  const company = await staff.findOne('company.company', [])
  const party = await staff.findOne('party.party', [['code', '=', customers[0].code]])
  const journal = await staff.findOne('account.journal', [['type', '=', 'cash']])
  const receivable = await staff.findOne('account.account', [['type.receivable', '=', true]])
  const cash = await staff.findOne('account.account', [['name', 'ilike', '%cash%']])
  const date = toDate(day)
  const period = await staff.findOne('account.period', [
    ['start_date', '<=', date],
    ['end_date', '>=', date],
  ])
  const line = { debit: toDecimal('0'), credit: toDecimal('0') }
  const lines = [
    { ...line, account: receivable, party, credit: toDecimal(amount) },
    { ...line, account: cash, debit: toDecimal(amount) },
  ]
  const values = { company, journal, period, date, lines: [['create', lines]] }
  return staff.createOne('account.move', values)
}
