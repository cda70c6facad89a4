/**
 * Draws what an agent sends: calls of every action with arguments that are valid or wrong in one place, endpoints through
 * `call_endpoint`, other methods of the protocol, batches and rubbish.
 */
import fc from 'fast-check'
import { z } from 'zod'
import { catalogue } from '../../src/catalogue.ts'
import { actions, type CompiledAction } from '../../src/mcp/actions.ts'
import { buildModernRequest, revisions } from '../agent.ts'
import { alex, harbourShipping } from '../trade.ts'
import { drawPath, skus, words } from './endpoint-draws.ts'
import { toPlace } from './known.ts'
import { drawValues, mutateOnce } from './schema-values.ts'

const [newest, ...olderRevisions] = revisions

/** A request: its headers besides the usual ones, and its body, in which places stand for earlier results. */
export interface Step {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether it is a call of an action in the right form, whose result is then one of the action. */
  readonly isCall: boolean
}

/** The arguments of `call_endpoint` for every endpoint. */
const endpointCall = fc.constantFrom(...catalogue).chain((endpoint) => {
  const { method, query, body } = endpoint
  return fc.record(
    {
      method: fc.constant(method),
      path: drawPath(endpoint),
      query: drawValues(z.object(query ?? {}), words),
      ...(body ? { body: drawValues(body, words) } : {}),
      idempotency_key: fc.constantFrom('key-1', 'key-2', '', 'é', 'k'.repeat(256)),
    },
    { requiredKeys: ['method', 'path', ...(body ? (['body'] as const) : [])], noNullPrototype: true },
  )
})

function drawArguments({ action }: CompiledAction): fc.Arbitrary<unknown> {
  const values = drawValues(action.input, words)
  if (action.name === 'call_endpoint')
    return fc.oneof({ weight: 5, arbitrary: endpointCall }, { weight: 1, arbitrary: values })
  if (action.name === 'cancel_order') {
    const [order_id, dropship_order_id] = [toPlace('order_id'), toPlace('dropship_order_id')]
    return fc.oneof(values, fc.constantFrom({ order_id }, { dropship_order_id }))
  }
  if (!action.name.startsWith('place_')) return values
  const quote_id = toPlace(action.name === 'place_order' ? 'order_quote' : 'dropship_quote')
  return fc.oneof(values, fc.constant({ quote_id, confirm_total: '{total}' }))
}

interface CallParams {
  readonly name: string
  readonly arguments: unknown
}

const passages = [...actions].filter(([name]) => name === 'call_endpoint')
const callParams: fc.Arbitrary<CallParams> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...actions) },
    { weight: 1, arbitrary: fc.constantFrom(...passages) },
  )
  .chain(([name, each]) => mutateOnce(drawArguments(each)).map((input) => ({ name, arguments: input })))
const otherNames = [
  'order_create',
  'stock_list',
  'nope',
  '',
  '__proto__',
  'constructor',
  'CHECK_STOCK',
  'a\nb',
]
const otherParams: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ name: fc.constantFrom(...otherNames), arguments: fc.jsonValue({ maxDepth: 2 }) }),
  fc.record({
    uri: fc.constantFrom(
      'tgw://me',
      'tgw://warehouses',
      'tgw://errors/NOT_FOUND',
      'tgw://errors/x',
      'tgw:///etc',
    ),
  }),
  fc.record({
    protocolVersion: fc.constantFrom(...revisions, '1'),
    capabilities: fc.constant({}),
    clientInfo: fc.constant({ name: 'a', version: '1' }),
  }),
  fc.jsonValue({ maxDepth: 2 }),
)
const otherMethods = [
  ...[
    'tools/list',
    'tools/call',
    'initialize',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ],
  ...[
    'ping',
    'server/discover',
    'notifications/initialized',
    'notifications/cancelled',
    'subscriptions/listen',
    '',
  ],
]

const messageId = fc.oneof(fc.integer(), fc.string({ maxLength: 4 }))

/** Writes a request of a revision as its clients do. */
function toStep(revision: string, method: string, params: unknown, id: unknown): Step {
  const isModern = revision === newest
  const { headers, body } = buildModernRequest(method, Object(params))
  const message = isModern ? { ...body, id } : { jsonrpc: '2.0', id, method, params }
  const modern = Object.entries<string>(headers).filter(([name]) => name !== 'accept')
  const older: [string, string][] = [['mcp-protocol-version', revision]]
  return { headers: isModern ? modern : older, body: JSON.stringify(message), isCall: false }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

export const rightCall: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(newest, newest, ...olderRevisions), callParams, messageId)
  .map(([revision, params, id]) => ({
    ...toStep(revision, 'tools/call', params, id),
    isCall: isObject(params.arguments),
  }))
export const otherStep: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(newest, ...olderRevisions), fc.constantFrom(...otherMethods), otherParams, messageId)
  .map(([revision, method, params, id]) => toStep(revision, method, params, id))
const strangeHeader = fc.tuple(
  fc.constantFrom(
    'Mcp-Method',
    'Mcp-Name',
    'MCP-Protocol-Version',
    'Origin',
    'Mcp-Session-Id',
    'Last-Event-ID',
  ),
  fc.constantFrom('tools/call', 'tools/list', 'list_endpoints', newest, '2025-11-25', 'http://evil', ''),
)
/** Messages that are wrong in one place, batches, and bodies that are no messages, under any headers. */
export const strangeStep: fc.Arbitrary<Step> = fc.record({
  headers: fc.array(strangeHeader, { maxLength: 4 }),
  body: fc.oneof(
    mutateOnce(fc.oneof(rightCall, otherStep).map(({ body }) => JSON.parse(body))).map((value) =>
      JSON.stringify(value),
    ),
    fc
      .array(fc.oneof(rightCall, otherStep), { maxLength: 3 })
      .map((steps) => `[${steps.map(({ body }) => body).join()}]`),
    fc.json({ maxDepth: 4 }),
  ),
  isCall: fc.constant(false),
})

/** A quote and its placement, which is wrong in one place or not, and perhaps a repetition. */
export const ordering: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.constantFrom('order', 'dropship'),
    fc.constantFrom(...skus),
    fc.integer({ min: 1, max: 3 }),
    fc.uuid(),
  )
  .chain(([kind, sku, quantity, client_order_number]) => {
    const order = { lines: [{ sku, quantity }], shipping: harbourShipping, warehouse_code: 'AUSYD1' }
    const parcel = { sku, quantity, recipient: alex, client_order_number, warehouse_code: 'AUSYD1' }
    const quote = { name: `quote_${kind}`, arguments: kind === 'order' ? order : parcel }
    const quote_id = toPlace(kind === 'order' ? 'order_quote' : 'dropship_quote')
    const placement = mutateOnce(fc.constant({ quote_id, confirm_total: '{total}' }))
    const step = (params: CallParams, id: number) => ({
      ...toStep(newest, 'tools/call', params, id),
      isCall: isObject(params.arguments),
    })
    return fc
      .tuple(fc.array(placement, { minLength: 1, maxLength: 2 }), fc.array(rightCall, { maxLength: 2 }))
      .map(([placements, more]) => [
        step(quote, 1),
        ...placements.map((input, at) => step({ name: `place_${kind}`, arguments: input }, at + 2)),
        ...more,
      ])
  })
