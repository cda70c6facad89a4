import { z } from 'zod'
import { codeField, flag, paging, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { previewFields } from '../ordering/preview.ts'
import { dropshipBody } from './body.ts'
import { dropshipOrder, dropshipPage, dropshipStates } from './dropship-json.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { previewDropship } from './preview.ts'
import { listDropship, readDropship } from './read.ts'
import { submitDropship } from './submit.ts'
import { releaseDropship, voidDropship } from './void.ts'

const translations = { zh, ko }

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
  group: 'dropship',
  summary: 'Preview a drop-ship order',
  description:
    'Returns what can be allocated, what is short, when it arrives and what it costs. Holds all of the stock or none for `HOLD_TTL_SECONDS`. Another preview with the same `client_order_number` and SKU changes the hold to the new quantity under the same id. A channel may have at most 50 live previews.',
  fields: { name: 'Name of the end customer, as it stands on the parcel' },
  translations,
  method: 'POST',
  path: '/api/v1/dropship-orders/allocation-preview',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  oms: true,
  businessSwitch: 'dropship',
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED'],
  params: {},
  query: {},
  body: dropshipBody,
  example,
  result: toDataSchema(dropshipPreview),

  handle({ input, ...context }) {
    return previewDropship(context, input)
  },
})

export const dropshipSubmitCreate = endpoint({
  id: 'dropship.submit',
  group: 'dropship',
  summary: 'Submit a drop-ship order',
  description:
    'Submits the named preview, or the live preview of the same number and SKU, or allocates new stock. The same number, SKU and recipient within the duplicate window is refused with `DUPLICATE_SUSPECTED`; another `client_order_number` is accepted. After the window, a submit that names a submitted preview returns its order.',
  fields: { name: 'Name of the end customer, as it stands on the parcel' },
  translations,
  method: 'POST',
  path: '/api/v1/dropship-orders/submit',
  since: '1.2.0',
  access: 'bearer',
  capability: 'dropship.write',
  oms: true,
  businessSwitch: 'dropship',
  writesUpstream: true,
  cost: writeCost,
  errors: [...goodsErrors, ...writeErrors, 'OWNERSHIP_DENIED', 'DUPLICATE_SUSPECTED'],
  params: {},
  query: {},
  body: dropshipBody,
  example,
  result: toDataSchema(dropshipOrder),

  handle({ input, ...context }) {
    return submitDropship(context, input)
  },
})

export const dropshipList = endpoint({
  id: 'dropship.list',
  group: 'dropship',
  summary: 'List drop-ship orders',
  description:
    'Newest first. A search by `client_order_number` or `serial_number` is not limited by date. Previews are left out unless `include_previews=true`. An order in doubt is always listed.',
  translations,
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
    client_order_number: codeField().optional(),
    serial_number: codeField().optional(),
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
  group: 'dropship',
  summary: 'Read a drop-ship order',
  description: 'One drop-ship order or preview. A preview has no `submitted_at`.',
  translations,
  method: 'GET',
  path: '/api/v1/dropship-orders/{dropship_order_id}',
  access: 'bearer',
  capability: 'dropship.read',
  cost: 1,
  errors: documentErrors,
  params: dropshipOrderId,
  query: {},
  result: toDataSchema(dropshipOrder),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readDropship(gateway, caller, input.dropship_order_id)
  },
})

export const dropshipRelease = endpoint({
  id: 'dropship.release',
  group: 'dropship',
  summary: 'Release a preview’s stock',
  description:
    'Releases the held stock and cancels the preview. Repeating the call returns the same document. A submitted preview is refused.',
  translations,
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
  result: toDataSchema(dropshipOrder),

  handle({ input, ...context }) {
    return releaseDropship(context, input.dropship_order_id)
  },
})

export const dropshipVoid = endpoint({
  id: 'dropship.void',
  group: 'dropship',
  summary: 'Void a drop-ship order',
  description:
    'Cancels the order before its hand-over to the warehouse, intercepts it after that, and is refused once it has shipped. For a preview, this releases its stock. Repeating the call returns the same document.',
  translations,
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
  result: toDataSchema(dropshipOrder),

  handle({ input, ...context }) {
    return voidDropship(context, input.dropship_order_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  dropshipPreviewCreate,
  dropshipSubmitCreate,
  dropshipList,
  dropshipRead,
  dropshipRelease,
  dropshipVoid,
] as const
