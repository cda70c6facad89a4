/**
 * The checks of what an order goes through: who gets it, from where it is allocated, an order that is only partly
 * allocated, the business day, and its shipping.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ErpDocument } from '../documents.ts'
import { callChecked, callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import { type Buyer, defineOrderCheck, type OrderProbe } from './order-probe.ts'

const pollMs = 250

/** The `client_order_number` of the order whose shipping the suite watches. */
export const watchedOrderNumber = 'conformance-shipping'

type Look = (probe: OrderProbe) => Promise<Skipped | undefined>

/** Lists the checks. `watch_ms` is the time for which the suite waits for somebody to ship an order. */
export function listJourneyChecks(buyer: Buyer, watch_ms: number): Check[] {
  const defineCheck = (id: string, states: string, look: Look) =>
    defineOrderCheck(buyer, { id, states }, look)
  return [
    defineCheck(
      'recipient',
      'An order for an end customer is placed whatever letters the name and the address have.',
      requireRecipientAccepted,
    ),
    defineCheck(
      'partial',
      'An order that may be partial is allocated what there is, and its total is that of the allocated units.',
      requirePartialOrder,
    ),
    defineCheck(
      'allocates_from',
      'An ERP that allocates an order from one warehouse never uses two.',
      requireOneWarehouse,
    ),
    defineCheck(
      'business_day',
      'On a business day that is not the day of UTC, an order lowers the stock at once and ships no earlier than that day.',
      (probe) => requireBusinessDay(probe, buyer.now),
    ),
    defineCheck(
      'shipped',
      'An order that was shipped shows its shipments, has lowered quantity_on_hand, and cannot be voided.',
      (probe) => requireShipment(probe, watch_ms),
    ),
  ]
}

const letters = {
  name: '김민준 王小明 Zoë O’Brien',
  phone: '+61 400 000 000',
  address: '1 "Sea" Street, Łódź & 서울 <北京>',
  city: 'Sydney',
  state: null,
  postal_code: '2000',
}

async function requireRecipientAccepted(probe: OrderProbe): Promise<Skipped | undefined> {
  const { warehouses } = await callOk(probe.erp, 'warehouses', {})
  const country_code = warehouses.find((one) => one.warehouse_code === probe.warehouse_code)?.country_code
  const recipient = { ...letters, country_code: country_code ?? '' }
  const request = {
    order_type: 'dropship',
    delivery: { to: 'recipient', service: 'normal', recipient },
  } as const
  const asked = await callChecked(probe.erp, 'quote', probe.createQuoteInput(1, request))
  if ('ok' in asked && asked.ok.quote.unfulfillable_reasons.includes('destination_not_served'))
    return skip(`The ERP delivers to no end customer in ${country_code} from ${probe.warehouse_code}.`)
  const { document } = await probe.requireLowered(1, 'an order for an end customer', () =>
    probe.submit(1, request),
  )
  if (document.order_type === 'dropship') return undefined
  throw new ConformanceFailure({
    expected: 'an order for an end customer to have the order_type dropship',
    actual: document.order_type,
    remedy: 'Return the order_type of the request.',
  })
}

async function requirePartialOrder(probe: OrderProbe): Promise<undefined> {
  const before = await probe.readAvailable()
  const { document } = await probe.submit(before + 1, { allow_partial: true })
  const after = await probe.readAvailable()
  const [line] = document.lines
  const allocated = line?.quantity_allocated ?? 0
  const sum = line?.allocations.reduce((units, { quantity }) => units + quantity, 0)
  const isSettled = document.costs === null || document.costs.goods === (line?.line_total ?? 0)
  const isRight = line?.quantity === before + 1 && sum === allocated && before - after === allocated
  if (isRight && allocated > 0 && allocated <= before && isSettled) return
  throw new ConformanceFailure({
    expected: `an order of ${before + 1} ${probe.sku} with allow_partial to be allocated the ${before} that are available`,
    actual: `${JSON.stringify(line).slice(0, 300)} with goods of ${document.costs?.goods}; ${after} are available afterwards`,
    remedy: 'Keep the ordered quantity on the line, allocate what there is, and charge only that.',
  })
}

async function requireOneWarehouse(probe: OrderProbe): Promise<Skipped | undefined> {
  if (probe.capabilities.allocates_from === 'many')
    return skip('The ERP declares that it allocates an order from several warehouses (allocates_from: many).')
  const { warehouses } = await callOk(probe.erp, 'warehouses', {})
  const warehouse_codes = warehouses.map(({ warehouse_code }) => warehouse_code)
  if (warehouse_codes.length < 2) return skip('The ERP has one warehouse.')
  const quantity = Math.max(1, (await probe.readAvailable()) + 1)
  const input = probe.createQuoteInput(quantity, { warehouse_codes, allow_partial: true })
  const asked = await callChecked(probe.erp, 'quote', input)
  if ('rejected' in asked) return skip(`The ERP refused to quote a shortage (${asked.rejected.reason}).`)
  const { quote } = asked.ok
  const used = new Set(
    quote.lines.flatMap(({ allocations }) => allocations.map(({ warehouse_code }) => warehouse_code)),
  )
  if (used.size <= 1) return undefined
  throw new ConformanceFailure({
    expected: 'a quote to be allocated from one warehouse, as the ERP declares allocates_from: one',
    actual: joinSome(used),
    remedy: 'Choose one warehouse for the whole order, or declare allocates_from: many.',
  })
}

/** Formats the day of an instant in a time zone as `YYYY-MM-DD`, which is how the locale `sv` writes a date. */
function toDay(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at)
}

async function requireBusinessDay(probe: OrderProbe, now: () => number): Promise<Skipped | undefined> {
  const { warehouses } = await callOk(probe.erp, 'warehouses', {})
  const timezone = warehouses.find((one) => one.warehouse_code === probe.warehouse_code)?.timezone ?? 'UTC'
  const [day, utc] = [toDay(now(), timezone), toDay(now(), 'UTC')]
  if (day === utc) {
    return skip(
      `It is ${day} both in ${timezone} and in UTC. Run the suite at an hour at which the days differ.`,
    )
  }
  const { document } = await probe.requireLowered(1, `an order on ${day} in ${timezone}, ${utc} in UTC`, () =>
    probe.submit(1),
  )
  const earliest = document.arrival?.earliest_ship_date ?? day
  if (earliest >= day) return undefined
  throw new ConformanceFailure({
    expected: `an order of ${day} in ${timezone} to ship on that day or later`,
    actual: `earliest_ship_date ${earliest}`,
    remedy:
      'Compute dates on the day of the warehouse, and read stock without a date rather than by the day of UTC.',
  })
}

async function requireShipment(probe: OrderProbe, watch_ms: number): Promise<Skipped | undefined> {
  const onHand = await probe.readOnHand()
  const { document } = await probe.submit(1, { client_order_number: watchedOrderNumber })
  const shipped = await waitUntilShipped(probe, document.reference, watch_ms)
  if (!shipped) {
    return skip(
      `Nobody shipped the order ${document.number} within ${watch_ms} ms. Ship it in the ERP while the suite runs.`,
    )
  }
  const units = shipped.shipments.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.quantity, 0)
  const isShown = units === 1 && shipped.lines[0]?.quantity_shipped === 1
  const lowered = onHand - (await probe.readOnHand())
  if (!isShown || lowered < 1) {
    throw new ConformanceFailure({
      expected: `the shipped order ${shipped.number} to show a shipment of 1 unit and to have lowered quantity_on_hand by 1`,
      actual: `${shipped.shipments.length} shipments with ${units} units, and quantity_on_hand lowered by ${lowered}`,
      remedy: 'Return the shipments of an order, and its quantity_shipped, as soon as it is shipped.',
    })
  }
  await callRefused(probe.erp, 'void', { reference: shipped.reference }, 'already_shipped')
  return undefined
}

async function waitUntilShipped(
  probe: OrderProbe,
  reference: string,
  watchMs: number,
): Promise<ErpDocument | undefined> {
  for (let waited = 0; ; waited += pollMs) {
    const document = await probe.readDocument(reference)
    if (document?.status === 'shipped') return document
    if (waited >= watchMs) return undefined
    await pause(pollMs)
  }
}
