/**
 * Describes the operations as OpenAPI 3.1, so that a connector can be written in any language. The document is checked
 * in as `contract/connector-openapi.json` and written by `npm run contract`.
 */
import { z } from 'zod'
import {
  allocation,
  arrival,
  costs,
  delivery,
  erpDocument,
  incoming,
  orderLine,
  quote,
  recipient,
  reference,
  shipment,
  shortage,
} from './documents.ts'
import { operationIds } from './erp.ts'
import {
  capabilities,
  erpAddress,
  erpProduct,
  erpShippingMethod,
  erpSku,
  erpWarehouse,
  type OperationId,
  operations,
  rejectionReasons,
  stockFigure,
} from './operations.ts'
import { erpBalance, erpBill, erpFreightBill, erpRefund, erpTransaction, spanBalance } from './statements.ts'

/** The version of the protocol. Its minor number grows with operations, fields and capabilities. */
export const protocolVersion = '1.1.0'

const failed = z.object({ failed: z.string() })
const rejection = z.object({
  reason: z.enum(rejectionReasons),
  message: z.string(),
  shortages: z.array(shortage).optional(),
})

/** The schemas that several operations share, by their names in the document. */
const shared = {
  Capabilities: capabilities,
  Reference: reference,
  Warehouse: erpWarehouse,
  StockFigure: stockFigure,
  Incoming: incoming,
  Product: erpProduct,
  Sku: erpSku,
  ShippingMethod: erpShippingMethod,
  Address: erpAddress,
  OrderLine: orderLine,
  Recipient: recipient,
  Delivery: delivery,
  Allocation: allocation,
  Costs: costs,
  Arrival: arrival,
  Quote: quote,
  Shipment: shipment,
  Document: erpDocument,
  Shortage: shortage,
  Balance: erpBalance,
  SpanBalance: spanBalance,
  Transaction: erpTransaction,
  Bill: erpBill,
  Refund: erpRefund,
  FreightBill: erpFreightBill,
  Rejection: rejection,
  Failure: failed,
} as const

const refOf = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })

/** Builds the document. */
export function buildConnectorOpenApi() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Trade Gateway connector protocol',
      version: protocolVersion,
      description:
        'What Trade Gateway asks of a connector, a small HTTP server in front of an ERP. The gateway is the client. ' +
        'Every call that the connector understood has status 200: `ok` with the result, or `rejected`, which says that the ' +
        'call created and changed nothing. Every other status is an unknown outcome: the gateway repeats a read (but not ' +
        'after 400), and looks up or settles a write. Amounts are integers in minor units of their currency. ' +
        'packages/connector/README.md states the rules, and `npm run conformance` checks a connector.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'The URL of the connector (`UPSTREAM_URL`); a path in front is kept' },
    ],
    security: [{ bearer: [] }],
    tags: [
      { name: 'read', description: 'Operations that change nothing. The gateway may repeat them.' },
      {
        name: 'write',
        description: 'Operations that change the ERP. The gateway never sends one twice by itself.',
      },
    ],
    paths: Object.fromEntries(operationIds.map((id) => [`/${id}`, { post: describeOperation(id) }])),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of both sides (`UPSTREAM_TOKEN`)' },
      },
      schemas: buildSchemas(),
    },
  }
}

/** The document as it is checked in. */
export function serializeConnectorOpenApi(): string {
  return `${JSON.stringify(buildConnectorOpenApi(), null, 2)}\n`
}

/** Converts `stock.read` to `StockRead`. */
function toName(id: OperationId): string {
  return id.replaceAll(/(?:^|[._])([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

function describeOperation(id: OperationId) {
  const { kind, summary } = operations[id]
  const failure = (description: string) => ({ description, content: json(refOf('Failure')) })
  return {
    operationId: id,
    tags: [kind],
    summary: `${id} (${kind})`,
    description: summary,
    requestBody: { required: true, content: json(refOf(`${toName(id)}Input`)) },
    responses: {
      200: {
        description: 'The result, or a refusal',
        content: json({
          oneOf: [
            {
              type: 'object',
              required: ['ok'],
              properties: { ok: refOf(`${toName(id)}Output`) },
              additionalProperties: false,
            },
            {
              type: 'object',
              required: ['rejected'],
              properties: { rejected: refOf('Rejection') },
              additionalProperties: false,
            },
          ],
        }),
      },
      400: failure('The input is malformed'),
      401: failure('The bearer token is missing or wrong'),
      413: failure('The body is larger than 4 MiB'),
      500: failure('The connector failed: the outcome is unknown'),
    },
  }
}

/**
 * Builds the named schemas. They are what a sender may write: a field with a default may be left out, and a receiver
 * ignores fields that it does not know.
 */
function buildSchemas(): Record<string, unknown> {
  const named = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(shared)) named.add(schema, { id })
  for (const id of operationIds) {
    const { input, output } = operations[id]
    named.add(input, { id: `${toName(id)}Input` })
    named.add(output, { id: `${toName(id)}Output` })
  }
  const { schemas } = z.toJSONSchema(named, {
    io: 'input',
    uri: (name) => `#/components/schemas/${name}`,
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]),
  )
}
