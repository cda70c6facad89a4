import { asBody, bodyOptions, readBody, requireBody } from '../body.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import type { ArgumentSpecs } from '../declaration.ts'
import { exampleOrder } from '../first-order.ts'
import { describePeriod, periodOptions, readPeriod } from '../period.ts'
import { listOptions, printDocument, printRows, readCount } from '../print.ts'
import { keyOption, performWrite } from '../writes.ts'

const orderId = {
  dropship_order_id: { help: 'the id of the drop-ship order, such as dso_…' },
} as const satisfies ArgumentSpecs
const columns = [
  'dropship_order_id',
  'client_order_number',
  'serial_number',
  'sku',
  'quantity',
  'status',
  'created_at',
]

const orderOptions = {
  ...bodyOptions,
  sku: { type: 'string', value: 'SKU', help: 'the SKU, instead of the one in the file' },
  quantity: { type: 'string', value: 'N', help: 'the number of pieces, instead of the one in the file' },
  number: { type: 'string', value: 'NUMBER', help: 'client_order_number, instead of the one in the file' },
} as const

interface OrderGiven {
  readonly file: string | undefined
  readonly set: readonly string[]
  readonly sku: string | undefined
  readonly quantity: string | undefined
  readonly number: string | undefined
}

async function readOrder(context: Context, given: OrderGiven): Promise<object | undefined> {
  const { sku, quantity, number } = given
  return readBody(context.input, given, {
    sku,
    quantity: quantity === undefined ? undefined : readCount('quantity', quantity, 1),
    client_order_number: number,
  })
}

export const dropshipList = command({
  name: 'dropship list',
  summary: 'list drop-ship orders, newest first',
  isReading: true,
  examples: [['dropship list --number WEB-1001', 'the order with your own number']],
  options: {
    ...listOptions,
    ...periodOptions,
    status: { type: 'string', value: 'STATUS', help: 'only this status' },
    number: { type: 'string', value: 'NUMBER', help: 'only with this client_order_number' },
    serial: { type: 'string', value: 'NUMBER', help: 'only with this serial_number of the ERP' },
  },
  async run(context, { options }) {
    const client = await context.connect()
    const filters = asBody<Parameters<typeof client.dropship.list>[0]>({
      ...readPeriod(options),
      ...(options.status === undefined ? {} : { status: options.status }),
      ...(options.number === undefined ? {} : { client_order_number: options.number }),
      ...(options.serial === undefined ? {} : { serial_number: options.serial }),
    })
    // A look-up by number has no period.
    const isLookUp = (options.number ?? options.serial) !== undefined
    const note = isLookUp ? undefined : describePeriod(options, 'orders whose outcome is unknown')
    const rows = client.dropship.list(filters, { signal: context.signal })
    await printRows(context, rows, columns, { ...options, note })
  },
})

export const dropshipGet = command({
  name: 'dropship get',
  summary: 'show a drop-ship order or a preview',
  isReading: true,
  examples: [['dropship get dso_01J…', '']],
  args: orderId,
  async run(context, { args }) {
    const client = await context.connect()
    await printDocument(
      context,
      await client.dropship.read(args.dropship_order_id, { signal: context.signal }),
    )
  },
})

export const dropshipPreview = command({
  name: 'dropship preview',
  summary: 'hold the stock for 15 minutes, and show allocation, arrival and cost',
  examples: [['dropship preview -f order.json', '']],
  agents:
    'A shortage is no failure: read `fulfillable`. Release the stock with `tgw dropship release` if you do not submit.',
  options: { ...orderOptions, ...keyOption },
  async run(context, { options }) {
    if (options.example) return context.out.line(JSON.stringify(exampleOrder, null, 2))
    const client = await context.connect()
    const body = requireBody<Parameters<typeof client.dropship.preview>[0]>(await readOrder(context, options))
    const facts = { what: 'preview a drop-ship order', key: options['idempotency-key'] }
    const preview = await performWrite(context, facts, (write) => client.dropship.preview(body, write))
    await printDocument(context, preview)
  },
})

export const dropshipSubmit = command({
  name: 'dropship submit',
  summary: 'submit the preview of the same number and SKU, or allocate stock now',
  examples: [
    ['dropship submit --example > order.json', 'a body to start from'],
    ['dropship submit -f order.json --number WEB-1002', 'the same with another number'],
  ],
  agents:
    'Spends money outside a sandbox, where it requires --yes. If it ends with 7 or is interrupted, repeat it with the printed --idempotency-key.',
  options: { ...orderOptions, ...keyOption },
  async run(context, { options }) {
    if (options.example) return context.out.line(JSON.stringify(exampleOrder, null, 2))
    const client = await context.connect()
    const body = requireBody<Parameters<typeof client.dropship.submit>[0]>(await readOrder(context, options))
    const facts = { what: 'submit a drop-ship order', key: options['idempotency-key'] }
    const order = await performWrite(context, facts, (write) => client.dropship.submit(body, write))
    await printDocument(context, order)
  },
})

export const dropshipRelease = command({
  name: 'dropship release',
  summary: 'release the stock that a preview holds',
  examples: [['dropship release dso_01J…', '']],
  args: orderId,
  options: keyOption,
  async run(context, { args, options }) {
    const client = await context.connect()
    const facts = { what: `release the stock of ${args.dropship_order_id}`, key: options['idempotency-key'] }
    const released = await performWrite(context, facts, (write) =>
      client.dropship.release(args.dropship_order_id, write),
    )
    await printDocument(context, released)
  },
})

export const dropshipVoid = command({
  name: 'dropship void',
  summary: 'void a drop-ship order, or intercept it on its way',
  examples: [['dropship void dso_01J…', '']],
  args: orderId,
  options: keyOption,
  async run(context, { args, options }) {
    const client = await context.connect()
    const facts = { what: `void the order ${args.dropship_order_id}`, key: options['idempotency-key'] }
    const order = await performWrite(context, facts, (write) =>
      client.dropship.void(args.dropship_order_id, write),
    )
    await printDocument(context, order)
  },
})
