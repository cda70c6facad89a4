/**
 * Places orders while the connector and trytond are killed after every named step, and compares Tryton's books with what
 * the callers were told: nothing oversold, duplicated or lost, and nothing in doubt a minute later.
 *
 *   node packages/connector-tryton/tests/kills.ts --orders 300
 *
 * Starts a sandbox of its own from the committed dump. Exit codes: 0 all held, 1 something did not, 64 wrong usage.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type Erp,
  type ErpDocument,
  erpClient,
  type Input,
  UnknownOutcome,
  unwrap,
  withTimeout,
} from '@trade-gateway/connector'
import { z } from 'zod'
import { type StepName, stepNames } from '../src/steps.ts'
import { bookHistory, type Sandbox, startSandbox } from '../src/tryton/sandbox.ts'
import { Seeder } from '../src/tryton/seeder.ts'
import {
  committedDump,
  connectorUser,
  customerPassword,
  customers,
  databaseName,
  type SandboxSettings,
  toUrl,
} from '../src/tryton/settings.ts'
import { openAdminSession } from '../src/tryton/trytond.ts'

const token = 'token-of-the-kills'
/** Ports of this process alone, below those that the system gives to clients. */
const firstPort = 14_000 + (process.pid % 1_900) * 3
const connectorPort = firstPort + 2
const warehouse_code = 'AUSYD2'
const skus = ['ST0008-S', 'ST0015-S', 'ST0022-S'] as const
const maxOrders = 5_000
const callMs = 60_000
const settleMs = 60_000
const maxSignIns = 60
/** One of so many kills is of trytond instead of the connector. */
const trytondEvery = 4

interface Told {
  readonly reference: string
  readonly sku: string
  readonly quantity: number
  state: 'ok' | 'refused' | 'unknown'
}

/** The connector as a process, which is killed after a step and started again. */
class Victim {
  readonly #settings: SandboxSettings
  #step: StepName | undefined
  #onStep: ((step: StepName) => Promise<void>) | undefined
  #child: ChildProcess
  #isOver = false
  readonly client = erpClient(`http://127.0.0.1:${connectorPort}`, token)

  constructor(settings: SandboxSettings) {
    this.#settings = settings
    this.#child = this.#start()
  }

  /** Kills after the next time that a step was taken: the connector by itself, or what `kill` kills. */
  arm(step: StepName | undefined, kill?: () => Promise<void>): void {
    this.#step = step
    this.#onStep = kill
    this.#tell(this.#child)
  }

  /** A process that was just killed gets no message; the next one gets it when it starts. */
  #tell(child: ChildProcess): void {
    if (child.connected) child.send({ step: this.#step, isOwn: this.#onStep === undefined }, () => undefined)
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#child.kill('SIGKILL')
    await this.client.close()
  }

  #start(): ChildProcess {
    const env = {
      ...process.env,
      TRYTON_URL: toUrl(this.#settings),
      TRYTON_DATABASE: databaseName,
      TRYTON_USER: connectorUser.user,
      TRYTON_PASSWORD: connectorUser.password,
      TRYTON_CONFIG: join(import.meta.dirname, '../sandbox.json'),
      UPSTREAM_TOKEN: token,
    }
    const file = join(import.meta.dirname, 'kill-victim.ts')
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
    const child = spawn(process.execPath, [file, String(connectorPort)], { env, stdio: [...stdio] })
    child.on('message', (message) => {
      const { taken } = z.object({ taken: z.string() }).parse(message)
      const step = stepNames.find((name) => name === taken)
      if (step) void this.#onStep?.(step)
    })
    child.on('error', () => undefined)
    child.once('spawn', () => this.#tell(child))
    child.once('exit', () => {
      this.#step = undefined
      if (!this.#isOver) this.#child = this.#start()
    })
    return child
  }
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

async function placeOrders(sandbox: Sandbox, victim: Victim, count: number): Promise<Told[]> {
  const steps = stepNames.filter((name) => !/^(?:hold|void|recipient)\./.test(name))
  const orders: Told[] = []
  let session = await signIn(victim.client.erp)
  for (let number = 0; number < count; number++) {
    const order: Told = {
      reference: `kill-${Date.now().toString(36)}-${number}`,
      sku: skus[number % skus.length] ?? skus[0],
      quantity: 1 + (number % 3),
      state: 'unknown',
    }
    orders.push(order)
    const isTrytond = number % trytondEvery === trytondEvery - 1
    const killTrytond = async () => {
      await sandbox.trytond.stop('SIGKILL')
      await sandbox.trytond.start()
    }
    victim.arm(steps[Math.floor(number / 2) % steps.length], isTrytond ? killTrytond : undefined)
    try {
      const result = await victim.client.erp.submit(createSubmit(session, order), withTimeout(callMs))
      order.state = 'ok' in result ? 'ok' : 'refused'
      if ('rejected' in result && result.rejected.reason === 'session_expired')
        session = await signIn(victim.client.erp)
    } catch (error) {
      if (!(error instanceof UnknownOutcome)) throw error
    }
    victim.arm(undefined)
    if (order.state === 'unknown') await settle(victim.client.erp, order)
    process.stdout.write(`${order.reference} ${order.sku} ${order.quantity}: ${order.state}\n`)
  }
  return orders
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
  const wrong = skus.filter((sku) => (before.get(sku) ?? 0) - sold(sku) !== after.get(sku))
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
  const settings: SandboxSettings = {
    home: await mkdtemp(join(tmpdir(), 'tryton-kills-')),
    ...{ port: firstPort, postgresPort: firstPort + 1, styles: 60, dump: committedDump },
    report: (line) => void process.stdout.write(`… ${line}\n`),
  }
  const sandbox = await startSandbox(settings)
  let victim: Victim | undefined
  try {
    await bookHistory(settings)
    const seeder = new Seeder(await openAdminSession(settings))
    await countStock(seeder, Math.ceil(count * 0.6))
    victim = new Victim(settings)
    await signIn(victim.client.erp)
    const before = await readAvailable(victim.client.erp)
    const orders = await placeOrders(sandbox, victim, count)
    const report = await reconcile(seeder, victim, orders, before)
    process.stdout.write(`${JSON.stringify(report)}\n`)
    const { orders: _orders, placed: _placed, ...faults } = report
    return Object.values(faults).every((number) => number === 0) ? 0 : 1
  } finally {
    await victim?.end()
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
