import { describe, expect, it } from 'vitest'
import { catalogue } from '../catalogue.ts'
import { toRecord } from '../kernel/json.ts'
import { createFieldTexts } from './describe-fields.ts'
import { buildOpenApi } from './openapi.ts'

/** Fields whose meaning in one place differs from the common meaning of their name. */
const own = [
  [
    'events.list',
    'since',
    'The `event_id` of the last event that you have; default: from the oldest one kept',
  ],
  [
    'stock.changes',
    'since',
    'Cursor: the `version` of the previous response; leave it out or send 0 to start from the beginning',
  ],
  ['Refund', 'reason', 'Reason for the refund, in the ERP’s own words'],
  [
    'WebhookDelivery',
    'finished_at',
    'When the event was delivered, given up or cancelled; null while attempts continue',
  ],
  ['StockChangedEvent', 'type', 'Always `stock.changed`: the type of the event'],
  ['StockChangedEvent', 'data', 'The warehouse, and the stock rows that changed'],
  ['OrderCreatedEvent', 'type', 'Always `order.created`: the type of the event'],
  ['OrderCreatedEvent', 'data', 'The order as it was submitted, without the recipient'],
  ['StockChangedData', 'since', 'Version that the previous event reached'],
  ['Inbox', 'status', 'HTTP status that the inbox returned'],
] as const

describe('a field', () => {
  it.each(own)('of %s: %s', (place, name, text) => {
    expect(createFieldTexts(catalogue, 'en')(place, name)).toBe(text)
  })

  it('has the text of its place in OpenAPI', () => {
    const { paths, components } = toRecord(buildOpenApi())
    const { schemas } = toRecord(components)
    const events = JSON.stringify(toRecord(paths)['/api/v1/events'])
    expect(events).toContain(own[0][2])
    expect(events).not.toContain(own[1][2])
    expect(JSON.stringify(toRecord(schemas).OrderCreatedEvent)).toContain(own[7][2])
    expect(JSON.stringify(toRecord(schemas).Refund)).toContain(own[2][2])
  })
})
