import { ok, rejected, UnknownOutcome } from '../erp.ts'
import { changed, describedAs, type Mutant, replaced } from './broken.ts'

/** By check: the fault of what an ERP says of itself, of customers, sign-in or calls that it is there to find. */
export const brokenAccess: Readonly<Record<string, Mutant>> = {
  'describe.stable': (erp) => {
    let calls = 0
    return changed(erp, 'describe', (output) => ({ ...output, name: `call ${++calls}` }))
  },
  'describe.lookup': (erp) => describedAs(erp, { lookup: 'eventual', lookup_lag_ms: 0 }),
  'warehouses.unique': (erp) =>
    changed(erp, 'warehouses', ({ warehouses }) => ({ warehouses: [...warehouses, ...warehouses] })),
  'warehouses.timezone': (erp) =>
    changed(erp, 'warehouses', ({ warehouses }) => ({
      warehouses: warehouses.map((one) => ({ ...one, timezone: 'Mars/Olympus' })),
    })),
  'shipping_methods.unique': (erp) =>
    changed(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: [...methods, ...methods],
    })),
  'shipping_methods.warehouses': (erp) =>
    changed(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((one) => ({ ...one, warehouse_codes: ['EAST'] })),
    })),
  'shipping_methods.days': (erp) =>
    changed(erp, 'shipping_methods', ({ shipping_methods: methods }) => ({
      shipping_methods: methods.map((one) => ({ ...one, estimated_days: { min: 5, max: 2 } })),
    })),

  'customers.known': (erp) =>
    changed(erp, 'addresses', ({ addresses }) => ({ addresses: [...addresses, ...addresses] })),
  'customers.unknown': (erp) => replaced(erp, 'sellable', async () => ok({ rule: 'all_but', skus: [] })),
  'sign_in.unsupported': (erp) => describedAs(erp, { sign_in: false }),
  'sign_in.refused': (erp) =>
    replaced(erp, 'sign_in', (input, run) =>
      input.username === 'buyer'
        ? run(input)
        : Promise.resolve(rejected('bad_credentials', 'There is no such account.')),
    ),
  'sign_in.odd': (erp) =>
    replaced(erp, 'sign_in', (input, run) =>
      run(input.username === '%' ? { ...input, username: 'buyer' } : input),
    ),
  'sign_in.right': (erp) => changed(erp, 'sign_in', (session) => ({ ...session, session: 'the only one' })),
  'sign_in.expiry': (erp) =>
    changed(erp, 'sign_in', (session) => ({ ...session, session_expires_at: '2026-11-21T00:00:00Z' })),

  'calls.parallel': (erp) => {
    let running = 0
    return replaced(erp, 'products.snapshot', async (input, run) => {
      running += 1
      await new Promise(setImmediate)
      if (running > 1) throw new UnknownOutcome('failed', 'The only connection is in use.')
      const answer = await run(input)
      running -= 1
      return answer
    })
  },
  'calls.aborted': (erp) =>
    replaced(erp, 'warehouses', async (input, run, signal) => {
      signal?.throwIfAborted()
      return run(input)
    }),
}
