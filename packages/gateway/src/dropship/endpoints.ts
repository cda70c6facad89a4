import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, flag, paging, window } from '../contract/fields.ts'
import { previewFields } from '../operations/preview.ts'
import { dropshipBody } from './body.ts'
import { previewDropship } from './preview.ts'
import { listDropship, readDropship } from './read.ts'
import { dropshipOrder, dropshipPage, dropshipStates } from './shown.ts'
import { submitDropship } from './submit.ts'
import { releaseDropship, voidDropship } from './void.ts'

const dropshipOrderId = { dropship_order_id: z.string() }
const writeCost = 2
const example = {
  sku: 'SBX-LAST-1',
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
}
const goodsErrors = ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED'] as const
const documentErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const writeErrors = ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'] as const

export const dropshipPreview = z
  .object({
    dropship_order_id: z.string(),
    status: z.literal('pending'),
    ...previewFields,
    client_order_number: z.string(),
  })
  .meta({ id: 'DropshipPreview' })

export const dropshipPreviewCreate = endpoint({
  id: 'dropship.preview',
  method: 'POST',
  path: '/api/v1/dropship-orders/allocation-preview',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED'],
  params: {},
  query: {},
  body: dropshipBody,
  example,
  result: dataOf(dropshipPreview),

  handle({ gateway, call, caller, input }) {
    return previewDropship(gateway, call, caller, input)
  },
})

export const dropshipSubmitCreate = endpoint({
  id: 'dropship.submit',
  method: 'POST',
  path: '/api/v1/dropship-orders/submit',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'DUPLICATE_SUSPECTED'],
  params: {},
  query: {},
  body: dropshipBody,
  example,
  result: dataOf(dropshipOrder),

  handle({ gateway, call, caller, input }) {
    return submitDropship(gateway, call, caller, input)
  },
})

export const dropshipList = endpoint({
  id: 'dropship.list',
  method: 'GET',
  path: '/api/v1/dropship-orders',
  since: '1.0.0',
  access: 'bearer',
  capability: 'dropship.read',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(dropshipStates).optional(),
    client_order_number: code().optional(),
    serial_number: code().optional(),
    include_previews: flag.optional(),
  },
  result: dropshipPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listDropship(gateway, caller, input)
  },
})

export const dropshipRead = endpoint({
  id: 'dropship.read',
  method: 'GET',
  path: '/api/v1/dropship-orders/{dropship_order_id}',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.read',
  cost: 1,
  errors: documentErrors,
  params: dropshipOrderId,
  query: {},
  result: dataOf(dropshipOrder),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readDropship(gateway, caller, input.dropship_order_id)
  },
})

export const dropshipRelease = endpoint({
  id: 'dropship.release',
  method: 'DELETE',
  path: '/api/v1/dropship-orders/{dropship_order_id}/allocation',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, ...writeErrors],
  params: dropshipOrderId,
  query: {},
  result: dataOf(dropshipOrder),

  handle({ gateway, call, caller, input }) {
    return releaseDropship(gateway, call, caller, input.dropship_order_id)
  },
})

export const dropshipVoid = endpoint({
  id: 'dropship.void',
  method: 'DELETE',
  path: '/api/v1/dropship-orders/{dropship_order_id}',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, ...writeErrors],
  params: dropshipOrderId,
  query: {},
  result: dataOf(dropshipOrder),

  handle({ gateway, call, caller, input }) {
    return voidDropship(gateway, call, caller, input.dropship_order_id)
  },
})
