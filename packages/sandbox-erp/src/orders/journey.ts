import type { Arrival, Delivery, ErpAddress, ErpShippingMethod } from '@trade-gateway/connector'
import { createDays } from '../catalogue/days.ts'
import type { Store } from '../store.ts'
import { Refusal } from './context.ts'

/** The transport of an order. */
export interface Journey {
  readonly kind: 'none' | 'pickup' | 'delivery'
  readonly is_express: boolean
  /** Null if nothing is transported. */
  readonly country_code: string | null
  /** The warehouses that the method serves; null means all. */
  readonly warehouse_codes: readonly string[] | null
  /** The base price of the method in minor units; null if the tariff applies. */
  readonly price: { readonly amount: number; readonly currency: string } | null
  /** The travel time inside a country; null if it depends on the service. */
  readonly days: Days | null
  readonly carrier: string | null
  readonly service: string
}

interface Days {
  readonly min: number
  readonly max: number
}

/** The countries that this ERP delivers to. */
const servedCountries = new Set(
  'AU NZ CN HK MO TW KR JP SG MY TH VN ID PH IN AE US CA GB IE FR DE NL BE LU ES PT IT AT CH SE NO DK FI PL CZ GR'.split(
    ' ',
  ),
)
const pickupDays: Days = { min: 0, max: 1 }
const domestic = { normal: { min: 2, max: 5 }, express: { min: 1, max: 2 } } as const
const abroad = { normal: { min: 6, max: 12 }, express: { min: 3, max: 6 } } as const
/** The additional days of a shipping method across a border. */
const borderDays: Days = { min: 4, max: 7 }

/**
 * Plans the transport of a delivery. Throws a `Refusal`: `not_found` for an unknown method and for an address of
 * another customer, `invalid_field` if a required address is missing.
 */
export function planJourney(store: Store, customer: string, delivery: Delivery | null): Journey {
  if (delivery === null) return { ...withoutTransport, kind: 'none', service: 'none' }
  if (delivery.to === 'recipient') {
    return {
      ...withoutTransport,
      kind: 'delivery',
      is_express: delivery.service === 'express',
      country_code: delivery.recipient.country_code,
      days: null,
      service: delivery.service,
    }
  }
  const method = requireMethod(store, delivery.shipping_method_id)
  const address =
    delivery.address_id === null ? undefined : requireAddress(store, customer, delivery.address_id)
  if (!address && method.requires_address) {
    throw new Refusal('invalid_field', `${method.shipping_method_id} needs an address.`)
  }
  const isDelivery = method.kind === 'delivery'
  return {
    kind: method.kind,
    is_express: method.shipping_method_id.includes('express'),
    country_code: isDelivery ? (address?.country_code ?? null) : null,
    warehouse_codes: method.warehouse_codes,
    price: { amount: method.price, currency: method.currency },
    days: method.estimated_days,
    carrier: method.carrier,
    service: method.name,
  }
}

const withoutTransport: Omit<Journey, 'kind' | 'service'> = {
  is_express: false,
  country_code: null,
  warehouse_codes: null,
  price: null,
  days: pickupDays,
  carrier: null,
}

/** Whether the ERP delivers to the destination. */
export function isServed({ country_code }: Journey): boolean {
  return country_code === null || servedCountries.has(country_code)
}

/** Returns the travel time in days for goods from `country`. */
export function countTravelDays(journey: Journey, country: string): Days {
  const service = journey.is_express ? 'express' : 'normal'
  const staysInside = journey.country_code === null || journey.country_code === country
  if (journey.days === null) return staysInside ? domestic[service] : abroad[service]
  if (staysInside) return journey.days
  return { min: journey.days.min + borderDays.min, max: journey.days.max + borderDays.max }
}

/** The formats by time zone. Creating one takes many times as long as using it. */
const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** Formats the day of an instant in a time zone as `YYYY-MM-DD`, which is how the locale `sv` writes a date. */
export function toLocalDay(at: number, timezone: string): string {
  const known = dayFormats.get(timezone)
  const format = known ?? new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' })
  if (!known) dayFormats.set(timezone, format)
  return format.format(at)
}

/**
 * Estimates when goods leave and arrive, counted from `today`, the day at the warehouse (`toLocalDay`). `landing` lists
 * the periods in which missing goods arrive there.
 */
export function estimateArrival(
  today: string,
  travel: Days,
  {
    isReady,
    landing,
  }: { isReady: boolean; landing: readonly { earliest_date: string; latest_date: string }[] },
): Arrival {
  const tomorrow = addDays(today, 1)
  const firsts = landing.map(({ earliest_date }) => earliest_date)
  const lasts = landing.map(({ latest_date }) => latest_date)
  const earliest = isReady || firsts.length === 0 ? today : findLatest([today, firsts.toSorted()[0] ?? today])
  const latest = findLatest([tomorrow, ...lasts])
  return {
    earliest_ship_date: earliest,
    latest_ship_date: latest,
    earliest_arrival_date: addDays(earliest, travel.min),
    latest_arrival_date: addDays(latest, travel.max),
  }
}

/** Returns the day `days` after `day`, both `YYYY-MM-DD`. */
export function addDays(day: string, days: number): string {
  return createDays(day).toDay(days)
}

function findLatest(days: readonly string[]): string {
  return days.toSorted().at(-1) ?? ''
}

function requireMethod(store: Store, id: string): ErpShippingMethod {
  const row = store.one('select body from shipping_methods where shipping_method_id = ?', id)
  if (!row) throw new Refusal('not_found', `There is no shipping method ${id}.`)
  return JSON.parse(String(row.body))
}

function requireAddress(store: Store, customer: string, id: string): ErpAddress {
  const row = store.one('select body from addresses where address_id = ? and customer_code = ?', id, customer)
  if (!row) throw new Refusal('not_found', `${customer} has no address ${id}.`)
  return JSON.parse(String(row.body))
}
