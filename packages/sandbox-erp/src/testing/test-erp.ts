import { type Input, type Output, unwrap } from '@trade-gateway/connector'
import { leastHashCost } from '../accounts.ts'
import { createBuiltInCatalogue } from '../catalogue/built-in.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { openSandboxErp, type SandboxErp, type SandboxErpOptions } from '../erp.ts'
import { openFilledErp } from './filled-erp.ts'

const today = '2026-11-21'
export const testStart = Date.parse(`${today}T12:00:00Z`)
const buyers = ['CUST-HARBOUR', 'CUST-LANTERN'].map((customer_code, index) => ({
  account_id: `acc-${index + 1}`,
  username: `buyer${index + 1}@sandbox.example`,
  password: 'a password of the test',
  name: customer_code,
  customer_code,
}))
const everywhere = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
/** A SKU with much stock in every warehouse, at 10.00 AUD and 47.00 CNY and 100 g each. */
export const plentiful = 'PLENTY'

/** Creates a small built-in catalogue with one more style for the tests. */
function createTestCatalogue(): Catalogue {
  const { products, stock } = createBuiltInCatalogue({ seed: 1, styles: 20, today })
  const [magic] = products
  const [sku] = magic?.skus ?? []
  if (!magic || !sku) throw new Error('The built-in catalogue has no magic style.')
  const style = { ...magic, product_code: 'TEST', skus: [{ ...sku, sku: plentiful, weight_g: 100 }] }
  const everySku = everywhere.map((warehouse_code) => ({
    warehouse_code,
    sku: plentiful,
    quantity: 10_000,
    price_wholesale: warehouse_code === 'CHNZJ1' ? 4_700 : 1_000,
    price_retail: 12_000,
    incoming: [],
  }))
  return { products: [style, ...products], stock: [...everySku, ...stock], left_out: [] }
}

/** A sandbox ERP with two signed-in accounts and a clock that only the test advances. */
export interface TestErp extends SandboxErp {
  readonly sessions: readonly [string, string]
  advance(ms: number): void
  now(): number
}

/** Opens a small sandbox ERP in memory without automatic changes, unless the options enable them. */
export async function openTestErp(options: Partial<SandboxErpOptions> = {}): Promise<TestErp> {
  let now = testStart
  const fields = {
    catalogue: createTestCatalogue,
    catalogue_id: 'orders',
    accounts: buyers,
    hashCost: leastHashCost,
    clock: { now: () => now },
    handoverMs: Number.POSITIVE_INFINITY,
    shippingMs: Number.POSITIVE_INFINITY,
    ...options,
  }
  const { catalogue, catalogue_id, accounts, clock, seed, path = ':memory:' } = options
  const isUsual = !(catalogue ?? catalogue_id ?? accounts ?? clock ?? seed) && path === ':memory:'
  const sandbox = await (isUsual ? openFilledErp('orders', fields) : openSandboxErp({ path, ...fields }))
  const openSession = async (index: 0 | 1) => {
    const { username = '', password = '' } = buyers[index] ?? {}
    return unwrap(await sandbox.erp.sign_in({ username, password })).session
  }
  const sessions = [await openSession(0), await openSession(1)] as const
  return {
    ...sandbox,
    sessions,
    now: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}

type Lines = Readonly<Record<string, number>>

function createLines(lines: Lines) {
  return Object.entries(lines).map(([sku, quantity]) => ({ sku, quantity }))
}

const toSydney = { to: 'address', shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' } as const
const recipient = {
  name: 'Ada',
  phone: '+61 400 000 000',
  address: '1 Sea Street',
  country_code: 'AU',
  state: 'NSW',
  city: 'Sydney',
  postal_code: '2000',
}

/** Creates a wholesale quote of the first account, delivered to Sydney. */
export function createQuoteInput(
  erp: TestErp,
  lines: Lines,
  more: Partial<Input<'quote'>> = {},
): Input<'quote'> {
  return {
    order_type: 'wholesale',
    customer_code: 'CUST-HARBOUR',
    session: erp.sessions[0],
    lines: createLines(lines),
    warehouse_codes: everywhere,
    delivery: toSydney,
    payment_method: 'invoice',
    allow_partial: false,
    ...more,
  }
}

/** Creates the fields that turn a wholesale request into a drop-ship order. */
export function createDropshipFields(service: 'normal' | 'express' = 'normal', country_code = 'AU') {
  const delivery = { to: 'recipient', service, recipient: { ...recipient, country_code } } as const
  return { order_type: 'dropship', delivery } as const
}

/** Creates a reservation of the first account for 15 minutes. */
export function createHoldInput(
  erp: TestErp,
  reference: string,
  lines: Lines,
  more: Partial<Input<'hold'>> = {},
): Input<'hold'> {
  const { allow_partial: _none, ...request } = createQuoteInput(erp, lines)
  const expires_at = new Date(erp.now() + 15 * 60_000).toISOString()
  return {
    ...request,
    order_type: 'reservation',
    delivery: null,
    reference,
    replaces: null,
    expires_at,
    ...more,
  }
}

/** Creates a wholesale order of the first account. */
export function createSubmitInput(
  erp: TestErp,
  reference: string,
  lines: Lines,
  more: Partial<Input<'submit'>> = {},
): Input<'submit'> {
  return {
    ...createQuoteInput(erp, lines),
    reference,
    hold_reference: null,
    expected_total: null,
    max_total: null,
    client_order_number: null,
    remark: null,
    ...more,
  }
}

/** Reads `[on hand, held]` of a SKU. */
export function readStock({ store }: SandboxErp, sku: string, warehouse = 'AUSYD1'): [number, number] {
  const row = store.one(
    'select on_hand, held from stock where warehouse_code = ? and sku = ?',
    warehouse,
    sku,
  )
  return [Number(row?.on_hand), Number(row?.held)]
}

/** Formats the figures of a result as `warehouse sku: available`. */
export function listAvailable(figures: Output<'submit'>['figures']): string[] {
  return figures.flatMap(({ warehouse_code, rows }) =>
    rows.map(({ sku, quantity_available }) => `${warehouse_code} ${sku}: ${quantity_available}`),
  )
}
