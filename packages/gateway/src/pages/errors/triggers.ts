import type { ErrorCode } from '../../contract/error-table.ts'
import { type Sample, toCurl } from '../reference/samples.ts'

/**
 * How to reproduce a code in the sandbox: real requests, which the code's page shows and a test executes. Words with a
 * dollar sign are shell variables, which `npm start` prints or an earlier step saves.
 */
export interface Trigger {
  /** A server setting that the code requires, such as `WRITES_ENABLED=0`. */
  readonly setting?: string
  readonly steps: readonly Step[]
}

export interface Step extends Sample {
  /** Fields of the response that later steps use, by the variable that saves each. */
  readonly keep?: Readonly<Record<string, string>>
  /** Whether the next step starts while this one is still running. */
  readonly isBackground?: boolean
  /** The number of times that the request is sent; once by default. */
  readonly times?: number
  /** Seconds to wait before the next step. */
  readonly waitSeconds?: number
}

type StepOptions = Omit<Partial<Step>, 'method' | 'path'>

const json = { 'Content-Type': 'application/json' }
const bearerHeader = (token = 'TOKEN') => ({ Authorization: `Bearer $${token}` })
const getStep = (
  path: string,
  headers: Readonly<Record<string, string>> = bearerHeader(),
  more: StepOptions = {},
): Step => ({
  method: 'GET',
  path,
  query: {},
  headers,
  body: undefined,
  ...more,
})
const postStep = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = bearerHeader(),
  more: StepOptions = {},
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
const dropshipBody = (sku = 'SBX-SHORT-3') => ({ sku, quantity: 1, client_order_number: '$NAME', recipient })
const previewPath = '/api/v1/dropship-orders/allocation-preview'
const previewStep = (headers: Readonly<Record<string, string>>, more: StepOptions = {}) =>
  postStep(previewPath, dropshipBody(), { ...bearerHeader(), ...headers }, more)
const cartStep = (quantity: number) =>
  postStep(
    '/api/v1/carts',
    { items: [{ sku: 'SBX-SHORT-3', quantity }] },
    { ...bearerHeader(), 'Idempotency-Key': '$NAME' },
  )
const draftStep = postStep(
  '/api/v1/orders',
  { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] },
  bearerHeader(),
  {
    keep: { ORDER_ID: 'order_id' },
  },
)

/** Creates a channel with a restricted plan, allowlist or quota, and a token for it. */
function createChannelSteps(fields: Readonly<Record<string, unknown>>): Step[] {
  const admin = { 'x-admin-token': '$ADMIN_TOKEN' }
  const channel = { channel_code: '$NAME', name: 'Trial', plan: 'full', ...fields }
  const grant = { client_id: '$ID', client_secret: '$SECRET' }
  return [
    postStep('/admin/api/channels', channel, admin, { keep: { ID: 'client_id', SECRET: 'client_secret' } }),
    postStep('/api/v1/auth/token', grant, {}, { keep: { LIMITED_TOKEN: 'access_token' } }),
  ]
}

export const triggers: Readonly<Record<ErrorCode, Trigger>> = {
  AUTH_MISSING_TOKEN: { steps: [getStep('/api/v1/me', {})] },
  AUTH_INVALID_TOKEN: { steps: [getStep('/api/v1/me', { Authorization: 'Bearer not.a.token' })] },
  AUTH_EXPIRED: {
    setting: 'TOKEN_TTL_SECONDS=1',
    steps: [
      postStep(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { SHORT_TOKEN: 'access_token' }, waitSeconds: 2 },
      ),
      getStep('/api/v1/me', bearerHeader('SHORT_TOKEN')),
    ],
  },
  SCOPE_DENIED: {
    steps: [
      ...createChannelSteps({ plan: 'reader' }),
      postStep(
        '/api/v1/carts',
        { items: [{ sku: 'SBX-SHORT-3', quantity: 1 }] },
        bearerHeader('LIMITED_TOKEN'),
      ),
    ],
  },
  WAREHOUSE_DENIED: {
    steps: [
      ...createChannelSteps({ warehouse_allowlist: ['AUSYD1'] }),
      getStep('/api/v1/warehouses/CHNZJ1/stock', bearerHeader('LIMITED_TOKEN'), {
        query: { sku: 'SBX-SHORT-3' },
      }),
    ],
  },
  AUTHZ_UNAVAILABLE: {
    steps: [getStep('/api/v1/me', { ...bearerHeader(), 'X-Sandbox-Fault': 'AUTHZ_UNAVAILABLE' })],
  },
  VALIDATION_FAILED: {
    steps: [getStep('/api/v1/warehouses/AUSYD1/stock', bearerHeader(), { query: { page_size: '0' } })],
  },
  NOT_FOUND: {
    steps: [getStep('/api/v1/warehouses/AUSYD1/stock', bearerHeader(), { query: { sku: 'NO-SUCH-SKU' } })],
  },
  OWNERSHIP_DENIED: {
    steps: [
      draftStep,
      ...createChannelSteps({}),
      getStep('/api/v1/orders/$ORDER_ID', bearerHeader('LIMITED_TOKEN')),
    ],
  },
  UPSTREAM_ERROR: { steps: [previewStep({ 'X-Sandbox-Fault': 'UPSTREAM_ERROR' })] },
  UPSTREAM_TIMEOUT: { steps: [previewStep({ 'X-Sandbox-Fault': 'UPSTREAM_TIMEOUT' })] },
  INTERNAL: { steps: [getStep('/api/v1/me', { ...bearerHeader(), 'X-Sandbox-Fault': 'INTERNAL' })] },
  ADMIN_UNAUTHORIZED: { steps: [getStep('/admin/api/channels', { 'x-admin-token': 'wrong' })] },
  ADMIN_DISABLED: {
    setting: 'ADMIN_TOKEN=',
    steps: [getStep('/admin/api/channels', { 'x-admin-token': 'any' })],
  },
  IDEMPOTENCY_IN_PROGRESS: {
    steps: [
      previewStep(
        { 'Idempotency-Key': '$NAME', 'X-Sandbox-Fault': 'SLOW;delay=3000' },
        { isBackground: true, waitSeconds: 1 },
      ),
      previewStep({ 'Idempotency-Key': '$NAME' }),
    ],
  },
  IDEMPOTENCY_MISMATCH: { steps: [cartStep(1), cartStep(2)] },
  IDEMPOTENCY_INVALID_KEY: { steps: [previewStep({ 'Idempotency-Key': 'two words' })] },
  RATE_LIMITED: {
    steps: [
      ...createChannelSteps({ points_per_minute: 60 }),
      getStep('/api/v1/warehouses/AUSYD1/stock', bearerHeader('LIMITED_TOKEN'), { times: 2 }),
    ],
  },
  BAD_REQUEST: { steps: [postStep('/api/v1/carts', '{"items": [')] },
  READ_ONLY_MODE: { setting: 'WRITES_ENABLED=0', steps: [previewStep({})] },
  ENDPOINT_GONE: { steps: [getStep('/Api/Stock/List', {})] },
  WAREHOUSE_UNKNOWN: { steps: [getStep('/api/v1/warehouses/NOWHERE/stock')] },
  UPSTREAM_REJECTED: { steps: [postStep('/api/v1/dropship-orders/submit', dropshipBody('SBX-REJECT'))] },
  AUTH_BAD_CREDENTIALS: {
    steps: [postStep('/api/v1/auth/token', { client_id: '$CLIENT_ID', client_secret: 'wrong' }, {})],
  },
  AUTH_LOCKED: {
    steps: [
      postStep(
        '/api/v1/auth/token',
        { grant_type: 'password', username: '$NAME', password: 'wrong' },
        {},
        { times: 6 },
      ),
    ],
  },
  DUPLICATE_SUSPECTED: {
    steps: [postStep('/api/v1/dropship-orders/submit', dropshipBody(), bearerHeader(), { times: 2 })],
  },
  OMS_LOGIN_REQUIRED: {
    steps: [
      postStep(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { CHANNEL_TOKEN: 'access_token' } },
      ),
      postStep(previewPath, dropshipBody(), bearerHeader('CHANNEL_TOKEN')),
    ],
  },
  SHIPPING_REQUIRED: {
    steps: [
      draftStep,
      { ...postStep('/api/v1/orders/$ORDER_ID/allocation-preview', undefined), headers: bearerHeader() },
    ],
  },
}

/** Formats the steps as commands for a POSIX shell. */
export function toShellScript({ setting, steps }: Trigger): string {
  const start = setting === undefined ? [] : [`# ${setting} npm start`]
  return [...start, ...steps.map(toCommand)].join('\n')
}

function toCommand({ keep, isBackground, times, waitSeconds, ...sample }: Step): string {
  const curl = toCurl(sample)
  const command = keep ? saveFields(curl, Object.entries(keep)) : isBackground ? `${curl} &` : curl
  const repeated = times === undefined ? command : `for _ in $(seq ${times}); do\n${command}\ndone`
  return waitSeconds === undefined ? repeated : `${repeated}\nsleep ${waitSeconds}`
}

/** Saves fields of a response in variables, using only `sed`. */
function saveFields(curl: string, fields: readonly (readonly [variable: string, field: string])[]): string {
  const buildExtraction = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
  const [only, ...more] = fields
  if (only && more.length === 0) return `${only[0]}=$(${curl} | ${buildExtraction(only[1])})`
  const lines = fields.map(
    ([variable, field]) => `${variable}=$(printf %s "$ANSWER" | ${buildExtraction(field)})`,
  )
  return [`ANSWER=$(${curl})`, ...lines].join('\n')
}

/** Lists the variables that the reader must set. */
export function listVariables({ steps }: Trigger): string[] {
  const made = new Set(steps.flatMap(({ keep = {} }) => Object.keys(keep)))
  const used = JSON.stringify(steps).match(/\$[A-Z][A-Z_]*/g) ?? []
  return [...new Set(used.map((name) => name.slice(1)))].filter((name) => !made.has(name))
}
