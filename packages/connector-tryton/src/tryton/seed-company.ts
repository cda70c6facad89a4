/** The company of the sandbox: its accounts, its fiscal year and its taxes. */
import { z } from 'zod'
import { toDate, toDecimal } from '../values.ts'
import type { Seeder } from './seeder.ts'

/** Long before and after any run, so that the seed does not depend on the day. */
const onlyYear = { name: 'Sandbox', firstDay: '2020-01-01', lastDay: '2049-12-31' }
const monthsPerPeriod = 12

export interface Company {
  readonly id: number
  readonly currency: number
  readonly countries: { readonly AU: number; readonly CN: number }
  readonly subdivisions: { readonly AU: number; readonly CN: number }
  readonly revenue: number
  readonly expense: number
  readonly tax: number
  readonly paymentTerm: number
}

export async function seedCompany(seeder: Seeder): Promise<Company> {
  const currency = await seeder.createOne('currency.currency', {
    ...{ name: 'Australian dollar', code: 'AUD', symbol: 'A$', numeric_code: '036', digits: 2 },
    rounding: toDecimal('0.01'),
    rates: [['create', [{ date: toDate(onlyYear.firstDay), rate: toDecimal('1') }]]],
  })
  const countries = {
    AU: await seeder.createOne('country.country', {
      name: 'Australia',
      code: 'AU',
      code3: 'AUS',
      code_numeric: '036',
    }),
    CN: await seeder.createOne('country.country', {
      name: 'China',
      code: 'CN',
      code3: 'CHN',
      code_numeric: '156',
    }),
  }
  const createState = (country: number, name: string, code: string, type: string) =>
    seeder.createOne('country.subdivision', { country, name, code, type })
  const subdivisions = {
    AU: await createState(countries.AU, 'New South Wales', 'AU-NSW', 'state'),
    CN: await createState(countries.CN, 'Zhejiang', 'CN-ZJ', 'province'),
  }
  const party = await seeder.createOne('party.party', { name: 'Trade Co Pty Ltd' })
  const id = await seeder.createOne('company.company', { party, currency, timezone: 'Australia/Sydney' })
  const user = await seeder.findOne('res.user', [['login', '=', 'admin']])
  await seeder.write('res.user', [user], { companies: [['add', [id]]], company: id })
  const preferences = z.object({ company: z.int(), language: z.string() })
  seeder.rpc.setContext(await seeder.rpc.call('model.res.user.get_preferences', [true], preferences))
  await createChart(seeder, id)
  await createFiscalYear(seeder, id, onlyYear)
  return { id, currency, countries, subdivisions, ...(await createTerms(seeder, id)) }
}

const findAccount = (seeder: Seeder, company: number, clause: readonly unknown[]) =>
  seeder.findOne('account.account', [clause, ['company', '=', company]])

/** Copies Tryton's basic chart of accounts and sets the customers' and suppliers' accounts. */
async function createChart(seeder: Seeder, company: number): Promise<void> {
  const account_template = await seeder.findOne('account.account.template', [['parent', '=', null]])
  await seeder.runWizard('account.create_chart', undefined, [
    ['account', () => ({})],
    ['create_account', () => ({ account: { company, account_template } })],
  ])
  const account_receivable = await findAccount(seeder, company, ['type.receivable', '=', true])
  const account_payable = await findAccount(seeder, company, ['type.payable', '=', true])
  await seeder.runWizard('account.create_chart', undefined, [
    ['create_properties', () => ({ properties: { company, account_receivable, account_payable } })],
  ])
}

/** Creates a fiscal year, whose moves and invoices are numbered from one. */
export async function createFiscalYear(
  seeder: Seeder,
  company: number,
  { name, firstDay, lastDay }: typeof onlyYear,
): Promise<number> {
  const createSequence = async (name: string, type: [string, string], more: object = {}) =>
    seeder.createOne(more === strict ? 'ir.sequence.strict' : 'ir.sequence', {
      ...{ name, company, sequence_type: await seeder.findModuleRecord(...type) },
      ...(more === strict ? { prefix: invoicePrefixes[name] ?? '', padding: 5 } : {}),
    })
  const strict = {}
  const post_move_sequence = await createSequence('Moves', ['account', 'sequence_type_account_move'])
  const sequences: Record<string, number> = {}
  for (const kind of Object.keys(invoicePrefixes)) {
    const type: [string, string] = ['account_invoice', 'sequence_type_account_invoice']
    sequences[`${kind}_sequence`] = await createSequence(kind, type, strict)
  }
  const year = await seeder.createOne('account.fiscalyear', {
    ...{ name, company, post_move_sequence },
    start_date: toDate(firstDay),
    end_date: toDate(lastDay),
    invoice_sequences: [['create', [{ company, ...sequences }]]],
  })
  await seeder.rpc.call('model.account.fiscalyear.create_period', [[year], monthsPerPeriod, 31], z.unknown())
  return year
}

const invoicePrefixes: Readonly<Record<string, string>> = {
  out_invoice: 'INV',
  out_credit_note: 'CN',
  in_invoice: 'SI',
  in_credit_note: 'SCN',
}

async function createTerms(seeder: Seeder, company: number) {
  const taxAccount = await findAccount(seeder, company, ['name', 'ilike', '%tax%'])
  const tax = await seeder.createOne('account.tax', {
    ...{ name: 'GST 10%', description: 'GST 10%', type: 'percentage', company },
    ...{ rate: toDecimal('0.10'), invoice_account: taxAccount, credit_note_account: taxAccount },
  })
  const paymentTerm = await seeder.createOne('account.invoice.payment_term', {
    name: '30 days',
    lines: [['create', [{ type: 'remainder', relativedeltas: [['create', [{ days: 30 }]]] }]]],
  })
  const cash = await findAccount(seeder, company, ['name', 'ilike', '%cash%'])
  const journal = await seeder.findOne('account.journal', [['type', '=', 'cash']])
  await seeder.createOne('account.invoice.payment.method', {
    ...{ name: 'Bank', company, journal, credit_account: cash, debit_account: cash },
  })
  const revenue = await findAccount(seeder, company, ['type.revenue', '=', true])
  const expense = await findAccount(seeder, company, ['type.expense', '=', true])
  return { revenue, expense, tax, paymentTerm }
}
