import { createServer } from 'node:http'
import { callOperation, createErp, type Erp, erpClient, erpServer } from '@trade-gateway/connector'
import { type ConformanceOptions, conformanceChecks } from '@trade-gateway/connector/conformance'
import { afterAll, describe, expect, it } from 'vitest'
import { Activity } from './activity.ts'
import { createBuiltInCatalogue } from './catalogue/built-in.ts'
import { leastHashCost, openSandboxErp, type SandboxErpOptions } from './erp.ts'

const today = '2026-11-21'
/** An hour at which the day in Sydney is not that of UTC. */
const clock = { now: () => Date.parse(`${today}T14:00:00Z`) }
const movesPerCall = 5
const account = {
  account_id: 'acc-1',
  username: 'buyer@sandbox.example',
  password: 'a password of the test',
  name: 'Harbour Trading',
  customer_code: 'CUST-HARBOUR',
}
const known: ConformanceOptions = {
  customer_code: account.customer_code,
  ordering: { warehouse_code: 'AUSYD1', sku: 'SBX-OOS' },
  credentials: { username: account.username, password: account.password },
  other_customer_code: 'CUST-LANTERN',
  now: clock.now,
}
const closers: (() => Promise<unknown> | unknown)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function openSandbox(capabilities: NonNullable<SandboxErpOptions['capabilities']>) {
  const opened = await openSandboxErp({
    path: ':memory:',
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 40, today }),
    catalogue_id: 'the catalogue of the test',
    accounts: [account],
    hashCost: leastHashCost,
    clock,
    capabilities,
  })
  // The simulated activity does not change the figures of trigger SKUs such as this one.
  opened.steering.setStock({ warehouse_code: 'AUSYD1', sku: 'SBX-OOS', on_hand: 100 })
  closers.push(() => opened.close())
  return opened
}

/** Opens a sandbox ERP with simulated activity before every call. */
async function openErpWithActivity(
  capabilities: NonNullable<SandboxErpOptions['capabilities']>,
): Promise<Erp> {
  const { erp, store } = await openSandbox(capabilities)
  const activity = new Activity(store, 1, clock)
  return createErp((id, input, options) => {
    activity.performSteps(movesPerCall)
    return callOperation(erp, id, input, options)
  })
}

async function serve(erp: Erp) {
  const token = 'the token of the test'
  const server = createServer(erpServer(erp, { token }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const url = `http://127.0.0.1:${address.port}`
  const client = erpClient(url, token)
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  closers.push(() => client.close())
  return { erp: client.erp, http: { url, token } }
}

const poor = { stock_seq: false, sign_in: false, ledger: false }
const poorest = { ...poor, changes: 'none' } as const
const still = ['stock', 'products'].flatMap((subject) =>
  ['repeatable', 'complete', 'followed'].map((id) => `${subject}.changed.${id}`),
)
/** What does not happen in these runs: nobody ships or books. */
const uneventful = ['orders.shipped', 'ledger.back_dated']
const full = [
  'stock.seq.absent',
  'sign_in.unsupported',
  'ledger.none',
  'orders.none',
  'orders.hold.none',
  'orders.lookup.none',
  'orders.settle.none',
  'orders.allocates_from',
  ...uneventful,
]
/** The styles do not change with the simulated activity. */
const stillProducts = still.filter((id) => id.startsWith('products.'))
const tellsChanges = ['stock.changed.none', 'products.changed.none']
const orderIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('orders.'))
const ledgerIds = conformanceChecks()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('ledger.'))
const lacking = [
  ...orderIds,
  ...ledgerIds.filter((id) => id !== 'ledger.none'),
  ...['stock.seq.rows', 'stock.seq.answers'],
  ...['sign_in.refused', 'sign_in.odd', 'sign_in.right', 'sign_in.expiry'],
]
const lackingChanges = ['stock', 'products'].flatMap((subject) =>
  ['own', 'repeatable', 'ends', 'complete', 'followed'].map((id) => `${subject}.changed.${id}`),
)

const cautious = {
  dedupes_by_reference: false,
  lookup: 'none',
  holds: 'none',
  changes: 'none',
  lookup_lag_ms: 0,
} as const
const lackingCaution = orderIds.filter(
  (id) =>
    ['orders.none', 'orders.settle.none', 'orders.settle.told', 'orders.allocates_from'].includes(id) ||
    /hold\.(?!none)|hold_over|submit\.(once|hold)|once|lookup\.(?!none)/.test(id),
)

interface World {
  readonly name: string
  readonly erp: Erp
  readonly http?: { readonly url: string; readonly token: string }
  /** The ids of the checks that this ERP skips. An ERP in process also skips the HTTP checks. */
  readonly skips: readonly string[]
}

const worlds: readonly World[] = [
  {
    name: 'in process, that forgets references and holds nothing',
    erp: (await openSandbox(cautious)).erp,
    skips: [
      ...lackingChanges,
      ...lackingCaution,
      ...uneventful,
      ...['stock.seq.absent', 'sign_in.unsupported', 'ledger.none'],
    ],
  },
  { name: 'in process', erp: (await openSandbox({})).erp, skips: [...still, ...full, ...tellsChanges] },
  {
    name: 'over HTTP',
    ...(await serve((await openSandbox({})).erp)),
    skips: [...still, ...full, ...tellsChanges],
  },
  {
    name: 'in process, poor',
    erp: (await openSandbox(poor)).erp,
    skips: [...still, ...lacking, ...tellsChanges],
  },
  {
    name: 'over HTTP, poor',
    ...(await serve((await openSandbox(poor)).erp)),
    skips: [...still, ...lacking, ...tellsChanges],
  },
  {
    name: 'in process, telling no changes',
    erp: (await openSandbox(poorest)).erp,
    skips: [...lacking, ...lackingChanges],
  },
  {
    name: 'in process, at work',
    erp: await openErpWithActivity({}),
    skips: [...stillProducts, ...full, ...tellsChanges],
  },
  {
    name: 'over HTTP, poor, at work',
    ...(await serve(await openErpWithActivity(poor))),
    skips: [...stillProducts, ...lacking, ...tellsChanges],
  },
  {
    name: 'in process, telling no changes, at work',
    erp: await openErpWithActivity(poorest),
    skips: [...lacking, ...lackingChanges],
  },
]

describe.each(worlds)('the sandbox ERP $name', ({ erp, http, skips }) => {
  const checks = conformanceChecks({ ...known, ...(http ? { http } : {}) })

  it.each(checks)('$id: $states', async ({ id, run }) => {
    const skipped = await run(erp)
    const doesNotApply = skips.includes(id) || (!http && id.startsWith('http.'))
    expect(skipped?.skipped ?? '').toMatch(doesNotApply ? /./ : /^$/)
  })
})

describe('the orders of the suite', () => {
  it.each(worlds)('leave no active hold $name', async ({ erp }) => {
    const answer = await erp['stock.read']({ warehouse_code: 'AUSYD1', skus: ['SBX-OOS'] })
    expect('ok' in answer && answer.ok.rows[0]?.quantity_available).toBe(100)
  })
})
