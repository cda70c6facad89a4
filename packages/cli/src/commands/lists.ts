import { command } from '../command.ts'
import { listOptions, printDocument, printRows } from '../print.ts'

async function* each<T>(rows: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* rows
}

export const warehouses = command({
  name: 'warehouses',
  summary: 'list the warehouses that you may use',
  isReading: true,
  examples: [['warehouses', '']],
  async run(context) {
    const client = await context.connect()
    const rows = each(await client.warehouses.list({ signal: context.signal }))
    await printRows(context, rows, ['warehouse_code', 'name', 'currency'], { limit: undefined, all: true })
  },
})

export const shippingMethods = command({
  name: 'shipping-methods',
  summary: 'list the ways to ship, for wholesale orders',
  isReading: true,
  examples: [['shipping-methods', '']],
  options: listOptions,
  async run(context, { options }) {
    const client = await context.connect()
    const rows = client.shippingMethods.list({}, { signal: context.signal })
    await printRows(context, rows, ['shipping_method_id', 'name', 'carrier'], options)
  },
})

export const addresses = command({
  name: 'addresses',
  summary: 'list the addresses of the customer, for wholesale orders',
  isReading: true,
  examples: [['addresses', '']],
  options: listOptions,
  async run(context, { options }) {
    const client = await context.connect()
    const rows = client.addresses.list({}, { signal: context.signal })
    await printRows(context, rows, ['address_id', 'name', 'city', 'country_code'], options)
  },
})

export const productsSearch = command({
  name: 'products search',
  summary: 'find goods by a word of their name, or by a code',
  isReading: true,
  examples: [
    ['products search linen', ''],
    ['products search SBX --json | jq .', 'every field'],
  ],
  args: { text: { help: 'a word' } },
  options: listOptions,
  async run(context, { args, options }) {
    const client = await context.connect()
    const rows = client.products.list({ q: args.text }, { signal: context.signal })
    await printRows(context, rows, ['product_code', 'name', 'brand', 'category'], options)
  },
})

export const productsGet = command({
  name: 'products get',
  summary: 'show a style with its SKUs',
  isReading: true,
  examples: [['products get LIN-0042', '']],
  args: { product_code: { help: 'the code of the style' } },
  async run(context, { args }) {
    const client = await context.connect()
    await printDocument(context, await client.products.read(args.product_code, { signal: context.signal }))
  },
})
