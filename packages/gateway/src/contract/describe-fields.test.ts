import { describe, expect, it } from 'vitest'
import { fieldText, recordOf } from './describe-fields.ts'
import { openApiDocument } from './openapi.ts'

/** What a field means in one place is not what its name means elsewhere. */
const own = [
  [
    'events.list',
    'since',
    'The event_id of the last event that you have; left out: from the oldest one kept',
  ],
  ['stock.changes', 'since', 'Cursor: the version of the answer before; left out or 0 for the beginning'],
  ['Refund', 'reason', 'Why it is refunded, in the ERP’s own words'],
  [
    'WebhookDelivery',
    'finished_at',
    'When it was delivered, given up or cancelled; null while it is still tried',
  ],
  ['StockChangedEvent', 'type', 'Always stock.changed: what kind of event'],
  ['StockChangedEvent', 'data', 'Which warehouse, and which of its stock changed'],
  ['OrderCreatedEvent', 'type', 'Always order.created: what kind of event'],
  ['OrderCreatedEvent', 'data', 'The order as it was submitted, without the recipient'],
  ['StockChangedData', 'since', 'Version up to which the event before told'],
  ['Inbox', 'status', 'HTTP status that the inbox answered'],
] as const

describe('a field', () => {
  it.each(own)('of %s: %s', (place, name, text) => {
    expect(fieldText('en', place, name)).toBe(text)
  })

  it('has the text of its place in OpenAPI', () => {
    const { paths, components } = recordOf(openApiDocument())
    const { schemas } = recordOf(components)
    const events = JSON.stringify(recordOf(paths)['/api/v1/events'])
    expect(events).toContain(own[0][2])
    expect(events).not.toContain(own[1][2])
    expect(JSON.stringify(recordOf(schemas).OrderCreatedEvent)).toContain(own[7][2])
    expect(JSON.stringify(recordOf(schemas).Refund)).toContain(own[2][2])
  })
})
