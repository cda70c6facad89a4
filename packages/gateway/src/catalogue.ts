import { endpoints as access } from './access/endpoints.ts'
import { createAdminEndpoints } from './admin/endpoints.ts'
import { endpoints as carts } from './carts/endpoints.ts'
import { endpoints as dropship } from './dropship/endpoints.ts'
import { type Endpoint, eraseEndpointTypes } from './endpoint.ts'
import { endpoints as errors } from './errors/endpoints.ts'
import { endpoints as events } from './events/endpoints.ts'
import { endpoints as holds } from './holds/endpoints.ts'
import { endpoints as idempotency } from './idempotency/endpoints.ts'
import { endpoints as ledger } from './ledger/endpoints.ts'
import { endpoints as orders } from './orders/endpoints.ts'
import { endpoints as products } from './products/endpoints.ts'
import { endpoints as reference } from './reference/endpoints.ts'
import { endpoints as requests } from './requests/endpoints.ts'
import { endpoints as reservations } from './reservations/endpoints.ts'
import { endpoints as sandbox } from './sandbox/endpoints.ts'
import { endpoints as inbox } from './sandbox/inbox-endpoints.ts'
import { endpoints as shipments } from './shipments/endpoints.ts'
import { endpoints as stock } from './stock/endpoints.ts'
import { endpoints as webhooks } from './webhooks/endpoints.ts'
import { writes } from './writes.ts'

/** Every endpoint of the public contract, in the order of the documentation. */
const publicEndpoints = [
  ...access,
  ...stock,
  ...products,
  ...reference,
  ...orders,
  ...dropship,
  ...reservations,
  ...holds,
  ...carts,
  ...shipments,
  ...ledger,
  ...webhooks,
  ...events,
  ...idempotency,
  ...requests,
  ...errors,
] as const

export type EndpointId = (typeof publicEndpoints)[number]['id']

export const catalogue: readonly Endpoint[] = publicEndpoints.map(eraseEndpointTypes)

/** The operator's endpoints. */
export const adminCatalogue: readonly Endpoint[] = createAdminEndpoints(writes).map(eraseEndpointTypes)

/** Endpoints that control the built-in ERP and the sandbox's inboxes. */
export const sandboxCatalogue: readonly Endpoint[] = [...sandbox, ...inbox].map(eraseEndpointTypes)
