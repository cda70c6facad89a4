import { isDeepStrictEqual } from 'node:util'
import type { Erp } from '../erp.ts'
import type { ErpShippingMethod } from '../operations.ts'
import { asked } from './ask.ts'
import { type Check, ConformanceFailure, someOf } from './check.ts'

/** Checks of what an ERP says of itself, its warehouses and its shipping methods. */
export const referenceChecks: readonly Check[] = [
  {
    id: 'describe.stable',
    states: 'describe answers the same each time.',
    async run(erp) {
      const one = await asked(erp, 'describe', {})
      const other = await asked(erp, 'describe', {})
      if (isDeepStrictEqual(one, other)) return undefined
      throw new ConformanceFailure({
        expected: 'describe to answer the same twice',
        came: `${JSON.stringify(one)} and ${JSON.stringify(other)}`,
        remedy: 'Answer what the ERP can do by its kind, not by its present state.',
      })
    },
  },
  {
    id: 'describe.lookup',
    states: 'An eventual look-up says after how long it is complete.',
    async run(erp) {
      const { lookup, lookup_lag_ms } = (await asked(erp, 'describe', {})).capabilities
      if (lookup !== 'eventual' || lookup_lag_ms > 0) return undefined
      throw new ConformanceFailure({
        expected: 'a lookup_lag_ms with lookup: eventual',
        came: '0',
        remedy: 'Answer the longest time after which a look-up sees a commit, or declare lookup: strong.',
      })
    },
  },
  {
    id: 'warehouses.unique',
    states: 'There is at least one warehouse, and no warehouse_code twice.',
    async run(erp) {
      const { warehouses } = await asked(erp, 'warehouses', {})
      requireUnique(
        'warehouse_code',
        warehouses.map(({ warehouse_code }) => warehouse_code),
      )
      if (warehouses.length > 0) return undefined
      throw new ConformanceFailure({
        expected: 'at least one warehouse',
        came: 'none',
        remedy: 'Answer the warehouses that sell, whether they hold goods now or not.',
      })
    },
  },
  {
    id: 'warehouses.timezone',
    states: 'The timezone of a warehouse is a name of the IANA time zone database.',
    async run(erp) {
      const { warehouses } = await asked(erp, 'warehouses', {})
      const strange = warehouses.find(({ timezone }) => !isTimezone(timezone))
      if (!strange) return undefined
      throw new ConformanceFailure({
        expected: `a timezone like Australia/Sydney for ${strange.warehouse_code}`,
        came: `"${strange.timezone}"`,
        remedy: 'Answer the name of the place in the IANA time zone database, not an abbreviation.',
      })
    },
  },
  {
    id: 'shipping_methods.unique',
    states: 'No shipping_method_id comes twice.',
    async run(erp) {
      const methods = await shippingMethods(erp)
      requireUnique(
        'shipping_method_id',
        methods.map(({ shipping_method_id }) => shipping_method_id),
      )
      return undefined
    },
  },
  {
    id: 'shipping_methods.warehouses',
    states: 'A shipping method leaves from warehouses that exist.',
    async run(erp) {
      const methods = await shippingMethods(erp)
      const { warehouses } = await asked(erp, 'warehouses', {})
      const known = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
      const strange = methods.filter(
        ({ warehouse_codes }) => !warehouse_codes.every((code) => known.has(code)),
      )
      if (strange.length === 0) return undefined
      throw new ConformanceFailure({
        expected: 'warehouse_codes of shipping methods to be those of warehouses',
        came: `another one at ${someOf(strange.map(({ shipping_method_id }) => shipping_method_id))}`,
        remedy: 'Leave warehouses out that are not sold from, in both answers.',
      })
    },
  },
  {
    id: 'shipping_methods.days',
    states: 'A shipping method takes at most as long as its longest estimate.',
    async run(erp) {
      const turned = (await shippingMethods(erp)).find(
        ({ estimated_days }) => estimated_days.max < estimated_days.min,
      )
      if (!turned) return undefined
      throw new ConformanceFailure({
        expected: 'estimated_days with min not above max',
        came: `${turned.estimated_days.min} to ${turned.estimated_days.max} at ${turned.shipping_method_id}`,
        remedy: 'Answer the same number twice where only one is known.',
      })
    },
  },
]

async function shippingMethods(erp: Erp): Promise<readonly ErpShippingMethod[]> {
  return (await asked(erp, 'shipping_methods', {})).shipping_methods
}

/** Throws a `ConformanceFailure` for ids of which one comes twice. */
export function requireUnique(field: string, ids: readonly string[]) {
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length === 0) return
  throw new ConformanceFailure({
    expected: `each ${field} once`,
    came: `${someOf(new Set(twice))} twice`,
    remedy: 'Answer one entry for each.',
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
