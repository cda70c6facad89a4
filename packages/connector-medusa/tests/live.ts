/** A connector to the Medusa that the environment names, filled by `npm run medusa-sandbox`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Erp, type Input, unwrap } from '@trade-gateway/connector'
import { z } from 'zod'
import { type Config, parseConfigFile } from '../src/config.ts'
import { type Environment, systemEnvironment } from '../src/environment.ts'
import { type MedusaConnector, openMedusa } from '../src/erp.ts'
import { MedusaHttp, toKeyHeaders } from '../src/http.ts'
import { customerPassword, customers } from '../src/medusa/settings.ts'
import { OrderStore } from '../src/medusa-orders.ts'
import { type Places, readPlaces } from '../src/places.ts'
import { RecordStore } from '../src/records.ts'
import type { StepHook, StepName } from '../src/steps.ts'

const { TEST_MEDUSA_URL, TEST_MEDUSA_SECRET_KEY, TEST_MEDUSA_PUBLISHABLE_KEY } = process.env
const configFile = join(import.meta.dirname, '../sandbox.json')

export const isConfigured = Boolean(TEST_MEDUSA_URL && TEST_MEDUSA_SECRET_KEY && TEST_MEDUSA_PUBLISHABLE_KEY)

/** Says in one line that a file was left out. */
export function reportLeftOut(file: string): void {
  process.stdout.write(
    `left out: ${file}, because TEST_MEDUSA_URL, TEST_MEDUSA_SECRET_KEY and TEST_MEDUSA_PUBLISHABLE_KEY are not set\n`,
  )
}

/** The code of a carrier that has no shipping options but those that a test creates. */
export const spareCarrier = 'spare'

export async function readTestConfig(): Promise<Config> {
  const file = parseConfigFile(await readFile(configFile, 'utf8'), configFile)
  return {
    ...file,
    carriers: [...file.carriers, { code: spareCarrier, kind: 'delivery', days: [1, 2] }],
    url: TEST_MEDUSA_URL ?? '',
    secretKey: TEST_MEDUSA_SECRET_KEY ?? '',
    publishableKey: TEST_MEDUSA_PUBLISHABLE_KEY ?? '',
  }
}

/** How much longer a write may take than in operation: here Medusa has only a part of a core. */
const patience = 4
const environment: Environment = {
  ...systemEnvironment,
  elapsed: () => systemEnvironment.elapsed() / patience,
}

/** The region and the warehouses, which no test changes. Without this, they were a third of the calls of Medusa. */
let places: Promise<Places> | undefined

/** Opens a connector as a new process would: it remembers nothing but its places. */
export async function openConnector(onStep?: StepHook): Promise<Erp> {
  return (await openWhole(onStep)).erp
}

/** Opens a connector that ends after the `time`-th occurrence of a step. */
export function openMortal(step: StepName, time = 1): Promise<Erp> {
  let passed = 0
  return openConnector((name) => {
    if (name !== step) return
    passed += 1
    if (passed === time) throw new Error('the connector was killed')
  })
}

export async function openWhole(
  onStep?: StepHook,
  settings: Partial<Pick<Config, 'price_list'>> = {},
): Promise<MedusaConnector> {
  const config = { ...(await readTestConfig()), ...settings }
  places ??= readPlaces(openAdmin(), config)
  return openMedusa(config, { environment, places: await places, ...(onStep ? { onStep } : {}) })
}

/** Medusa's Admin API, as its staff uses it. */
export function openAdmin(): MedusaHttp {
  return new MedusaHttp({ url: TEST_MEDUSA_URL ?? '', headers: toKeyHeaders(TEST_MEDUSA_SECRET_KEY ?? '') })
}

export type Request = Omit<Input<'quote'>, 'lines' | 'allow_partial' | 'hold_reference'>

/** Signs a customer in, the first one unless another is named. Returns the common part of its requests. */
export async function signIn(
  erp: Erp,
  warehouse_code: string,
  username = customers[0]?.email ?? '',
): Promise<Request> {
  const { customer_code, session } = unwrap(await erp.sign_in({ username, password: customerPassword }))
  const { addresses } = unwrap(await erp.addresses({ customer_code }))
  return {
    order_type: 'wholesale',
    customer_code,
    session,
    warehouse_codes: [warehouse_code],
    delivery: { to: 'address', shipping_method_id: 'standard', address_id: addresses[0]?.address_id ?? '' },
    payment_method: 'invoice',
  }
}

/** When the holds of tests end. */
export const soon = () => new Date(Date.now() + 600_000).toISOString()

/** The fields of an order that most tests leave out. */
export const limits = {
  expected_total: null,
  max_total: null,
  client_order_number: null,
  remark: null,
}

export const createReference = () => `live-${systemEnvironment.createId()}`.slice(0, 40)

export async function readAvailable(erp: Erp, warehouse_code: string, sku: string): Promise<number> {
  const { rows } = unwrap(await erp['stock.read']({ warehouse_code, skus: [sku] }))
  return rows[0]?.quantity_available ?? Number.NaN
}

const item = z.object({
  inventory_items: z.array(
    z.object({ id: z.string(), location_levels: z.array(z.object({ location_id: z.string() })) }),
  ),
})

/** Reserves units in Medusa directly, as a shop beside the gateway does. Returns the id of the reservation. */
export async function buyElsewhere(warehouse_code: string, sku: string, quantity: number): Promise<string> {
  const admin = openAdmin()
  const { inventory_items } = await admin.get('/admin/inventory-items', item, {
    sku,
    fields: 'id,location_levels.location_id',
  })
  const locations = z.object({ stock_locations: z.array(z.object({ id: z.string() })) })
  const { stock_locations } = await admin.get('/admin/stock-locations', locations, { name: warehouse_code })
  const { reservation } = await admin.post(
    '/admin/reservations',
    z.object({ reservation: z.object({ id: z.string() }) }),
    { inventory_item_id: inventory_items[0]?.id, location_id: stock_locations[0]?.id, quantity },
  )
  return reservation.id
}

export async function giveBack(id: string): Promise<void> {
  await openAdmin().send({ method: 'DELETE', path: `/admin/reservations/${id}`, schema: z.unknown() })
}

/** Reserves what a draft has, as Medusa does first when it makes the draft an order. */
export async function reserveDraft(reference: string): Promise<void> {
  const admin = openAdmin()
  const { drafts } = await new OrderStore(admin, new RecordStore(admin)).find(reference)
  const locations = z.object({ stock_locations: z.array(z.object({ id: z.string() })) })
  for (const { particulars, items } of drafts)
    for (const { id, variant_sku, quantity } of items) {
      const query = { sku: variant_sku ?? '', fields: 'id,location_levels.location_id' }
      const { inventory_items } = await admin.get('/admin/inventory-items', item, query)
      const name = particulars.warehouse_code
      const { stock_locations } = await admin.get('/admin/stock-locations', locations, { name })
      const place = { inventory_item_id: inventory_items[0]?.id, location_id: stock_locations[0]?.id }
      await admin.post('/admin/reservations', z.unknown(), { ...place, line_item_id: id, quantity })
    }
}

/** Writes a fence for a reference, whatever exists under it. */
export async function writeFence(reference: string): Promise<void> {
  const records = new RecordStore(openAdmin())
  const locations = z.object({ stock_locations: z.array(z.object({ id: z.string() })) })
  const { stock_locations } = await openAdmin().get('/admin/stock-locations', locations, { limit: 1 })
  const locationId = stock_locations[0]?.id ?? ''
  const inventoryItemId = (await records.findAnchor(locationId)) ?? ''
  await records.createFence({ locationId, inventoryItemId }, reference)
}
