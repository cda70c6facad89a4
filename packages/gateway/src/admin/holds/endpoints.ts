import { z } from 'zod'
import { codeField, cursorPaging, period, sku, sorting, toCursorPageSchema } from '../../contract/fields.ts'
import { holdSources } from '../../document.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { holdStates } from '../../holds/holds.ts'
import { operatorsHold, releaseHoldForOperator, searchHolds } from '../../holds/search.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

export const holdsList = endpoint({
  id: 'admin.holds.list',
  group: 'admin',
  summary: 'Search the holds of every channel',
  description:
    'Stock held for previews, reservations and orders of every channel, newest first. Every filter narrows the search.',
  fields: {
    channel_code: 'Only holds of this channel; in a row, the channel of the hold',
    source: 'Only holds for this kind of document; in a row, the kind of the document',
    status: 'Only holds in this state; in a row, the state of the hold',
    sku: 'Only holds with a line of this SKU',
    hold_id: 'Only this hold; in a row, the id of the hold',
    since: 'Only holds created from this time on',
    until: 'Only holds created before this time',
  },
  translations,
  method: 'GET',
  path: '/admin/api/holds',
  access: 'admin',
  errors: [],
  params: {},
  query: {
    channel_code: codeField().optional(),
    source: z.enum(holdSources).optional(),
    status: z.enum(holdStates).optional(),
    sku: sku.optional(),
    hold_id: codeField().optional(),
    ...period,
    ...sorting,
    ...cursorPaging,
  },
  result: toCursorPageSchema(operatorsHold),

  handle({ gateway, input }) {
    return searchHolds(gateway, input)
  },
})

export const holdsDelete = endpoint({
  id: 'admin.holds.delete',
  group: 'admin',
  summary: 'Release any hold',
  description:
    'Releases the hold at the ERP and ends its preview or reservation, as the channel itself could. A hold of an order ends with the order. A released hold is returned as it is.',
  translations,
  method: 'DELETE',
  path: '/admin/api/holds/{hold_id}',
  access: 'admin',
  writesUpstream: true,
  errors: ['NOT_FOUND', 'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: { hold_id: z.string() },
  query: {},
  result: toDataSchema(operatorsHold),

  handle({ gateway, call, input }) {
    return releaseHoldForOperator({ gateway, call }, input.hold_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [holdsList, holdsDelete] as const
