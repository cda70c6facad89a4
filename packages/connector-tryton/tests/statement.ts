/**
 * Books many movements on a customer's account, some dated back, spreads them over months, and proves the statement of
 * three months through the gateway: it is consistent, and its balances are what Tryton's own ledger has. Then staff replace
 * the other customer by this one, which moves old bookings from account to account, and the proof is made again.
 *
 *   node packages/connector-tryton/tests/statement.ts --bookings 1000
 *
 * Starts a sandbox of its own from the committed dump. Exit codes: 0 all is equal, 1 something is not, 64 wrong usage.
 */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { proveStatement } from '../../trials/src/statement/proof.ts'
import { readRecords } from '../../trials/src/statement/records.ts'
import { Seeder } from '../src/tryton/seeder.ts'
import { customers } from '../src/tryton/settings.ts'
import { openAdminSession } from '../src/tryton/trytond.ts'
import { decimal, toDate, toDecimal, toMinor } from '../src/values.ts'
import { findOwnPorts, type OwnSandbox, startOwnSandbox } from './own-sandbox.ts'
import { openThroughGateway, type ThroughGateway } from './through-gateway.ts'

const firstPort = findOwnPorts(20_500)
const maxBookings = 20_000
/** Bookings of one transaction have one stamp. */
const perTransaction = 7
const dayMs = 24 * 60 * 60 * 1_000
/** The bookings are spread over so many days. The statement has the last ones, about a half. */
const spreadDays = 180
const statementDays = 92
const minorUnits = 100

/** Posts bills and payments of odd amounts. Every fifth is dated back to an earlier month, every tenth is another's. */
async function book(seeder: Seeder, count: number): Promise<void> {
  const company = await seeder.findOne('company.company', [])
  const journal = await seeder.findOne('account.journal', [['type', '=', 'cash']])
  const receivable = await seeder.findOne('account.account', [['type.receivable', '=', true]])
  const cash = await seeder.findOne('account.account', [['name', 'ilike', '%cash%']])
  const [own, other] = await Promise.all(
    customers.map(({ code }) => seeder.findOne('party.party', [['code', '=', code]])),
  )
  const periods = new Map<string, number>()
  for (let from = 0; from < count; from += perTransaction) {
    const values = []
    for (let number = from; number < Math.min(count, from + perTransaction); number++) {
      const back = number % 5 === 0 ? 35 + (number % 200) : 0
      const day = new Date(Date.now() - back * dayMs).toISOString().slice(0, 10)
      const period = periods.get(day) ?? (await findPeriod(seeder, day))
      periods.set(day, period)
      const amount = toDecimal(((1 + ((number * 7919) % 99_991)) / 100).toFixed(2))
      const zero = toDecimal('0')
      const [debit, credit] = number % 3 === 0 ? [zero, amount] : [amount, zero]
      const party = number % 10 === 9 ? other : own
      const lines = [
        { account: receivable, party, debit, credit },
        { account: cash, debit: credit, credit: debit },
      ]
      values.push({ company, journal, period, date: toDate(day), lines: [['create', lines]] })
    }
    await seeder.press('account.move', 'post', await seeder.createAll('account.move', values))
  }
}

const findPeriod = (seeder: Seeder, day: string) =>
  seeder.findOne('account.period', [
    ['start_date', '<=', toDate(day)],
    ['end_date', '>=', toDate(day)],
  ])

/** Moves the instants of posting into the past, evenly and in their order, as if the bookings had taken months. */
async function spread({ postgres }: OwnSandbox): Promise<void> {
  await postgres.query(`
    with ranked as (
      select id, coalesce(write_date, create_date) as at,
        dense_rank() over (order by coalesce(write_date, create_date)) as place,
        (select count(distinct coalesce(write_date, create_date)) from account_move) as places
      from account_move)
    update account_move m set write_date = r.moved, create_date = r.moved
    from (select id, at - (places - place) * interval '${spreadDays} days' / places as moved from ranked) r
    where r.id = m.id`)
}

/** What Tryton's ledger says of the first customer: the sum of its receivable lines, posted before an instant. */
async function sumLedger({ postgres }: OwnSandbox, before: string | null): Promise<number> {
  const sum = await postgres.query(`
    select coalesce(sum(l.credit - l.debit), 0) from account_move_line l
    join account_move m on m.id = l.move and m.state = 'posted'
    join account_account a on a.id = l.account join account_account_type t on t.id = a.type and t.receivable
    join party_party p on p.id = l.party and p.code = '${customers[0].code}'
    ${before === null ? '' : `where m.write_date < '${before}'`}`)
  return toMinor(sum, minorUnits)
}

async function readReceivable(seeder: Seeder): Promise<number> {
  const party = await seeder.findOne('party.party', [['code', '=', customers[0].code]])
  const row = z.object({ receivable: decimal })
  const { receivable } = await seeder.readOne('party.party', party, row, ['receivable'])
  return 0 - toMinor(receivable, minorUnits)
}

/** Compares the statement with Tryton's ledger, and prints both. Returns whether they are equal. */
async function compare(sandbox: OwnSandbox, seeder: Seeder, { buyer }: ThroughGateway): Promise<boolean> {
  const now = Date.now()
  const from = new Date(now - statementDays * dayMs).toISOString().slice(0, 10)
  const to = new Date(now).toISOString().slice(0, 10)
  const proof = proveStatement(await readRecords((path) => buyer.read(path), { from, to }))
  const [figures] = proof.currencies
  const { transactions, pages, differences } = proof
  const opening = { statement: figures?.opening, ledger: await sumLedger(sandbox, `${from}T00:00:00`) }
  const closing = { statement: figures?.closing, ledger: await sumLedger(sandbox, null) }
  const receivable = await readReceivable(seeder)
  const found = { transactions, pages, differences, opening, closing, receivable }
  process.stdout.write(`${JSON.stringify(found)}\n`)
  const isEqual = opening.statement === opening.ledger && closing.statement === closing.ledger
  return isEqual && closing.ledger === receivable && differences.length === 0
}

/** Replaces the other customer by the first one. Tryton warns if their names differ. */
async function replaceOther(seeder: Seeder): Promise<void> {
  const [destination, source] = await Promise.all(
    customers.map(({ code }) => seeder.findOne('party.party', [['code', '=', code]])),
  )
  if (source === undefined || destination === undefined) throw new Error('There are not two customers.')
  await seeder.write('party.party', [source, destination], { name: 'One and the same' })
  await seeder.runWizard('party.replace', { model: 'party.party', id: source }, [
    ['ask', () => ({})],
    ['replace', () => ({ ask: { source, destination } })],
  ])
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { bookings: { type: 'string', default: '60' } } })
  const count = Number(values.bookings)
  if (!Number.isInteger(count) || count < 1 || count > maxBookings) {
    process.stderr.write(`--bookings must be a whole number from 1 to ${maxBookings}.\n`)
    return 64
  }
  const sandbox = await startOwnSandbox(firstPort, {
    report: (line) => void process.stdout.write(`… ${line}\n`),
  })
  try {
    const seeder = new Seeder(await openAdminSession(sandbox.settings))
    await book(seeder, count)
    await spread(sandbox)
    const through = await openThroughGateway(sandbox.url, firstPort + 2)
    try {
      const isEqual = await compare(sandbox, seeder, through)
      await replaceOther(seeder)
      return (await compare(sandbox, seeder, through)) && isEqual ? 0 : 1
    } finally {
      await through.stop()
    }
  } finally {
    await sandbox.stop({ forget: true })
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  },
)
