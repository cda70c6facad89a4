import { describe, expect, it } from 'vitest'
import { catalogue } from '../catalogue.ts'
import { toRecord } from '../kernel/json.ts'
import { buildAsyncApi } from './asyncapi.ts'
import { createFieldTexts } from './describe-fields.ts'
import { buildAdminOpenApi, buildOpenApi } from './openapi.ts'

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

  it.each([
    ['Lockout', 'address', 'The IPv4 address, or the /64 of IPv6; null for a username'],
    ['StockCopy', 'rows', 'Rows of this process’s snapshot, without withdrawn ones'],
    ['PageVotes', 'page', 'The path of the page'],
  ])('of %s, which only its endpoints return, has their text: %s', (schema, name, text) => {
    const { schemas } = toRecord(toRecord(buildAdminOpenApi()).components)
    const { properties } = toRecord(toRecord(schemas)[schema])
    expect(toRecord(toRecord(properties)[name]).description).toBe(text)
  })
})

/** Lists the descriptions at any depth, except in examples. */
function listDescriptions(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => {
    if (name === 'example' || name === 'examples') return []
    return name === 'description' && typeof child === 'string' ? [child] : listDescriptions(child)
  })
}

/** Descriptions without words: error codes, and the name of a standard. */
const wordless = /^([A-Z_]+(, [A-Z_]+)*|JSON-RPC 2\.0)$/

describe.each([
  ['zh', /\p{Script=Han}/u],
  ['ko', /\p{Script=Hangul}/u],
] as const)('in %s', (language, script) => {
  it.each([buildOpenApi, buildAdminOpenApi, buildAsyncApi])('%o describes nothing in English', (build) => {
    const descriptions = listDescriptions(build(language))
    expect(descriptions.length).toBeGreaterThan(50)
    expect(new Set(descriptions.filter((text) => !script.test(text) && !wordless.test(text)))).toEqual(
      new Set(),
    )
  })
})
