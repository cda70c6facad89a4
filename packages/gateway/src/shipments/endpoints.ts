import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, paging, window } from '../contract/fields.ts'
import { listShipments, readShipment, shipment, shipmentPage, shipmentStates } from './shipments.ts'

export const shipmentsList = endpoint({
  id: 'shipments.list',
  method: 'GET',
  path: '/api/v1/shipments',
  since: '1.4.0',
  access: 'bearer',
  capability: 'shipments.read',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(shipmentStates).optional(),
    order_id: code().optional(),
    dropship_order_id: code().optional(),
    tracking_number: code(100).optional(),
  },
  result: shipmentPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listShipments(gateway, caller, input)
  },
})

export const shipmentsRead = endpoint({
  id: 'shipments.read',
  method: 'GET',
  path: '/api/v1/shipments/{shipment_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'shipments.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: { shipment_id: z.string() },
  query: {},
  result: dataOf(shipment),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readShipment(gateway, caller, input.shipment_id)
  },
})
