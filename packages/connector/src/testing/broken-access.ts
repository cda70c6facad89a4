import { ok, rejected, UnknownOutcome } from '../erp.ts'
import { changeCapabilities, changeOutput, type Mutant, renameCode, replaceOperation } from './broken.ts'

/** Faulty ERPs for the checks of descriptions, customers, sign-in and calls, by the id of the check that must detect each one. */
export const brokenAccess: Readonly<Record<string, Mutant>> = {
  'describe.stable': (erp) => {
    let calls = 0
    return changeOutput(erp, 'describe', (output) => ({ ...output, name: `call ${++calls}` }))
  },
  'describe.lookup': (erp) => changeCapabilities(erp, { lookup: 'eventual', lookup_lag_ms: 0 }),
  'warehouses.unique': (erp) =>
    changeOutput(erp, 'warehouses', ({ warehouses }) => ({ warehouses: [...warehouses, ...warehouses] })),
  'warehouses.codes': (erp) => renameCode(erp, 'SOUTH', 'SOUTH/2'),
  'warehouses.timezone': (erp) =>
    changeOutput(erp, 'warehouses', ({ warehouses }) => ({
      warehouses: warehouses.map((one) => ({ ...one, timezone: 'Mars/Olympus' })),
    })),
  'shipping_methods.unique': (erp) =>
    changeOutput(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: [...methods, ...methods],
    })),
  'shipping_methods.codes': (erp) => renameCode(erp, 'road', 'road\u200b'),
  'shipping_methods.warehouses': (erp) =>
    changeOutput(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((one) => ({ ...one, warehouse_codes: ['EAST'] })),
    })),
  'shipping_methods.days': (erp) =>
    changeOutput(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((one) => ({ ...one, estimated_days: { min: 5, max: 2 } })),
    })),

  'customers.known': (erp) =>
    changeOutput(erp, 'addresses', ({ addresses }) => ({ addresses: [...addresses, ...addresses] })),
  'customers.unknown': (erp) =>
    replaceOperation(erp, 'sellable', async () => ok({ rule: 'all_but', skus: [] })),
  'sign_in.unsupported': (erp) => changeCapabilities(erp, { sign_in: false }),
  'sign_in.refused': (erp) =>
    replaceOperation(erp, 'sign_in', (input, run) =>
      input.username === 'buyer'
        ? run(input)
        : Promise.resolve(rejected('bad_credentials', 'There is no such account.')),
    ),
  'sign_in.odd': (erp) =>
    replaceOperation(erp, 'sign_in', (input, run) =>
      run(input.username === '%' ? { ...input, username: 'buyer' } : input),
    ),
  'sign_in.right': (erp) =>
    changeOutput(erp, 'sign_in', (session) => ({ ...session, session: 'the only one' })),
  'sign_in.expiry': (erp) =>
    changeOutput(erp, 'sign_in', (session) => ({ ...session, session_expires_at: '2026-11-21T00:00:00Z' })),

  'calls.parallel': (erp) => {
    let running = 0
    return replaceOperation(erp, 'products.snapshot', async (input, run) => {
      running += 1
      await new Promise(setImmediate)
      if (running > 1) throw new UnknownOutcome('failed', 'The only connection is in use.')
      const result = await run(input)
      running -= 1
      return result
    })
  },
  'calls.aborted': (erp) =>
    replaceOperation(erp, 'warehouses', async (input, run, signal) => {
      signal?.throwIfAborted()
      return run(input)
    }),
}
