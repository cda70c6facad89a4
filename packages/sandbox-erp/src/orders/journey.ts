import type { Arrival, Delivery, ErpAddress, ErpShippingMethod } from '@trade-gateway/connector'
import { daysAround } from '../catalogue/days.ts'
import type { Store } from '../store.ts'
import { Refusal } from './desk.ts'

/** How an order travels. */
export interface Journey {
  readonly kind: 'none' | 'pickup' | 'delivery'
  readonly is_express: boolean
  /** Null where the goods stay in the house. */
  readonly country_code: string | null
  /** The warehouses that the method serves; null: all. */
  readonly warehouse_codes: readonly string[] | null
  /** What the method costs before any weight, in minor units of `currency`; null where the tariff says it. */
  readonly price: { readonly amount: number; readonly currency: string } | null
  /** How many days it takes inside a country; null where the service says it. */
  readonly days: Days | null
  readonly carrier: string | null
  readonly service: string
}

interface Days {
  readonly min: number
  readonly max: number
}

/** Where this ERP sends goods. */
const served = new Set(
  'AU NZ CN HK MO TW KR JP SG MY TH VN ID PH IN AE US CA GB IE FR DE NL BE LU ES PT IT AT CH SE NO DK FI PL CZ GR'.split(
    ' ',
  ),
)
const stays: Days = { min: 0, max: 1 }
const domestic = { normal: { min: 2, max: 5 }, express: { min: 1, max: 2 } } as const
const abroad = { normal: { min: 6, max: 12 }, express: { min: 3, max: 6 } } as const
/** How much longer a method of the ERP takes when it leaves the country. */
const border: Days = { min: 4, max: 7 }

/**
 * The journey of a delivery. Throws a `Refusal`: `not_found` for a method that there is not and for an address that
 * is not the customer's, `invalid_field` where a method needs an address.
 */
export function journeyOf(store: Store, customer: string, delivery: Delivery | null): Journey {
  if (delivery === null) return { ...inHouse, kind: 'none', service: 'none' }
  if (delivery.to === 'recipient') {
    return {
      ...inHouse,
      kind: 'delivery',
      is_express: delivery.service === 'express',
      country_code: delivery.recipient.country_code,
      days: null,
      service: delivery.service,
    }
  }
  const method = methodOf(store, delivery.shipping_method_id)
  const address = delivery.address_id === null ? undefined : addressOf(store, customer, delivery.address_id)
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

const inHouse: Omit<Journey, 'kind' | 'service'> = {
  is_express: false,
  country_code: null,
  warehouse_codes: null,
  price: null,
  days: stays,
  carrier: null,
}

/** Whether the ERP sends goods there. */
export function isServed({ country_code }: Journey): boolean {
  return country_code === null || served.has(country_code)
}

/** How many days goods from `country` travel. */
export function travelDays(journey: Journey, country: string): Days {
  const service = journey.is_express ? 'express' : 'normal'
  const staysInside = journey.country_code === null || journey.country_code === country
  if (journey.days === null) return staysInside ? domestic[service] : abroad[service]
  if (staysInside) return journey.days
  return { min: journey.days.min + border.min, max: journey.days.max + border.max }
}

/** When goods leave and are there, counted from `now`; `landing` are the days on which missing goods come in. */
export function arrivalOf(
  now: number,
  travel: Days,
  {
    isReady,
    landing,
  }: { isReady: boolean; landing: readonly { earliest_date: string; latest_date: string }[] },
): Arrival {
  const today = new Date(now).toISOString().slice(0, 10)
  const tomorrow = later(today, 1)
  const firsts = landing.map(({ earliest_date }) => earliest_date)
  const lasts = landing.map(({ latest_date }) => latest_date)
  const earliest = isReady || firsts.length === 0 ? today : latestOf([today, firsts.toSorted()[0] ?? today])
  const latest = latestOf([tomorrow, ...lasts])
  return {
    earliest_ship_date: earliest,
    latest_ship_date: latest,
    earliest_arrival_date: later(earliest, travel.min),
    latest_arrival_date: later(latest, travel.max),
  }
}

/** A day so many days after another. */
export function later(day: string, days: number): string {
  return daysAround(day).day(days)
}

function latestOf(days: readonly string[]): string {
  return days.toSorted().at(-1) ?? ''
}

function methodOf(store: Store, id: string): ErpShippingMethod {
  const row = store.one('select body from shipping_methods where shipping_method_id = ?', id)
  if (!row) throw new Refusal('not_found', `There is no shipping method ${id}.`)
  return JSON.parse(String(row.body))
}

function addressOf(store: Store, customer: string, id: string): ErpAddress {
  const row = store.one('select body from addresses where address_id = ? and customer_code = ?', id, customer)
  if (!row) throw new Refusal('not_found', `${customer} has no address ${id}.`)
  return JSON.parse(String(row.body))
}
