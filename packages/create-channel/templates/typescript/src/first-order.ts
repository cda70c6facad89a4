import { randomUUID } from 'node:crypto'
import { TradeGateway } from '@trade-gateway/sdk'
import { type NewOrder, placeOrder } from './orders.ts'

const { TGW_BASE_URL: baseUrl = '', TGW_USERNAME: username = '', TGW_PASSWORD: password = '' } = process.env
const client = new TradeGateway({ baseUrl, auth: { username, password } })
const wish: NewOrder = {
  sku: 'SBX-SHORT-3',
  quantity: 1,
  client_order_number: process.argv[2] ?? `WEB-${Date.now()}`,
  recipient: {
    name: 'Alex Lee',
    phone: '+61 2 5550 1234',
    address: '1 Example Street',
    city: 'Sydney',
    state: 'NSW',
    postal_code: '2000',
    country_code: 'AU',
  },
}
// A shop stores the order and its key before it sends them.
const order = await placeOrder(client, { order: wish, key: randomUUID(), storedAt: new Date() })
const { client_order_number, serial_number, status, costs, currency } = order
process.stdout.write(`${client_order_number} ${serial_number} ${status} ${costs?.total} ${currency}\n`)
