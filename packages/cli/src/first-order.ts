import { randomUUID } from 'node:crypto'
import type { Sent, TradeGateway } from '@trade-gateway/sdk'
import { CommandError } from './failures.ts'

/** The numbers of orders that this command made, so that it finds them again to void them. */
export const trialPrefix = 'TGW-'

export type DropshipOrder = Sent<'dropship.submit'>

/** A body that works in a sandbox as it is. */
export const exampleOrder = {
  sku: 'SBX-SHORT-3',
  quantity: 1,
  client_order_number: 'WEB-1001',
  recipient: {
    name: 'Alex Lee',
    phone: '+61 2 5550 1234',
    address: '1 Example Street',
    city: 'Sydney',
    state: 'NSW',
    postal_code: '2000',
    country_code: 'AU',
  },
} as const satisfies DropshipOrder

/** A name that no other order has, so that the gateway does not suspect a duplicate. */
export function createTrialOrder(sku: string): DropshipOrder {
  const id = randomUUID().slice(0, 8)
  const recipient = { ...exampleOrder.recipient, name: `Alex Lee ${id}` }
  return { ...exampleOrder, sku, client_order_number: `${trialPrefix}${id}`, recipient }
}

/** Refuses to place an order that nobody wants, outside a sandbox. */
export async function requireSandbox(client: TradeGateway, signal: AbortSignal): Promise<void> {
  const { sandbox } = await client.me({ signal })
  if (!sandbox)
    throw new CommandError('This gateway is no sandbox, and this command places orders that nobody wants.', {
      hint: 'Start one with `npm start` in a checkout, or `npx trade-gateway`.',
    })
}

/** Finds a SKU with stock in a warehouse of the caller. The SKUs of fixed behaviour are last. */
export async function findAvailable(client: TradeGateway, signal: AbortSignal) {
  for (const { warehouse_code, kind } of await client.warehouses.list({ signal })) {
    if (kind !== 'warehouse') continue
    const { data } = await client.stock.page(warehouse_code, { page: 1, page_size: 100 }, { signal })
    const found = data.find(
      ({ sku, quantity_available }) => quantity_available > 1 && !sku.startsWith('SBX-'),
    )
    if (found) return found
  }
  throw new CommandError('No warehouse has a SKU with stock.', {
    hint: 'Start the sandbox again on an empty folder.',
  })
}
