import type { TradeGateway } from '@trade-gateway/sdk'
import { control, findAdminToken, sandboxOption } from '../admin-token.ts'
import { bodyOptions } from '../body.ts'
import { command } from '../command.ts'
import { type Context, say } from '../context.ts'
import { eventTypes } from '../event-types.ts'
import { UsageError } from '../failures.ts'
import { createTrialOrder, findAvailable, requireSandbox } from '../first-order.ts'
import { printDocument } from '../print.ts'

const types = [...eventTypes, 'webhook.test']

export const webhooksTrigger = command({
  name: 'webhooks trigger',
  summary: 'cause an event in a sandbox, by what causes it in real life',
  description:
    'order.created submits a drop-ship order, stock.changed changes the stock of a SKU, webhook.test asks the gateway for a test delivery.',
  examples: [
    ['webhooks trigger order.created', ''],
    ['webhooks trigger stock.changed --set sku=SBX-OOS --set quantity_available=5', ''],
    ['webhooks trigger webhook.test --endpoint whe_01J…', 'works outside a sandbox, too'],
  ],
  agents:
    'The API agrees with the event, because it really happened. stock.changed follows within 5 seconds.',
  args: { type: { help: types.join(', '), choices: types } },
  options: {
    set: {
      ...bodyOptions.set,
      value: 'FIELD=VALUE',
      help: 'sku, warehouse_code and quantity_available; default a SKU in stock, and one piece more',
    },
    endpoint: { type: 'string', value: 'ENDPOINT_ID', help: 'the endpoint of webhook.test' },
    ...sandboxOption,
  },
  async run(context, { args, options }) {
    const { signal } = context
    const client = await context.connect()
    const fields = readFields(options.set)
    if (args.type === 'webhook.test') {
      if (options.endpoint === undefined)
        throw new UsageError('Which endpoint?', '`tgw webhooks list` shows them. Give one with --endpoint.')
      return printDocument(context, await client.webhookEndpoints.test(options.endpoint, { signal }))
    }
    await requireSandbox(client, signal)
    if (args.type === 'order.created') {
      const sku = fields.get('sku') ?? (await findAvailable(client, signal)).sku
      return printDocument(context, await client.dropship.submit(createTrialOrder(sku), { signal }))
    }
    await changeStock(context, client, fields, await findAdminToken(context, options.sandbox))
  },
})

const fieldNames = ['sku', 'warehouse_code', 'quantity_available']

function readFields(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((each) => {
      const [, name = '', value = ''] = /^(\w+):?=(.*)$/.exec(each) ?? []
      if (fieldNames.includes(name)) return [name, value]
      throw new UsageError(`--set ${each} is not possible.`, `The fields are: ${fieldNames.join(', ')}.`)
    }),
  )
}

function readQuantity(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new UsageError(`quantity_available must be a whole number, and is "${given}".`)
}

/** Sets the stock so that as much is available as was asked for. What is held stays held. */
async function changeStock(
  context: Context,
  client: TradeGateway,
  fields: ReadonlyMap<string, string>,
  adminToken: string,
): Promise<void> {
  const { signal } = context
  const sku = fields.get('sku') ?? (await findAvailable(client, signal)).sku
  const warehouse_code = fields.get('warehouse_code') ?? 'AUSYD1'
  const row = await client.stock.list(warehouse_code, { sku }, { signal }).first()
  const held = (row?.quantity_on_hand ?? 0) - (row?.quantity_available ?? 0)
  const wanted = fields.get('quantity_available')
  const available = wanted === undefined ? (row?.quantity_available ?? 0) + 1 : readQuantity(wanted)
  const body = { warehouse_code, sku, on_hand: held + available }
  await control(context, 'stock', body, adminToken)
  await printDocument(context, { sku, warehouse_code, quantity_available: available })
  await say(context, 'The event follows within 5 seconds.')
}
