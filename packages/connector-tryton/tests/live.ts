/**
 * A connector in this process on a live Tryton, for tests. `TEST_TRYTON_URL` names a sandbox: `npm run tryton-sandbox`.
 * Without it, the tests are left out, and each file says so in one line.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  callOperation,
  type Erp,
  type ErpResult,
  type Input,
  type Output,
  unwrap,
} from '@trade-gateway/connector'
import { describe } from 'vitest'
import { z } from 'zod'
import { type Config, parseConfigFile } from '../src/config.ts'
import { type Connector, openConnector } from '../src/connector.ts'
import { type Environment, systemEnvironment } from '../src/environment.ts'
import { createTrytonErp } from '../src/erp.ts'
import type { Orders } from '../src/orders/context.ts'
import { Rpc } from '../src/rpc.ts'
import { Seeder } from '../src/tryton/seeder.ts'
import { admin, connectorUser, customerPassword, customers, databaseName } from '../src/tryton/settings.ts'
import { ids } from '../src/values.ts'

const url = process.env.TEST_TRYTON_URL

/** Describes tests on a live Tryton. Without one, prints one line and leaves them out. */
export function describeLive(name: string, tests: () => void): void {
  if (!url) process.stdout.write(`left out: ${name}, because TEST_TRYTON_URL is not set\n`)
  describe.skipIf(!url)(name, tests)
}

export interface Live {
  readonly connector: Connector
  readonly erp: Erp
  readonly orders: Orders
  /** The administrator, for what staff do in Tryton. */
  readonly staff: Seeder
  readonly session: string
  readonly logged: string[]
}

interface LiveOptions {
  /** Where the connector finds Tryton, for example a proxy; otherwise `staffUrl`. */
  readonly url?: string
  /** Where staff find it; otherwise the sandbox that `TEST_TRYTON_URL` names. */
  readonly staffUrl?: string
  readonly config?: Partial<Config>
  readonly environment?: Environment
  readonly onStep?: Connector['onStep']
}

export function readLiveConfig(options: LiveOptions = {}): Config {
  const path = join(import.meta.dirname, '../sandbox.json')
  return {
    ...parseConfigFile(readFileSync(path, 'utf8'), path),
    ...{ url: options.url ?? options.staffUrl ?? url ?? '', database: databaseName, ...connectorUser },
    ...options.config,
  }
}

const maxSessionTries = 3

export async function openLive(options: LiveOptions = {}): Promise<Live> {
  const logged: string[] = []
  const { environment = systemEnvironment, onStep } = options
  const log = (line: string) => void logged.push(line)
  const connector = await openConnector(readLiveConfig(options), {
    environment,
    log,
    ...(onStep ? { onStep } : {}),
  })
  const { erp, orders } = createTrytonErp(connector)
  const staff = await openStaff(options.staffUrl ?? url ?? '')
  const credentials = { username: customers[0].username, password: customerPassword }
  for (let tries = 1; ; tries++) {
    const result = await erp.sign_in(credentials)
    if ('ok' in result || tries >= maxSessionTries)
      return { connector, erp, orders, staff, logged, session: unwrap(result).session }
  }
}

async function openStaff(staffUrl: string): Promise<Seeder> {
  const rpc = new Rpc({ url: staffUrl, database: databaseName, ...admin, environment: systemEnvironment })
  const preferences = z.object({ company: z.int() })
  const { company } = await rpc.call('model.res.user.get_preferences', [true], preferences)
  rpc.setContext({ company, language: 'en' })
  return new Seeder(rpc)
}

let references = 0
/** A reference that no document has. */
export const createReference = () => `t-${Date.now().toString(36)}-${process.pid}-${++references}`

export const warehouse_code = 'AUSYD1'

function createRequest({ session }: Live, lines: Input<'quote'>['lines']) {
  return {
    order_type: 'wholesale' as const,
    customer_code: customers[0].code,
    session,
    lines,
    warehouse_codes: [warehouse_code],
    delivery: { to: 'address' as const, shipping_method_id: 'FRT-NORMAL', address_id: null },
    payment_method: 'invoice' as const,
  }
}

export function toQuote(live: Live, sku: string, quantity: number): Input<'quote'> {
  return { ...createRequest(live, [{ sku, quantity }]), allow_partial: false }
}

export function toHold(
  live: Live,
  sku: string,
  quantity: number,
  more: Partial<Input<'hold'>> = {},
): Input<'hold'> {
  return {
    ...createRequest(live, [{ sku, quantity }]),
    reference: createReference(),
    replaces: null,
    expires_at: new Date(Date.now() + 600_000).toISOString(),
    ...more,
  }
}

export function toSubmit(
  live: Live,
  sku: string,
  quantity: number,
  more: Partial<Input<'submit'>> = {},
): Input<'submit'> {
  return {
    ...createRequest(live, [{ sku, quantity }]),
    reference: createReference(),
    ...{ hold_reference: null, allow_partial: false, expected_total: null, max_total: null },
    ...{ client_order_number: null, remark: null },
    ...more,
  }
}

/** Reads the figures of one SKU in a warehouse. */
export async function readRow(
  { erp }: Live,
  sku: string,
  code = warehouse_code,
): Promise<Output<'stock.read'>['rows'][number]> {
  const [row] = unwrap(await erp['stock.read']({ warehouse_code: code, skus: [sku] })).rows
  if (!row) throw new Error(`${sku} is not in ${code}.`)
  return row
}

export const readAvailable = async (live: Live, sku: string) => (await readRow(live, sku)).quantity_available

/** Returns a SKU, different for each number, of which staff have just counted exactly `quantity`. */
export async function stockUp(
  live: Live,
  number: number,
  quantity: number,
  code = warehouse_code,
): Promise<string> {
  const sku = `ST${String(20 + number).padStart(4, '0')}-S`
  const product = await live.staff.findOne('product.product', [['code', '=', sku]])
  await clearInternals(live.staff, product)
  await countStock(live, sku, quantity, code)
  return sku
}

/** Counts the stock of a SKU in a warehouse, as staff do. What is assigned stays assigned. */
export async function countStock(
  { staff, connector }: Live,
  sku: string,
  quantity: number,
  code = warehouse_code,
  location = connector.places.warehouses.find((warehouse) => warehouse.code === code)?.storage,
): Promise<void> {
  const product = await staff.findOne('product.product', [['code', '=', sku]])
  const inventory = await staff.createOne('stock.inventory', {
    ...{ location, company: connector.places.company, empty_quantity: 'keep' },
    lines: [['create', [{ product, quantity }]]],
  })
  await staff.press('stock.inventory', 'confirm', [inventory])
}

/** Cancels what earlier runs have left assigned, so that the counted stock is free. */
async function clearInternals(staff: Seeder, product: number): Promise<void> {
  for (const model of ['stock.shipment.internal', 'stock.shipment.out']) {
    const open = await staff.rpc.search(model, [
      ['state', 'in', ['waiting', 'assigned', 'picked', 'packed']],
      ['moves.product', '=', product],
    ])
    if (open.length > 0) await staff.press(model, 'cancel', open)
  }
}

export async function call<Id extends 'hold' | 'submit'>(
  live: Live,
  operation: Id,
  input: Input<Id>,
): Promise<ErpResult<unknown>> {
  return callOperation(live.erp, operation, input)
}

/** Counts the sales of a reference in Tryton, whatever their state. */
export async function countSales({ staff }: Live, reference: string): Promise<number> {
  return (await staff.rpc.search('sale.sale', [['web_id', '=', reference]])).length
}

/** Ships an order as staff do. */
export async function shipOrder({ staff }: Live, reference: string): Promise<void> {
  const sale = await staff.findOne('sale.sale', [['web_id', '=', reference]])
  const { shipments } = await staff.readOne('sale.sale', sale, z.object({ shipments: ids }), ['shipments'])
  for (const button of ['pick', 'pack', 'done']) await staff.press('stock.shipment.out', button, shipments)
}
