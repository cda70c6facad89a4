import type { Step } from './step.ts'

const recipient = {
  name: 'Alex Lee',
  phone: '+61 2 5550 1234',
  address: '1 Example Street',
  city: 'Sydney',
  state: 'NSW',
  postal_code: '2000',
  country_code: 'AU',
}
const sku = 'ACA-0132-MIN-ONE'
const reservation = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 2 }] }
const buildDropship = (client_order_number: string) => ({ sku, quantity: 1, recipient, client_order_number })

/** Drop-ship orders, reservations and holds. */
export const tradeSteps: readonly Step[] = [
  {
    endpoint: 'dropship.preview',
    body: buildDropship('WEB-{{run}}'),
    keep: { dropship_order_id: 'data.dropship_order_id' },
  },
  {
    endpoint: 'dropship.submit',
    headers: { 'Idempotency-Key': 'dropship-{{run}}' },
    body: {
      ...buildDropship('WEB-{{run}}'),
      dropship_order_id: '{{dropship_order_id}}',
      max_total: 100,
    },
  },
  { endpoint: 'dropship.list', query: { client_order_number: 'WEB-{{run}}' } },
  { endpoint: 'dropship.read' },
  { endpoint: 'dropship.void' },
  {
    endpoint: 'dropship.preview',
    body: buildDropship('WEB-{{run}}-B'),
    keep: { preview_id: 'data.dropship_order_id' },
  },
  { endpoint: 'dropship.release', params: { dropship_order_id: '{{preview_id}}' } },
  {
    endpoint: 'reservations.create',
    headers: { 'Idempotency-Key': 'reservation-{{run}}' },
    body: { ...reservation, expires_in_seconds: 600, client_order_number: 'RSV-{{run}}' },
    keep: { reservation_id: 'data.reservation_id', hold_id: 'data.hold_id' },
  },
  { endpoint: 'reservations.list', query: { page_size: '1', status: 'reserved' } },
  { endpoint: 'reservations.read' },
  { endpoint: 'holds.list', query: { page_size: '1' } },
  { endpoint: 'holds.read' },
  { endpoint: 'reservations.confirm' },
  {
    endpoint: 'reservations.create',
    body: { ...reservation, client_order_number: 'RSV-{{run}}-B' },
    keep: { other_reservation_id: 'data.reservation_id' },
  },
  { endpoint: 'reservations.cancel', params: { reservation_id: '{{other_reservation_id}}' } },
  {
    endpoint: 'reservations.create',
    body: { ...reservation, client_order_number: 'RSV-{{run}}-C' },
    keep: { other_hold_id: 'data.hold_id' },
  },
  { endpoint: 'holds.delete', params: { hold_id: '{{other_hold_id}}' } },
]
