import { asBody, bodyOptions, readBody, requireBody } from '../body.ts'
import { command } from '../command.ts'
import type { ArgumentSpecs } from '../declaration.ts'
import { describePeriod, periodOptions, readPeriod } from '../period.ts'
import { listOptions, printDocument, printRows } from '../print.ts'
import { keyOption, performWrite } from '../writes.ts'

const orderId = { order_id: { help: 'the id of the order, such as ord_…' } } as const satisfies ArgumentSpecs
const columns = ['order_id', 'client_order_number', 'status', 'status_raw', 'in_doubt', 'created_at']
const fileOptions = { file: bodyOptions.file, set: bodyOptions.set } as const

const example = {
  client_order_number: 'PO-1001',
  lines: [{ sku: 'SBX-SHORT-3', quantity: 2 }],
  shipping: { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' },
}

export const orderList = command({
  name: 'order list',
  summary: 'list wholesale orders, newest first',
  isReading: true,
  examples: [['order list --status confirmed', 'the submitted ones']],
  options: {
    ...listOptions,
    ...periodOptions,
    status: {
      type: 'string',
      value: 'STATUS',
      help: 'only this status',
      choices: ['draft', 'confirmed', 'cancelled'],
    },
    number: { type: 'string', value: 'NUMBER', help: 'only with this client_order_number' },
  },
  async run(context, { options }) {
    const client = await context.connect()
    const filters = asBody<Parameters<typeof client.orders.list>[0]>({
      ...readPeriod(options),
      ...(options.status === undefined ? {} : { status: options.status }),
      ...(options.number === undefined ? {} : { client_order_number: options.number }),
    })
    // A look-up by number has no period.
    const isLookUp = options.number !== undefined
    const note = isLookUp ? undefined : describePeriod(options, 'drafts')
    const rows = client.orders.list(filters, { signal: context.signal })
    await printRows(context, rows, columns, { ...options, note })
  },
})

export const orderGet = command({
  name: 'order get',
  summary: 'show a wholesale order',
  isReading: true,
  examples: [['order get ord_01J…', '']],
  args: orderId,
  async run(context, { args }) {
    const client = await context.connect()
    await printDocument(context, await client.orders.read(args.order_id, { signal: context.signal }))
  },
})

export const orderCreate = command({
  name: 'order create',
  summary: 'create a draft',
  description: 'A draft holds no stock and costs nothing.',
  examples: [
    ['order create --example > order.json', 'a body to start from'],
    ['order create -f order.json', 'create the draft'],
  ],
  agents: 'Then `tgw order preview ORDER_ID`, and `tgw order submit ORDER_ID` if it can be fulfilled.',
  options: { ...bodyOptions, ...keyOption },
  async run(context, { options }) {
    if (options.example) return context.out.line(JSON.stringify(example, null, 2))
    const client = await context.connect()
    const body = requireBody<Parameters<typeof client.orders.create>[0]>(
      await readBody(context.input, options),
    )
    const facts = { what: 'create an order', key: options['idempotency-key'] }
    const order = await performWrite(context, facts, (write) => client.orders.create(body, write))
    await printDocument(context, order)
  },
})

export const orderPreview = command({
  name: 'order preview',
  summary: 'show what can be allocated, what is short, when it arrives and what it costs',
  description: 'A body is a what-if, and changes nothing.',
  examples: [['order preview ord_01J…', '']],
  args: orderId,
  options: { ...fileOptions, ...keyOption },
  async run(context, { args, options }) {
    const client = await context.connect()
    const body = asBody<Parameters<typeof client.orders.preview>[1]>(await readBody(context.input, options))
    const { signal } = context
    const write =
      options['idempotency-key'] === undefined
        ? { signal }
        : { signal, idempotencyKey: options['idempotency-key'] }
    await printDocument(context, await client.orders.preview(args.order_id, body, write))
  },
})

export const orderSubmit = command({
  name: 'order submit',
  summary: 'submit a draft: allocate its stock and charge it',
  examples: [['order submit ord_01J…', '']],
  agents:
    'Spends money outside a sandbox, where it requires --yes. If it ends with 7 or is interrupted, repeat it with the printed --idempotency-key.',
  args: orderId,
  options: { ...fileOptions, ...keyOption },
  async run(context, { args, options }) {
    const client = await context.connect()
    const body = asBody<Parameters<typeof client.orders.submit>[1]>(await readBody(context.input, options))
    const facts = { what: `submit the order ${args.order_id}`, key: options['idempotency-key'] }
    const order = await performWrite(context, facts, (write) =>
      client.orders.submit(args.order_id, body, write),
    )
    await printDocument(context, order)
  },
})

export const orderVoid = command({
  name: 'order void',
  summary: 'void an order that has not been shipped, and release its stock',
  examples: [['order void ord_01J…', '']],
  args: orderId,
  options: keyOption,
  async run(context, { args, options }) {
    const client = await context.connect()
    const facts = { what: `void the order ${args.order_id}`, key: options['idempotency-key'] }
    const order = await performWrite(context, facts, (write) => client.orders.void(args.order_id, write))
    await printDocument(context, order)
  },
})
