import type { ErrorCode } from '../../contract/errors.ts'
import { curlOf, type Sample } from '../reference/samples.ts'

/**
 * How each code is provoked in the sandbox: real requests, shown on the code's page and walked by a test. Words with a
 * dollar are shell variables: what `npm start` prints, or what an earlier step keeps of its answer.
 */
export interface Trigger {
  /** A server setting that it needs, as `WRITES_ENABLED=0`. */
  readonly setting?: string
  readonly steps: readonly Step[]
}

export interface Step extends Sample {
  /** What later steps need of the answer: variables, and the fields that hold them. */
  readonly keep?: Readonly<Record<string, string>>
  /** Not waited for: the next step runs beside it. */
  readonly isBackground?: boolean
  /** Sent so many times in a row. */
  readonly times?: number
  /** Passes before the next step. */
  readonly waitSeconds?: number
}

type Loose = Omit<Partial<Step>, 'method' | 'path'>

const json = { 'Content-Type': 'application/json' }
const bearer = (token = 'TOKEN') => ({ Authorization: `Bearer $${token}` })
const get = (path: string, headers: Readonly<Record<string, string>> = bearer(), more: Loose = {}): Step => ({
  method: 'GET',
  path,
  query: {},
  headers,
  body: undefined,
  ...more,
})
const post = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = bearer(),
  more: Loose = {},
): Step => ({ method: 'POST', path, query: {}, headers: { ...headers, ...json }, body, ...more })

const recipient = {
  name: 'Alex Lee',
  phone: '+61 2 5550 1234',
  address: '1 Example Street',
  city: 'Sydney',
  state: 'NSW',
  postal_code: '2000',
  country_code: 'AU',
}
const dropship = (sku = 'SBX-SHORT-3') => ({ sku, quantity: 1, client_order_number: '$NAME', recipient })
const previewPath = '/api/v1/dropship-orders/allocation-preview'
const preview = (headers: Readonly<Record<string, string>>, more: Loose = {}) =>
  post(previewPath, dropship(), { ...bearer(), ...headers }, more)
const cart = (quantity: number) =>
  post(
    '/api/v1/carts',
    { items: [{ sku: 'SBX-SHORT-3', quantity }] },
    { ...bearer(), 'Idempotency-Key': '$NAME' },
  )
const draft = post('/api/v1/orders', { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }, bearer(), {
  keep: { ORDER_ID: 'order_id' },
})

/** A channel of one's own with a narrower plan, list or quota, and its token. */
function channelWith(fields: Readonly<Record<string, unknown>>): Step[] {
  const admin = { 'x-admin-token': '$ADMIN_TOKEN' }
  const channel = { channel_code: '$NAME', name: 'Trial', plan: 'full', ...fields }
  const grant = { client_id: '$ID', client_secret: '$SECRET' }
  return [
    post('/admin/api/channels', channel, admin, { keep: { ID: 'client_id', SECRET: 'client_secret' } }),
    post('/api/v1/auth/token', grant, {}, { keep: { LIMITED_TOKEN: 'access_token' } }),
  ]
}

export const triggers: Readonly<Record<ErrorCode, Trigger>> = {
  AUTH_MISSING_TOKEN: { steps: [get('/api/v1/me', {})] },
  AUTH_INVALID_TOKEN: { steps: [get('/api/v1/me', { Authorization: 'Bearer not.a.token' })] },
  AUTH_EXPIRED: {
    setting: 'TOKEN_TTL_SECONDS=1',
    steps: [
      post(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { SHORT_TOKEN: 'access_token' }, waitSeconds: 2 },
      ),
      get('/api/v1/me', bearer('SHORT_TOKEN')),
    ],
  },
  SCOPE_DENIED: {
    steps: [
      ...channelWith({ plan: 'reader' }),
      post('/api/v1/carts', { items: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }, bearer('LIMITED_TOKEN')),
    ],
  },
  WAREHOUSE_DENIED: {
    steps: [
      ...channelWith({ warehouse_allowlist: ['AUSYD1'] }),
      get('/api/v1/warehouses/CHNZJ1/stock', bearer('LIMITED_TOKEN'), { query: { sku: 'SBX-SHORT-3' } }),
    ],
  },
  AUTHZ_UNAVAILABLE: {
    steps: [get('/api/v1/me', { ...bearer(), 'X-Sandbox-Fault': 'AUTHZ_UNAVAILABLE' })],
  },
  VALIDATION_FAILED: {
    steps: [get('/api/v1/warehouses/AUSYD1/stock', bearer(), { query: { page_size: '0' } })],
  },
  NOT_FOUND: { steps: [get('/api/v1/warehouses/AUSYD1/stock', bearer(), { query: { sku: 'NO-SUCH-SKU' } })] },
  OWNERSHIP_DENIED: {
    steps: [draft, ...channelWith({}), get('/api/v1/orders/$ORDER_ID', bearer('LIMITED_TOKEN'))],
  },
  UPSTREAM_ERROR: { steps: [preview({ 'X-Sandbox-Fault': 'UPSTREAM_ERROR' })] },
  UPSTREAM_TIMEOUT: { steps: [preview({ 'X-Sandbox-Fault': 'UPSTREAM_TIMEOUT' })] },
  INTERNAL: { steps: [get('/api/v1/me', { ...bearer(), 'X-Sandbox-Fault': 'INTERNAL' })] },
  ADMIN_UNAUTHORIZED: { steps: [get('/admin/api/channels', { 'x-admin-token': 'wrong' })] },
  ADMIN_DISABLED: {
    setting: 'ADMIN_TOKEN=',
    steps: [get('/admin/api/channels', { 'x-admin-token': 'any' })],
  },
  IDEMPOTENCY_IN_PROGRESS: {
    steps: [
      preview(
        { 'Idempotency-Key': '$NAME', 'X-Sandbox-Fault': 'SLOW;delay=3000' },
        { isBackground: true, waitSeconds: 1 },
      ),
      preview({ 'Idempotency-Key': '$NAME' }),
    ],
  },
  IDEMPOTENCY_MISMATCH: { steps: [cart(1), cart(2)] },
  IDEMPOTENCY_INVALID_KEY: { steps: [preview({ 'Idempotency-Key': 'two words' })] },
  RATE_LIMITED: {
    steps: [
      ...channelWith({ points_per_minute: 60 }),
      get('/api/v1/warehouses/AUSYD1/stock', bearer('LIMITED_TOKEN'), { times: 2 }),
    ],
  },
  BAD_REQUEST: { steps: [post('/api/v1/carts', '{"items": [')] },
  READ_ONLY_MODE: { setting: 'WRITES_ENABLED=0', steps: [preview({})] },
  ENDPOINT_GONE: { steps: [get('/Api/Stock/List', {})] },
  WAREHOUSE_UNKNOWN: { steps: [get('/api/v1/warehouses/NOWHERE/stock')] },
  UPSTREAM_REJECTED: { steps: [post('/api/v1/dropship-orders/submit', dropship('SBX-REJECT'))] },
  AUTH_BAD_CREDENTIALS: {
    steps: [post('/api/v1/auth/token', { client_id: '$CLIENT_ID', client_secret: 'wrong' }, {})],
  },
  AUTH_LOCKED: {
    steps: [
      post(
        '/api/v1/auth/token',
        { grant_type: 'password', username: '$NAME', password: 'wrong' },
        {},
        { times: 6 },
      ),
    ],
  },
  DUPLICATE_SUSPECTED: {
    steps: [post('/api/v1/dropship-orders/submit', dropship(), bearer(), { times: 2 })],
  },
  OMS_LOGIN_REQUIRED: {
    steps: [
      post(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { CHANNEL_TOKEN: 'access_token' } },
      ),
      post(previewPath, dropship(), bearer('CHANNEL_TOKEN')),
    ],
  },
  SHIPPING_REQUIRED: {
    steps: [draft, { ...post('/api/v1/orders/$ORDER_ID/allocation-preview', undefined), headers: bearer() }],
  },
}

/** The steps as commands for a POSIX shell. */
export function shellOf({ setting, steps }: Trigger): string {
  const start = setting === undefined ? [] : [`# ${setting} npm start`]
  return [...start, ...steps.map(commandOf)].join('\n')
}

function commandOf({ keep, isBackground, times, waitSeconds, ...sample }: Step): string {
  const curl = curlOf(sample)
  const command = keep ? kept(curl, Object.entries(keep)) : isBackground ? `${curl} &` : curl
  const repeated = times === undefined ? command : `for _ in $(seq ${times}); do\n${command}\ndone`
  return waitSeconds === undefined ? repeated : `${repeated}\nsleep ${waitSeconds}`
}

/** Keeps fields of an answer in variables, with nothing but `sed`. */
function kept(curl: string, fields: readonly (readonly [variable: string, field: string])[]): string {
  const taken = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
  const [only, ...more] = fields
  if (only && more.length === 0) return `${only[0]}=$(${curl} | ${taken(only[1])})`
  const lines = fields.map(([variable, field]) => `${variable}=$(printf %s "$ANSWER" | ${taken(field)})`)
  return [`ANSWER=$(${curl})`, ...lines].join('\n')
}

/** The variables that the reader has to set. */
export function variablesOf({ steps }: Trigger): string[] {
  const made = new Set(steps.flatMap(({ keep = {} }) => Object.keys(keep)))
  const used = JSON.stringify(steps).match(/\$[A-Z][A-Z_]*/g) ?? []
  return [...new Set(used.map((name) => name.slice(1)))].filter((name) => !made.has(name))
}
