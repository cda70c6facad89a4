import { control, findAdminToken, sandboxOption } from '../admin-token.ts'
import { bodyOptions, readBody } from '../body.ts'
import { command } from '../command.ts'
import { say } from '../context.ts'
import { UsageError } from '../failures.ts'
import { printDocument, readCount, readDuration } from '../print.ts'

export const sandboxStock = command({
  name: 'sandbox stock',
  summary: 'set the stock of a SKU in a warehouse',
  examples: [['sandbox stock AUSYD1 SBX-OOS 25', '']],
  args: {
    warehouse: { help: 'the warehouse, such as AUSYD1' },
    sku: { help: 'the SKU' },
    on_hand: { help: 'the pieces on hand' },
  },
  options: sandboxOption,
  async run(context, { args, options }) {
    const on_hand = args.on_hand === '0' ? 0 : readCount('on_hand', args.on_hand, 0)
    const admin = await findAdminToken(context, options.sandbox)
    const body = { warehouse_code: args.warehouse, sku: args.sku, on_hand }
    await printDocument(context, await control(context, 'stock', body, admin))
  },
})

export const sandboxPrice = command({
  name: 'sandbox price',
  summary: 'set the wholesale price of a SKU, in minor units',
  examples: [['sandbox price SBX-LAST-1 1500', '15.00 in every warehouse']],
  args: { sku: { help: 'the SKU' }, price: { help: 'in minor units: 1500 is 15.00' } },
  options: sandboxOption,
  async run(context, { args, options }) {
    const admin = await findAdminToken(context, options.sandbox)
    const body = { sku: args.sku, price_wholesale: readCount('price', args.price, 0) }
    await printDocument(context, await control(context, 'price', body, admin))
  },
})

const order = { id: { help: 'the id of an order of yours, ord_… or dso_…' } } as const

export const sandboxShip = command({
  name: 'sandbox ship',
  summary: 'ship an order now',
  examples: [['sandbox ship dso_01J…', '']],
  args: order,
  async run(context, { args }) {
    const body = args.id.startsWith('dso_') ? { dropship_order_id: args.id } : { order_id: args.id }
    await printDocument(context, await control(context, 'ship', body, undefined))
  },
})

export const sandboxIntercept = command({
  name: 'sandbox intercept',
  summary: 'stop a drop-ship order on its way',
  examples: [['sandbox intercept dso_01J…', '']],
  args: order,
  async run(context, { args }) {
    await printDocument(
      context,
      await control(context, 'intercept', { dropship_order_id: args.id }, undefined),
    )
  },
})

export const sandboxClock = command({
  name: 'sandbox clock',
  summary: 'set the clock of the ERP forward: orders are shipped, holds end',
  examples: [['sandbox clock 10m', '']],
  args: { advance: { help: 'a duration such as 30s, 10m or 2h' } },
  options: sandboxOption,
  async run(context, { args, options }) {
    const admin = await findAdminToken(context, options.sandbox)
    const body = { advance_seconds: readDuration('advance', args.advance.replace(/^\+/, '')) / 1000 }
    await printDocument(context, await control(context, 'clock', body, admin))
  },
})

export const sandboxFaults = command({
  name: 'sandbox faults',
  summary: 'make the ERP fail at random, or stop it',
  examples: [
    ['sandbox faults --set after_commit:=0.1 --set hang:=0.05', 'one write in ten loses its response'],
    ['sandbox faults --off', 'no failures any more'],
  ],
  options: {
    file: bodyOptions.file,
    set: bodyOptions.set,
    off: { type: 'boolean', help: 'end the failures' },
    ...sandboxOption,
  },
  async run(context, { options }) {
    const body = options.off ? {} : await readBody(context.input, options)
    if (!body) throw new UsageError('Say which failures, with --set, or --off.')
    const admin = await findAdminToken(context, options.sandbox)
    await printDocument(context, await control(context, 'faults', body, admin))
  },
})

export const sandboxInbox = command({
  name: 'sandbox inbox',
  summary: 'show what an inbox of the sandbox has received, newest first',
  isReading: true,
  description:
    'An inbox is a receiver without a public URL: register {base_url}/sandbox/inbox/NAME as a webhook endpoint.',
  examples: [['sandbox inbox my-shop --json | jq .', '']],
  args: { name: { help: 'the name of the inbox' } },
  async run(context, { args }) {
    const client = await context.connect()
    const path = `/sandbox/inbox/${encodeURIComponent(args.name)}`
    const found = await client.request('GET', path, { signal: context.signal })
    const data = typeof found === 'object' && found !== null && 'data' in found ? found.data : found
    const messages: readonly unknown[] = Array.isArray(data) ? data : [data]
    for (const message of messages) {
      if (context.globals.json) await context.out.json(message)
      else if (typeof message === 'object' && message !== null) await context.out.document(message)
    }
    if (messages.length === 0) await say(context, 'The inbox is empty.')
  },
})
