import * as access from './access/endpoints.ts'
import { doubtsList, doubtsSettle } from './admin/doubts.ts'
import * as admin from './admin/endpoints.ts'
import * as carts from './carts/endpoints.ts'
import { anyEndpoint, type Endpoint } from './contract/endpoint.ts'
import * as errors from './contract/error-endpoints.ts'
import * as dropship from './dropship/endpoints.ts'
import { dropshipDrop, dropshipPreview } from './dropship/preview.ts'
import { dropshipSubmit } from './dropship/submit.ts'
import { dropshipRelease, dropshipVoid } from './dropship/void.ts'
import * as events from './events/endpoints.ts'
import * as holds from './holds/endpoints.ts'
import { holdRelease } from './holds/holds.ts'
import * as ledger from './ledger/endpoints.ts'
import { holdExpire } from './operations/expiry.ts'
import type { AnyWrite } from './operations/intent.ts'
import { idempotencyKeysList } from './operations/key-endpoint.ts'
import * as orders from './orders/endpoints.ts'
import { orderSubmit } from './orders/submit.ts'
import { orderDrop, orderVoid } from './orders/void.ts'
import * as products from './products/endpoints.ts'
import * as reference from './reference/endpoints.ts'
import { reservationCancel } from './reservations/end.ts'
import * as reservations from './reservations/endpoints.ts'
import { reservationCreate } from './reservations/reserve.ts'
import * as sandbox from './sandbox/endpoints.ts'
import * as inbox from './sandbox/inbox-endpoints.ts'
import * as shipments from './shipments/endpoints.ts'
import * as stock from './stock/endpoints.ts'
import * as webhooks from './webhooks/endpoints.ts'

/** Every endpoint of the public contract, in the order of the documentation. */
const publicEndpoints = [
  access.token,
  access.me,
  access.planRequestsCreate,
  access.planRequestsList,
  stock.warehousesList,
  stock.stockList,
  stock.stockChanges,
  stock.stockChecksum,
  products.productsList,
  products.productsRead,
  reference.shippingMethodsList,
  reference.addressesList,
  orders.ordersCreate,
  orders.ordersList,
  orders.ordersRead,
  orders.ordersChange,
  orders.ordersPreview,
  orders.ordersSubmit,
  orders.ordersVoid,
  dropship.dropshipPreviewCreate,
  dropship.dropshipSubmitCreate,
  dropship.dropshipList,
  dropship.dropshipRead,
  dropship.dropshipRelease,
  dropship.dropshipVoid,
  reservations.reservationsCreate,
  reservations.reservationsList,
  reservations.reservationsRead,
  reservations.reservationsCancel,
  reservations.reservationsConfirm,
  holds.holdsList,
  holds.holdsRead,
  holds.holdsDelete,
  carts.cartsCreate,
  carts.cartsList,
  carts.cartsRead,
  carts.cartsChange,
  carts.cartsItems,
  carts.cartsCheckout,
  carts.cartsDelete,
  shipments.shipmentsList,
  shipments.shipmentsRead,
  ledger.balancesList,
  ledger.transactionsList,
  ledger.billsList,
  ledger.refundsList,
  ledger.freightBillsList,
  webhooks.endpointsCreate,
  webhooks.endpointsList,
  webhooks.endpointsRead,
  webhooks.endpointsChange,
  webhooks.endpointsDelete,
  webhooks.endpointsRotate,
  webhooks.endpointsTest,
  webhooks.deliveriesList,
  webhooks.deliveriesRead,
  webhooks.deliveriesRedeliver,
  events.eventsList,
  events.eventsRead,
  idempotencyKeysList,
  errors.errorsList,
  errors.errorsRead,
] as const

/** The operator's endpoints. */
const operatorEndpoints = [
  admin.channelsCreate,
  admin.channelsList,
  admin.channelsRead,
  admin.channelsChange,
  admin.channelsDelete,
  admin.secretsCreate,
  admin.secretsDelete,
  admin.planRequestsList,
  admin.planRequestsApprove,
  admin.planRequestsDecline,
  doubtsList,
  doubtsSettle,
] as const

/** What the built-in ERP can be told. */
const sandboxEndpoints = [
  sandbox.sandboxFaults,
  sandbox.sandboxClock,
  sandbox.sandboxStock,
  sandbox.sandboxPrice,
  sandbox.sandboxShip,
  sandbox.sandboxIntercept,
  inbox.inboxRead,
  inbox.inboxFail,
  inbox.inboxEmpty,
] as const

const everyEndpoint = [...publicEndpoints, ...operatorEndpoints, ...sandboxEndpoints] as const

export type AnyEndpointId = (typeof everyEndpoint)[number]['id']

export const catalogue: readonly Endpoint[] = publicEndpoints.map(anyEndpoint)
export const adminCatalogue: readonly Endpoint[] = operatorEndpoints.map(anyEndpoint)
export const sandboxCatalogue: readonly Endpoint[] = sandboxEndpoints.map(anyEndpoint)

export { webhookBodies } from './events/shown.ts'

/** Every kind of write to the ERP: what a crash left open is settled by these. */
export const writes: readonly AnyWrite[] = [
  orderSubmit,
  orderVoid,
  orderDrop,
  dropshipPreview,
  dropshipDrop,
  dropshipSubmit,
  dropshipRelease,
  dropshipVoid,
  reservationCreate,
  reservationCancel,
  holdRelease,
  holdExpire,
]

/** Whether a word is the id of an endpoint, as the texts name them. */
export function endpointIdOf(endpoint: Endpoint): AnyEndpointId {
  const known = everyEndpoint.find(({ id }) => id === endpoint.id)
  if (!known) throw new Error(`${endpoint.id} is not in the catalogue.`)
  return known.id
}
