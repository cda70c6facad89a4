/**
 * Places orders while the connector and trytond are killed after every named step, sessions are deleted, responses cut,
 * and trytond and PostgreSQL frozen or restarted. Compares Tryton's books with what the callers were told: nothing
 * oversold, duplicated or lost, no refusal for another reason than the stock, and nothing in doubt a minute later.
 *
 *   node packages/connector-tryton/tests/kills.ts --orders 300
 *
 * Starts a sandbox of its own from the committed dump. Exit codes: 0 all held, 1 something did not, 64 wrong usage.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type Erp,
  type ErpDocument,
  type Input,
  UnknownOutcome,
  unwrap,
  withTimeout,
} from '@trade-gateway/connector'
import { z } from 'zod'
import { stepNames } from '../src/steps.ts'
import { Seeder } from '../src/tryton/seeder.ts'
import { customerPassword, customers } from '../src/tryton/settings.ts'
import { openAdminSession } from '../src/tryton/trytond.ts'
import { blows } from './blows.ts'
import { findOwnPorts, type OwnSandbox, startOwnSandbox } from './own-sandbox.ts'
import { openProxy, type RecordingProxy } from './proxy.ts'
import { Victim } from './victim.ts'

const firstPort = findOwnPorts(14_000)
const warehouse_code = 'AUSYD2'
const skus = ['ST0008-S', 'ST0015-S', 'ST0022-S'] as const
const maxOrders = 5_000
const callMs = 60_000
const settleMs = 60_000
const maxSignIns = 240
/** One of so many kills is of trytond instead of the connector. */
const trytondEvery = 4
/** One of so many orders meets a blow instead of a kill. */
const blowEvery = 5
/** Steps that an order without a hold and without a recipient does not take, or only after a blow. */
const otherSteps = /^(?:hold|void|recipient)\.|^sale\.draft$|^shipment\.locate$/

interface Told {
  readonly reference: string
  readonly sku: string
  readonly quantity: number
  state: 'ok' | 'refused' | 'unknown'
  /** What happened while it was placed. */
  happened: string
  /** Why Tryton refused it, if the response said so. */
  reason?: string
}

interface Trial {
  readonly sandbox: OwnSandbox
  readonly proxy: RecordingProxy
  readonly victim: Victim
}

async function signIn(erp: Erp): Promise<string> {
  const credentials = { username: customers[0].username, password: customerPassword }
  for (let tries = 1; ; tries++) {
    try {
      return unwrap(await erp.sign_in(credentials, withTimeout(callMs))).session
    } catch (error) {
      if (!(error instanceof UnknownOutcome) || tries >= maxSignIns) throw error
      await pause(1_000)
    }
  }
}

function createSubmit(session: string, order: Told): Input<'submit'> {
  return {
    reference: order.reference,
    ...{ order_type: 'wholesale', customer_code: customers[0].code, session, payment_method: 'invoice' },
    lines: [{ sku: order.sku, quantity: order.quantity }],
    warehouse_codes: [warehouse_code],
    delivery: { to: 'address', shipping_method_id: 'FRT-NORMAL', address_id: null },
    ...{ hold_reference: null, allow_partial: false, expected_total: null, max_total: null },
    ...{ client_order_number: null, remark: null },
  }
}

/** Settles what a caller does not know, as the gateway does. Returns whether it is known in time. */
async function settle(erp: Erp, order: Told): Promise<boolean> {
  const until = Date.now() + settleMs
  while (Date.now() < until) {
    try {
      const { state } = unwrap(await erp.settle({ reference: order.reference }, withTimeout(callMs)))
      order.state = state === 'found' ? 'ok' : 'refused'
      return true
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error
      await pause(500)
    }
  }
  return false
}

/** Counts the stock of the SKUs anew, so that some orders find too little. */
async function countStock(seeder: Seeder, quantity: number): Promise<void> {
  const location = await seeder.findOne('stock.location', [['code', '=', `${warehouse_code}-STORAGE`]])
  const company = await seeder.findOne('company.company', [])
  const lines = []
  for (const code of skus)
    lines.push({ product: await seeder.findOne('product.product', [['code', '=', code]]), quantity })
  const values = { location, company, empty_quantity: 'keep', lines: [['create', lines]] }
  await seeder.press('stock.inventory', 'confirm', [await seeder.createOne('stock.inventory', values)])
}

async function readAvailable(erp: Erp): Promise<Map<string, number>> {
  const input = { warehouse_code, skus: [...skus] }
  const { rows } = unwrap(await erp['stock.read'](input, withTimeout(callMs)))
  return new Map(rows.map((row) => [row.sku, row.quantity_available]))
}

async function placeOrders(trial: Trial, count: number): Promise<Told[]> {
  const { erp } = trial.victim.client
  const orders: Told[] = []
  let session = await signIn(erp)
  for (let number = 0; number < count; number++) {
    const order: Told = {
      reference: `kill-${Date.now().toString(36)}-${number}`,
      sku: skus[number % skus.length] ?? skus[0],
      quantity: 1 + (number % 3),
      ...{ state: 'unknown', happened: 'nothing' },
    }
    orders.push(order)
    const submit = () => erp.submit(createSubmit(session, order), withTimeout(callMs))
    try {
      const result = await submitAmid(trial, { number, order, submit })
      order.state = 'ok' in result ? 'ok' : 'refused'
      if ('rejected' in result) order.reason = result.rejected.reason
      if (order.reason === 'session_expired') session = await signIn(erp)
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error
    }
    trial.victim.arm(undefined)
    const isKnown = order.state !== 'unknown'
    if (!isKnown) await settle(erp, order)
    const known = isKnown ? '' : ', settled'
    process.stdout.write(
      `${order.reference} ${order.sku} ${order.quantity}: ${order.state}${known}, ${order.happened}\n`,
    )
  }
  return orders
}

interface Attempt {
  readonly number: number
  readonly order: Told
  readonly submit: () => ReturnType<Erp['submit']>
}

/** Submits an order while something is killed after a step, or while a blow happens. */
async function submitAmid(trial: Trial, { number, order, submit }: Attempt): ReturnType<Erp['submit']> {
  const { sandbox, victim } = trial
  const names = Object.keys(blows)
  const name = names[Math.floor(number / blowEvery) % names.length] ?? ''
  const blow = number % blowEvery === blowEvery - 1 ? blows[name] : undefined
  if (blow) {
    order.happened = name
    return blow(trial, order.reference, submit)
  }
  const steps = stepNames.filter((step) => !otherSteps.test(step))
  const step = steps[Math.floor(number / 2) % steps.length]
  const isTrytond = number % trytondEvery === trytondEvery - 1
  const killTrytond = async () => {
    await sandbox.trytond.stop('SIGKILL')
    await sandbox.trytond.start()
  }
  order.happened = `${isTrytond ? 'trytond' : 'connector'} killed after ${step}`
  victim.arm(step, isTrytond ? killTrytond : undefined)
  return submit()
}

/** Compares Tryton's own books with what the callers were told. */
async function reconcile(
  seeder: Seeder,
  victim: Victim,
  orders: readonly Told[],
  before: Map<string, number>,
) {
  const row = z.object({ web_id: z.string(), state: z.string() })
  const references = orders.map(({ reference }) => reference)
  const sales = await seeder.rpc.searchRead('sale.sale', [['web_id', 'in', references]], row, {
    fields: ['web_id', 'state'],
  })
  const placed = sales.filter(({ state }) => state !== 'cancelled').map(({ web_id }) => web_id)
  const told = new Set(orders.filter(({ state }) => state === 'ok').map(({ reference }) => reference))
  const after = await readAvailable(victim.client.erp)
  const sold = (sku: string) =>
    orders
      .filter((order) => order.sku === sku && told.has(order.reference))
      .reduce((sum, order) => sum + order.quantity, 0)
  const expected = (sku: string) => (before.get(sku) ?? 0) - sold(sku)
  const wrong = skus.filter((sku) => expected(sku) !== after.get(sku))
  for (const sku of wrong)
    process.stdout.write(`${sku}: ${after.get(sku)} available instead of ${expected(sku)}\n`)
  const documents: ErpDocument[] = []
  for (const reference of told) {
    const read = await victim.client.erp['documents.read']({ references: [reference] }, withTimeout(callMs))
    documents.push(...unwrap(read).documents)
  }
  const short = documents.filter(({ lines }) =>
    lines.some((line) => line.quantity_allocated !== line.quantity),
  )
  return {
    orders: orders.length,
    placed: told.size,
    oversold: [...after.values()].filter((quantity) => quantity < 0).length + short.length,
    duplicated: placed.length - new Set(placed).size,
    lost: [...told].filter((reference) => !placed.includes(reference)).length,
    unknown_to_callers: placed.filter((reference) => !told.has(reference)).length,
    in_doubt: orders.filter(({ state }) => state === 'unknown').length,
    refused_for_another_reason: orders.filter(({ reason }) => reason && reason !== 'insufficient_stock')
      .length,
    skus_with_wrong_stock: wrong.length,
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { orders: { type: 'string', default: '15' } } })
  const count = Number(values.orders)
  if (!Number.isInteger(count) || count < 1 || count > maxOrders) {
    process.stderr.write(`--orders must be a whole number from 1 to ${maxOrders}.\n`)
    return 64
  }
  const report = (line: string) => void process.stdout.write(`… ${line}\n`)
  const sandbox = await startOwnSandbox(firstPort, { report })
  const proxy = await openProxy(sandbox.url)
  let victim: Victim | undefined
  try {
    const seeder = new Seeder(await openAdminSession(sandbox.settings))
    await countStock(seeder, Math.ceil(count * 0.6))
    victim = new Victim({ trytonUrl: proxy.url, port: firstPort + 2 })
    await signIn(victim.client.erp)
    const before = await readAvailable(victim.client.erp)
    const orders = await placeOrders({ sandbox, proxy, victim }, count)
    const { orders: all, placed, ...faults } = await reconcile(seeder, victim, orders, before)
    process.stdout.write(`${JSON.stringify({ orders: all, placed, ...faults })}\n`)
    return Object.values(faults).every((number) => number === 0) ? 0 : 1
  } finally {
    await victim?.end()
    await proxy.close()
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
