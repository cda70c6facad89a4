/**
 * The permissions of a token: plans, accounts with fewer capabilities, the channel's switches for wholesale, drop-ship
 * and webhooks, and the warehouse allowlist.
 */

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../src/catalogue.ts'
import { type Capability, capabilityNames, type Plan } from '../src/contract/call.ts'
import { type Endpoint, endpoint, eraseEndpointTypes, toDataSchema } from '../src/endpoint.ts'
import { capabilitiesOfPlan } from '../src/identity/plans.ts'
import { createPipeline } from '../src/pipeline/pipeline.ts'
import { buyers, call, createWorld, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

const [buyer, other] = buyers
let house: TestGateway
/** The capabilities that the ERP reports for the account; undefined if it reports none. */
let narrowed: string[] | undefined

beforeAll(async () => {
  house = await openTestGateway({
    styles: 1,
    wrapErp: (erp) => ({
      ...erp,
      sign_in: async (input, options) => {
        const answer = await erp.sign_in(input, options)
        if (!('ok' in answer) || narrowed === undefined) return answer
        return { ok: { ...answer.ok, capabilities: narrowed } }
      },
    }),
  })
})
afterAll(() => house.close())

const readMe = (token: string) => call(house, 'GET', '/api/v1/me', { token })

describe('plans', () => {
  const reads = ['stock', 'products', 'orders', 'dropship', 'shipments', 'reservations'].map(
    (subject) => `${subject}.read`,
  )
  const writes = ['orders.write', 'dropship.write', 'reservations.write', 'carts.write']

  it.each([
    ['reader', reads],
    ['trader', [...reads, ...writes, 'webhooks.manage']],
    ['full', [...reads, ...writes, 'webhooks.manage', 'statements.read']],
  ] as const)('%s has exactly the capabilities of the contract', async (plan, expected) => {
    const { token } = await createWorld(house, { plan })
    const { permissions } = (await readMe(token)).json.data
    expect(permissions.toSorted()).toEqual([...expected].toSorted())
  })

  it('name every capability that an endpoint declares, and full has all twelve', () => {
    expect(capabilitiesOfPlan.full).toHaveLength(12)
    for (const { capability } of catalogue)
      if (capability) expect(capabilitiesOfPlan.full).toContain(capability)
  })
})

describe('the capability of each endpoint', () => {
  /**
   * By capability, the paths below `/api/v1/` whose endpoints require it in the released contract. Endpoints that are
   * not listed are not checked.
   */
  const contract: Readonly<Record<string, readonly string[]>> = {
    none: ['me', 'warehouses', 'shipping-methods', 'plan-requests', 'errors', 'idempotency-keys', 'requests'],
    'stock.read': ['warehouses/{warehouse_code}/stock'],
    'products.read': ['products'],
    'shipments.read': ['shipments'],
    'statements.read': ['balances', 'transactions', 'bills', 'refunds', 'freight-bills'],
    'webhooks.manage': ['webhook-endpoints', 'webhook-deliveries', 'events'],
  }
  const readsAndWrites: Readonly<Record<string, readonly [string, string]>> = {
    orders: ['orders.read', 'orders.write'],
    carts: ['orders.read', 'carts.write'],
    addresses: ['orders.read', 'orders.write'],
    'dropship-orders': ['dropship.read', 'dropship.write'],
    reservations: ['reservations.read', 'reservations.write'],
  }

  function findPromisedCapability(method: string, path: string): string | undefined {
    const rest = path.replace('/api/v1/', '')
    const pair = readsAndWrites[rest.split('/')[0] ?? '']
    if (pair) return method === 'GET' ? pair[0] : pair[1]
    const fits = Object.entries(contract).flatMap(([capability, prefixes]) =>
      prefixes
        .filter((prefix) => rest === prefix || rest.startsWith(`${prefix}/`))
        .map((prefix) => ({ capability, length: prefix.length })),
    )
    return fits.toSorted((a, b) => b.length - a.length)[0]?.capability
  }

  const ones = catalogue.filter(({ access }) => access === 'bearer')
  it.each(ones.map((each) => [`${each.method} ${each.path}`, each] as const))('%s', (_name, each) => {
    const capability = findPromisedCapability(each.method, each.path)
    if (capability !== undefined) expect(each.capability ?? 'none').toBe(capability)
  })
})

describe('SCOPE_DENIED', () => {
  it('tells the capability, the present plan and the smallest one that has it', async () => {
    narrowed = ['products.read']
    const token = await signInBuyer(house, buyer, 'trader')
    const { status, json } = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token })
    expect(status).toBe(403)
    expect(json.error).toMatchObject({
      code: 'SCOPE_DENIED',
      required_capability: 'stock.read',
      plan: 'trader',
      required_plan: 'reader',
    })
    narrowed = undefined
  })

  it('says whether the plan or the account lacks it', async () => {
    const readRefusal = async (
      plan: Plan,
      capabilities: readonly Capability[] | undefined,
      capability: Capability = 'statements.read',
    ) => {
      const answer = await callDeclaredEndpoint({ capability }, { plan, capabilities })
      return JSON.parse(String(answer.body)).error
    }
    expect((await readRefusal('trader', undefined)).message).toContain('The plan trader does not have it')
    expect((await readRefusal('full', ['stock.read'])).message).toContain('The OMS account')
    expect((await readRefusal('full', ['stock.read'], 'orders.read')).message).toContain('The OMS account')
    expect((await readRefusal('trader', ['stock.read'])).message).toContain(
      'The plan trader does not have it',
    )
    expect(await readRefusal('trader', undefined)).toMatchObject({ plan: 'trader', required_plan: 'full' })
  })
})

describe('an OMS account', () => {
  it('narrows its channel’s plan and never widens it', async () => {
    const token = await signInBuyer(house, other, 'reader')
    expect((await readMe(token)).json.data.permissions).toEqual([...capabilitiesOfPlan.reader])
    for (const [said, left] of [
      [['stock.read', 'statements.read', 'orders.write', 'fly.to.the.moon'], ['stock.read']],
      [[], []],
      [[...capabilityNames], [...capabilitiesOfPlan.reader]],
    ] as const) {
      narrowed = [...said]
      const body = { grant_type: 'password', username: other.username, password: other.password }
      const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
      narrowed = undefined
      expect(json.scope).toBe(left.join(' '))
      expect((await readMe(json.access_token)).json.data.permissions).toEqual(left)
    }
  })

  it('goes on narrowing when the plan grows', async () => {
    narrowed = ['stock.read', 'statements.read']
    const token = await signInBuyer(house, other)
    narrowed = undefined
    expect((await readMe(token)).json.data.permissions).toEqual(['stock.read'])
    await call(house, 'PATCH', `/admin/api/channels/channel-of-${other.customer_code}`, {
      admin: house.gateway.config.adminToken ?? '',
      body: { plan: 'full' },
    })
    expect((await readMe(token)).json.data.permissions).toEqual(['stock.read', 'statements.read'])
  })
})

describe('the allowlist', () => {
  const readStockCode = async (token: string, code: string) => {
    const { status, json } = await call(house, 'GET', `/api/v1/warehouses/${code}/stock`, { token })
    return json.error?.code ?? status
  }

  it('is compared literally: a view on it grants itself and not its members, and the other way round', async () => {
    const view = (await createWorld(house, { warehouse_allowlist: ['AU'] })).token
    expect(await readStockCode(view, 'AU')).toBe(200)
    for (const code of ['AUSYD1', 'AUSYD2', 'CN', 'CHNZJ1'])
      expect(await readStockCode(view, code)).toBe('WAREHOUSE_DENIED')
    const members = (await createWorld(house, { warehouse_allowlist: ['AUSYD1', 'AUSYD2'] })).token
    expect(await readStockCode(members, 'AUSYD1')).toBe(200)
    expect(await readStockCode(members, 'AU')).toBe('WAREHOUSE_DENIED')
  })

  it('comes after the question whether there is such a warehouse, and codes have one spelling', async () => {
    const { token } = await createWorld(house, { warehouse_allowlist: ['AUSYD1'] })
    for (const code of ['NOWHERE', 'ausyd1', 'AUSYD1%20', '__proto__', 'constructor'])
      expect(await readStockCode(token, code)).toBe('WAREHOUSE_UNKNOWN')
    const { json } = await call(house, 'GET', '/api/v1/warehouses/AUSYD2/stock', { token })
    expect(json.error).toMatchObject({ code: 'WAREHOUSE_DENIED', param: 'warehouse_code' })
    expect(json.error.message).toContain('AUSYD1')
  })

  it('allows all where it is empty, and the list of warehouses shows the allowed ones only', async () => {
    const all = (await createWorld(house)).token
    const some = (await createWorld(house, { warehouse_allowlist: ['CN', 'AUSYD2'] })).token
    const listWarehouses = async (token: string) =>
      (await call(house, 'GET', '/api/v1/warehouses', { token })).json.data.map(
        ({ warehouse_code }: { warehouse_code: string }) => warehouse_code,
      )
    expect(await listWarehouses(all)).toEqual(['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN'])
    expect(await listWarehouses(some)).toEqual(['AUSYD2', 'CN'])
    for (const code of ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN'])
      expect(await readStockCode(all, code)).toBe(200)
  })
})

interface Declared {
  readonly capability: Capability
  readonly oms?: true
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly businessSwitch?: 'wholesale' | 'dropship' | 'webhooks'
}

interface Token {
  readonly plan?: Plan
  readonly capabilities?: readonly Capability[] | undefined
  readonly switches?: Readonly<Record<string, boolean>>
  readonly account?: boolean
}

const untranslated = { source: '', summary: '', description: '' }

/** Calls an endpoint that the test declares, through the real pipeline and with a real token. */
async function callDeclaredEndpoint(
  { capability, oms, method = 'POST', businessSwitch }: Declared,
  token: Token,
) {
  const declared = endpoint({
    id: 'test.endpoint',
    group: 'support',
    summary: 'A test',
    description: 'A test.',
    translations: { zh: { 'test.endpoint': untranslated }, ko: { 'test.endpoint': untranslated } },
    method,
    path: '/api/v1/test',
    access: 'bearer',
    capability,
    ...(oms ? { oms } : {}),
    ...(businessSwitch ? { businessSwitch } : {}),
    errors: [],
    params: {},
    query: {},
    result: toDataSchema(z.string()),
    handle: () => ({ data: 'handled' }),
  })
  const bearer = await createToken(token)
  const sendCall = createPipeline(house.gateway, [eraseEndpointTypes(declared)])
  return sendCall({
    method,
    path: '/api/v1/test',
    rawQuery: '',
    requestId: 'req_of_a_test',
    language: 'en',
    address: undefined,
    header: (name) => (name === 'authorization' ? [`Bearer ${bearer}`] : []),
    body: async () => Buffer.from('{}'),
    params: {},
  })
}

/**
 * Creates a channel and a token for it. With `account` or `capabilities`, the token has an account, as after a password
 * grant.
 */
async function createToken({ plan = 'full', capabilities, switches = {}, account }: Token): Promise<string> {
  const { token, channel_code } = await createWorld(house, { plan, ...switches })
  if (capabilities === undefined && !account) return token
  await house.gateway.store.db
    .updateTable('sessions')
    .set({
      grant_type: 'password',
      account_id: `acc_${randomBytes(4).toString('hex')}`,
      account_name: 'A person',
      username: 'person@test.example',
      capabilities: capabilities ? JSON.stringify(capabilities) : null,
    })
    .where('channel_code', '=', channel_code)
    .execute()
  return token
}

const readCodeOrStatus = async (declared: Declared, token: Token) => {
  const { status, code } = await callDeclaredEndpoint(declared, token)
  return code ?? status
}

describe('creation', () => {
  const creation: Declared = { capability: 'orders.write', oms: true }

  it('is OMS_LOGIN_REQUIRED to a token of the channel grant, and open to one of an account', async () => {
    expect(await readCodeOrStatus(creation, {})).toBe('OMS_LOGIN_REQUIRED')
    expect(await readCodeOrStatus(creation, { account: true })).toBe(200)
  })

  it('is SCOPE_DENIED before it is OMS_LOGIN_REQUIRED', async () => {
    expect(await readCodeOrStatus(creation, { plan: 'reader' })).toBe('SCOPE_DENIED')
  })

  it('of anything else works with either grant', async () => {
    expect(await readCodeOrStatus({ capability: 'orders.write' }, {})).toBe(200)
    expect(await readCodeOrStatus({ capability: 'orders.write' }, { account: true })).toBe(200)
  })
})

describe('a business switch that is off', () => {
  const describeTokenWithout = (business: string): Token => ({
    account: true,
    switches: { [`${business}_enabled`]: false },
  })
  const creations: readonly [string, Declared][] = [
    ['wholesale', { capability: 'orders.write', oms: true, businessSwitch: 'wholesale' }],
    ['wholesale', { capability: 'reservations.write', oms: true, businessSwitch: 'wholesale' }],
    ['dropship', { capability: 'dropship.write', oms: true, businessSwitch: 'dropship' }],
    ['webhooks', { capability: 'webhooks.manage', businessSwitch: 'webhooks' }],
  ]

  it.each(creations)('%s: refuses to begin something new (%o)', async (business, declared) => {
    const answer = await callDeclaredEndpoint(declared, describeTokenWithout(business))
    expect(answer.status).toBe(403)
    expect(JSON.parse(String(answer.body)).error).toMatchObject({
      code: 'SCOPE_DENIED',
      reason: 'switched_off',
      required_capability: declared.capability,
      plan: 'full',
      message: expect.stringContaining(`${business}_enabled`),
      hint: expect.stringContaining('The operator has switched this off'),
    })
    expect(String(answer.body)).not.toContain('plan-requests')
  })

  it('leaves the other businesses alone', async () => {
    for (const [business, declared] of creations)
      for (const another of ['wholesale', 'dropship', 'webhooks'].filter((each) => each !== business))
        expect(
          await readCodeOrStatus(declared, describeTokenWithout(another)),
          `${declared.capability}, ${another} off`,
        ).toBe(200)
  })

  /**
   * Returns the switch that an endpoint must declare: only endpoints that create or change something have one. Orders
   * require an OMS account (`oms`), webhook endpoints do not.
   */
  const findBusinessSwitch = ({ capability, oms, method }: Endpoint) => {
    if (capability === 'webhooks.manage') return ['GET', 'DELETE'].includes(method) ? undefined : 'webhooks'
    if (!oms) return undefined
    return capability === 'dropship.write' ? 'dropship' : 'wholesale'
  }

  it.each([...catalogue, ...adminCatalogue, ...sandboxCatalogue].map((each) => [each.id, each] as const))(
    'is declared by %s exactly if it begins something new',
    (_id, endpoint) => {
      expect(endpoint.businessSwitch).toBe(findBusinessSwitch(endpoint))
    },
  )

  it('lets an endpoint without one through', async () => {
    for (const business of ['wholesale', 'dropship', 'webhooks'])
      expect(
        await readCodeOrStatus(
          { capability: 'dropship.write', method: 'DELETE' },
          describeTokenWithout(business),
        ),
      ).toBe(200)
  })
})
