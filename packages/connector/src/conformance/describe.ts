import { isDeepStrictEqual } from 'node:util'
import type { Erp } from '../erp.ts'
import type { ErpShippingMethod } from '../operations.ts'
import { callOk } from './call.ts'
import { type Check, ConformanceFailure, joinSome } from './check.ts'
import { findPathFlaw, findTextFlaw, requireUsableCodes } from './codes.ts'

/** The checks of the ERP's description, its warehouses and its shipping methods. */
export const referenceChecks: readonly Check[] = [
  {
    id: 'describe.stable',
    states: 'describe always returns the same result.',
    async run(erp) {
      const one = await callOk(erp, 'describe', {})
      const other = await callOk(erp, 'describe', {})
      if (isDeepStrictEqual(one, other)) return undefined
      throw new ConformanceFailure({
        expected: 'describe to return the same result twice',
        actual: `${JSON.stringify(one)} and ${JSON.stringify(other)}`,
        remedy: 'Return what this kind of ERP can do, independent of its current state.',
      })
    },
  },
  {
    id: 'describe.lookup',
    states: 'An ERP with eventual look-ups declares their lag.',
    async run(erp) {
      const { lookup, lookup_lag_ms } = (await callOk(erp, 'describe', {})).capabilities
      if (lookup !== 'eventual' || lookup_lag_ms > 0) return undefined
      throw new ConformanceFailure({
        expected: 'a lookup_lag_ms with lookup: eventual',
        actual: '0',
        remedy: 'Return the longest time after which a look-up sees a commit, or declare lookup: strong.',
      })
    },
  },
  {
    id: 'warehouses.unique',
    states: 'There is at least one warehouse, and each warehouse_code occurs once.',
    async run(erp) {
      const { warehouses } = await callOk(erp, 'warehouses', {})
      requireUnique(
        'warehouse_code',
        warehouses.map(({ warehouse_code }) => warehouse_code),
      )
      if (warehouses.length > 0) return undefined
      throw new ConformanceFailure({
        expected: 'at least one warehouse',
        actual: 'none',
        remedy: 'Return all warehouses that sell, even if they are empty.',
      })
    },
  },
  {
    id: 'warehouses.codes',
    states: 'A client can name each warehouse_code in a path.',
    async run(erp) {
      const { warehouses } = await callOk(erp, 'warehouses', {})
      const codes = warehouses.map(({ warehouse_code }) => warehouse_code)
      requireUsableCodes('warehouse_code', codes, findPathFlaw)
      return undefined
    },
  },
  {
    id: 'warehouses.timezone',
    states: 'The timezone of a warehouse is a name of the IANA time zone database.',
    async run(erp) {
      const { warehouses } = await callOk(erp, 'warehouses', {})
      const strange = warehouses.find(({ timezone }) => !isTimezone(timezone))
      if (!strange) return undefined
      throw new ConformanceFailure({
        expected: `a timezone like Australia/Sydney for ${strange.warehouse_code}`,
        actual: `"${strange.timezone}"`,
        remedy: 'Return the name of the place in the IANA time zone database, not an abbreviation.',
      })
    },
  },
  {
    id: 'shipping_methods.unique',
    states: 'Each shipping_method_id occurs once.',
    async run(erp) {
      const methods = await readShippingMethods(erp)
      requireUnique(
        'shipping_method_id',
        methods.map(({ shipping_method_id }) => shipping_method_id),
      )
      return undefined
    },
  },
  {
    id: 'shipping_methods.codes',
    states: 'A client can name each shipping_method_id in an order.',
    async run(erp) {
      const ids = (await readShippingMethods(erp)).map(({ shipping_method_id }) => shipping_method_id)
      requireUsableCodes('shipping_method_id', ids, findTextFlaw)
      return undefined
    },
  },
  {
    id: 'shipping_methods.warehouses',
    states: 'The warehouses of a shipping method exist.',
    async run(erp) {
      const methods = await readShippingMethods(erp)
      const { warehouses } = await callOk(erp, 'warehouses', {})
      const known = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
      const strange = methods.filter(
        ({ warehouse_codes }) => !warehouse_codes.every((code) => known.has(code)),
      )
      if (strange.length === 0) return undefined
      throw new ConformanceFailure({
        expected: 'warehouse_codes of shipping methods to be those of warehouses',
        actual: `an unknown one in ${joinSome(strange.map(({ shipping_method_id }) => shipping_method_id))}`,
        remedy: 'Leave out warehouses that do not sell, in both responses.',
      })
    },
  },
  {
    id: 'shipping_methods.days',
    states: 'The minimum of estimated_days is not above the maximum.',
    async run(erp) {
      const turned = (await readShippingMethods(erp)).find(
        ({ estimated_days }) => estimated_days.max < estimated_days.min,
      )
      if (!turned) return undefined
      throw new ConformanceFailure({
        expected: 'estimated_days.min not to be above estimated_days.max',
        actual: `${turned.estimated_days.min} to ${turned.estimated_days.max} at ${turned.shipping_method_id}`,
        remedy: 'Return the same number twice if only one is known.',
      })
    },
  },
]

async function readShippingMethods(erp: Erp): Promise<readonly ErpShippingMethod[]> {
  return (await callOk(erp, 'shipping_methods', {})).shipping_methods
}

/** Throws a `ConformanceFailure` if an id occurs twice. */
export function requireUnique(field: string, ids: readonly string[]) {
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length === 0) return
  throw new ConformanceFailure({
    expected: `each ${field} once`,
    actual: `${joinSome(new Set(twice))} twice`,
    remedy: 'Return each of them once.',
  })
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}
