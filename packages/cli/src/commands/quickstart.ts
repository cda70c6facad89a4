import type { TradeGateway } from '@trade-gateway/sdk'
import { command } from '../command.ts'
import { type Context, say } from '../context.ts'
import { createTrialOrder, findAvailable, requireSandbox, trialPrefix } from '../first-order.ts'
import { signInToSandbox } from './account.ts'

export const quickstart = command({
  name: 'quickstart',
  summary: 'place a first order in a sandbox, step by step',
  description: 'It prints each call, and what you should see. --reset voids what it ordered.',
  examples: [
    ['quickstart --sandbox data/sandbox.json', 'with the file that a sandbox wrote at its start'],
    ['quickstart', 'after tgw login'],
    ['quickstart --reset', 'void the orders of earlier runs'],
  ],
  agents: 'Works in a sandbox only. The last line of --json is the order.',
  options: {
    sandbox: {
      type: 'string',
      value: 'FILE',
      help: 'sign in with the sandbox.json that a sandbox wrote, and keep the profile "sandbox"',
    },
    sku: { type: 'string', value: 'SKU', help: 'what to order; default a SKU that is in stock' },
    reset: { type: 'boolean', help: 'void the orders of earlier runs' },
  },
  async run(context, { options }) {
    const client = await openSandbox(context, options.sandbox)
    await requireSandbox(client, context.signal)
    if (options.reset) return voidTrials(context, client)
    await placeFirstOrder(context, client, options.sku)
  },
})

/** A profile of its own, so that no other one is replaced. */
const sandboxProfile = 'sandbox'

async function openSandbox(context: Context, file: string | undefined): Promise<TradeGateway> {
  if (file === undefined) return context.connect()
  const profile = context.globals.profile ?? sandboxProfile
  await signInToSandbox(context, file, profile)
  return context.connect({ profile })
}

async function placeFirstOrder(
  context: Context,
  client: TradeGateway,
  wanted: string | undefined,
): Promise<void> {
  const { globals, out, signal, paint } = context
  const step = (number: number, what: string, call: string) =>
    say(context, `\n${paint.talk.bold(`${number}. ${what}`)}\n   ${paint.talk.dim(call)}`)

  await step(1, 'Who am I?', 'GET /api/v1/me')
  const { account, channel } = await client.me({ signal })
  await say(context, `   ${account.name} on the channel ${channel.channel_code}, plan ${channel.plan}`)

  await step(2, 'What is in stock?', 'GET /api/v1/warehouses/{warehouse_code}/stock')
  const sku = wanted ?? (await findAvailable(client, signal)).sku
  await say(context, `   You should see a SKU with stock: ${sku}`)

  await step(3, 'What would an order cost?', 'POST /api/v1/dropship-orders/allocation-preview')
  const body = createTrialOrder(sku)
  const preview = await client.dropship.preview(body, { signal })
  const { costs, currency } = preview
  await say(
    context,
    `   You should see a total, and the stock is held for 15 minutes: ${costs?.total} ${currency}`,
  )

  await step(4, 'Order it.', 'POST /api/v1/dropship-orders/submit')
  const order = await client.dropship.submit(body, { signal })
  await say(context, `   You should see a number of the ERP: ${order.serial_number}`)

  if (globals.json) await out.json(order)
  else
    await out.line(
      `\nThe order ${order.dropship_order_id} is placed (${order.status}, ${order.serial_number}).`,
    )
  await say(context, `Undo: tgw quickstart --reset, or tgw dropship void ${order.dropship_order_id}`)
  await say(context, 'Next: tgw webhooks listen --forward-to :3000, or /docs/quickstart on the gateway')
}

/** Voids what earlier runs ordered. An order that was shipped meanwhile stays. */
async function voidTrials(context: Context, client: TradeGateway): Promise<void> {
  const { isGatewayError } = await import('@trade-gateway/sdk')
  const { globals, out, signal } = context
  for await (const order of client.dropship.list({}, { signal })) {
    const { client_order_number: number, dropship_order_id: id, status } = order
    if (!number.startsWith(trialPrefix) || status === 'cancelled' || status === 'intercepted') continue
    try {
      const voided = await client.dropship.void(id, { signal })
      await (globals.json ? out.json(voided) : out.line(`${id} (${number}) is ${voided.status}.`))
    } catch (error) {
      if (!isGatewayError(error, 'UPSTREAM_REJECTED')) throw error
      await say(context, `${id} (${number}) stays: ${error.reason ?? error.message}.`)
    }
  }
  await say(context, 'The orders of `tgw quickstart` are voided.')
}
