import * as access from './access/endpoints.ts'
import * as admin from './admin/endpoints.ts'
import { anyEndpoint, type Endpoint } from './contract/endpoint.ts'
import * as errors from './contract/error-endpoints.ts'
import * as products from './products/endpoints.ts'
import * as reference from './reference/endpoints.ts'
import * as stock from './stock/endpoints.ts'

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
] as const

export type AnyEndpointId = (typeof publicEndpoints)[number]['id'] | (typeof operatorEndpoints)[number]['id']

export const catalogue: readonly Endpoint[] = publicEndpoints.map(anyEndpoint)
export const adminCatalogue: readonly Endpoint[] = operatorEndpoints.map(anyEndpoint)

/** Whether a word is the id of an endpoint, as the texts name them. */
export function endpointIdOf(endpoint: Endpoint): AnyEndpointId {
  const known = [...publicEndpoints, ...operatorEndpoints].find(({ id }) => id === endpoint.id)
  if (!known) throw new Error(`${endpoint.id} is not in the catalogue.`)
  return known.id
}
