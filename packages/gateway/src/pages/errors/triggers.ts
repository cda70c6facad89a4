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
const buildBearerHeader = (token = 'TOKEN') => ({ Authorization: `Bearer $${token}` })
const buildGetStep = (
  path: string,
  headers: Readonly<Record<string, string>> = buildBearerHeader(),
  more: StepOptions = {},
): Step => ({
  method: 'GET',
  path,
  query: {},
  headers,
  body: undefined,
  ...more,
})
const buildPostStep = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = buildBearerHeader(),
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
const buildDropshipBody = (sku = 'SBX-SHORT-3') => ({
  sku,
  quantity: 1,
  client_order_number: '$NAME',
  recipient,
})
const previewPath = '/api/v1/dropship-orders/allocation-preview'
const buildPreviewStep = (headers: Readonly<Record<string, string>>, more: StepOptions = {}) =>
  buildPostStep(previewPath, buildDropshipBody(), { ...buildBearerHeader(), ...headers }, more)
const buildCartStep = (quantity: number) =>
  buildPostStep(
    '/api/v1/carts',
    { items: [{ sku: 'SBX-SHORT-3', quantity }] },
    { ...buildBearerHeader(), 'Idempotency-Key': '$NAME' },
  )
const draftStep = buildPostStep(
  '/api/v1/orders',
  { lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] },
  buildBearerHeader(),
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
    buildPostStep('/admin/api/channels', channel, admin, {
      keep: { ID: 'client_id', SECRET: 'client_secret' },
    }),
    buildPostStep('/api/v1/auth/token', grant, {}, { keep: { LIMITED_TOKEN: 'access_token' } }),
  ]
}

export const triggers: Readonly<Record<ErrorCode, Trigger>> = {
  AUTH_MISSING_TOKEN: { steps: [buildGetStep('/api/v1/me', {})] },
  AUTH_INVALID_TOKEN: { steps: [buildGetStep('/api/v1/me', { Authorization: 'Bearer not.a.token' })] },
  AUTH_EXPIRED: {
    setting: 'TOKEN_TTL_SECONDS=1',
    steps: [
      buildPostStep(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { SHORT_TOKEN: 'access_token' }, waitSeconds: 2 },
      ),
      buildGetStep('/api/v1/me', buildBearerHeader('SHORT_TOKEN')),
    ],
  },
  SCOPE_DENIED: {
    steps: [
      ...createChannelSteps({ plan: 'reader' }),
      buildPostStep(
        '/api/v1/carts',
        { items: [{ sku: 'SBX-SHORT-3', quantity: 1 }] },
        buildBearerHeader('LIMITED_TOKEN'),
      ),
    ],
  },
  WAREHOUSE_DENIED: {
    steps: [
      ...createChannelSteps({ warehouse_allowlist: ['AUSYD1'] }),
      buildGetStep('/api/v1/warehouses/CHNZJ1/stock', buildBearerHeader('LIMITED_TOKEN'), {
        query: { sku: 'SBX-SHORT-3' },
      }),
    ],
  },
  AUTHZ_UNAVAILABLE: {
    steps: [buildGetStep('/api/v1/me', { ...buildBearerHeader(), 'X-Sandbox-Fault': 'AUTHZ_UNAVAILABLE' })],
  },
  VALIDATION_FAILED: {
    steps: [
      buildGetStep('/api/v1/warehouses/AUSYD1/stock', buildBearerHeader(), { query: { page_size: '0' } }),
    ],
  },
  NOT_FOUND: {
    steps: [
      buildGetStep('/api/v1/warehouses/AUSYD1/stock', buildBearerHeader(), { query: { sku: 'NO-SUCH-SKU' } }),
    ],
  },
  OWNERSHIP_DENIED: {
    steps: [
      draftStep,
      ...createChannelSteps({}),
      buildGetStep('/api/v1/orders/$ORDER_ID', buildBearerHeader('LIMITED_TOKEN')),
    ],
  },
  UPSTREAM_ERROR: { steps: [buildPreviewStep({ 'X-Sandbox-Fault': 'UPSTREAM_ERROR' })] },
  UPSTREAM_TIMEOUT: { steps: [buildPreviewStep({ 'X-Sandbox-Fault': 'UPSTREAM_TIMEOUT' })] },
  INTERNAL: {
    steps: [buildGetStep('/api/v1/me', { ...buildBearerHeader(), 'X-Sandbox-Fault': 'INTERNAL' })],
  },
  ADMIN_UNAUTHORIZED: { steps: [buildGetStep('/admin/api/channels', { 'x-admin-token': 'wrong' })] },
  ADMIN_DISABLED: {
    setting: 'ADMIN_TOKEN=',
    steps: [buildGetStep('/admin/api/channels', { 'x-admin-token': 'any' })],
  },
  IDEMPOTENCY_IN_PROGRESS: {
    steps: [
      buildPreviewStep(
        { 'Idempotency-Key': '$NAME', 'X-Sandbox-Fault': 'SLOW;delay=3000' },
        { isBackground: true, waitSeconds: 1 },
      ),
      buildPreviewStep({ 'Idempotency-Key': '$NAME' }),
    ],
  },
  IDEMPOTENCY_MISMATCH: { steps: [buildCartStep(1), buildCartStep(2)] },
  IDEMPOTENCY_INVALID_KEY: { steps: [buildPreviewStep({ 'Idempotency-Key': 'two words' })] },
  RATE_LIMITED: {
    steps: [
      ...createChannelSteps({ points_per_minute: 60 }),
      buildGetStep('/api/v1/warehouses/AUSYD1/stock', buildBearerHeader('LIMITED_TOKEN'), { times: 2 }),
    ],
  },
  BAD_REQUEST: { steps: [buildPostStep('/api/v1/carts', '{"items": [')] },
  READ_ONLY_MODE: { setting: 'WRITES_ENABLED=0', steps: [buildPreviewStep({})] },
  ENDPOINT_GONE: { steps: [buildGetStep('/Api/Stock/List', {})] },
  WAREHOUSE_UNKNOWN: { steps: [buildGetStep('/api/v1/warehouses/NOWHERE/stock')] },
  UPSTREAM_REJECTED: {
    steps: [buildPostStep('/api/v1/dropship-orders/submit', buildDropshipBody('SBX-REJECT'))],
  },
  AUTH_BAD_CREDENTIALS: {
    steps: [buildPostStep('/api/v1/auth/token', { client_id: '$CLIENT_ID', client_secret: 'wrong' }, {})],
  },
  AUTH_LOCKED: {
    steps: [
      buildPostStep(
        '/api/v1/auth/token',
        { grant_type: 'password', username: '$NAME', password: 'wrong' },
        {},
        { times: 6 },
      ),
    ],
  },
  DUPLICATE_SUSPECTED: {
    steps: [
      buildPostStep('/api/v1/dropship-orders/submit', buildDropshipBody(), buildBearerHeader(), { times: 2 }),
    ],
  },
  OMS_LOGIN_REQUIRED: {
    steps: [
      buildPostStep(
        '/api/v1/auth/token',
        { client_id: '$CLIENT_ID', client_secret: '$CLIENT_SECRET' },
        {},
        { keep: { CHANNEL_TOKEN: 'access_token' } },
      ),
      buildPostStep(previewPath, buildDropshipBody(), buildBearerHeader('CHANNEL_TOKEN')),
    ],
  },
  SHIPPING_REQUIRED: {
    steps: [
      draftStep,
      {
        ...buildPostStep('/api/v1/orders/$ORDER_ID/allocation-preview', undefined),
        headers: buildBearerHeader(),
      },
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
