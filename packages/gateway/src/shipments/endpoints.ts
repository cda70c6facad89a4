import { z } from 'zod'
import { codeField, paging, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listShipments, readShipment, shipment, shipmentPage, shipmentStates } from './shipments.ts'

const translations = { zh, ko }

export const shipmentsList = endpoint({
  id: 'shipments.list',
  group: 'shipments',
  summary: 'List shipments',
  description:
    'Shipments that left the warehouses, by the day they left. A search by `order_id`, `dropship_order_id` or `tracking_number` is not limited by date.',
  translations,
  method: 'GET',
  path: '/api/v1/shipments',
  access: 'bearer',
  capability: 'shipments.read',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(shipmentStates).optional(),
    order_id: codeField().optional(),
    dropship_order_id: codeField().optional(),
    tracking_number: codeField(100).optional(),
  },
  result: shipmentPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listShipments(gateway, caller, input)
  },
})

export const shipmentsRead = endpoint({
  id: 'shipments.read',
  group: 'shipments',
  summary: 'Read a shipment',
  description: 'One shipment with carrier, tracking and lines.',
  translations,
  method: 'GET',
  path: '/api/v1/shipments/{shipment_id}',
  access: 'bearer',
  capability: 'shipments.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: { shipment_id: z.string() },
  query: {},
  result: toDataSchema(shipment),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readShipment(gateway, caller, input.shipment_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [shipmentsList, shipmentsRead] as const
