import { type ErpResult, type OperationId, ok, rejected } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { isProof } from './evidence.ts'

const named = { cursor: 'c2', everything: false, skus: [], more: false }

/** A response, its operation and its input. */
type Case = readonly [OperationId, unknown, ErpResult<unknown>]

const ofTheErp: readonly Case[] = [
  ['stock.changed', { warehouse_code: 'A', cursor: 'c1' }, ok(named)],
  [
    'stock.snapshot',
    { warehouse_code: 'A', after: null, limit: 1 },
    ok({ rows: [], next: null, stock_seq: 1 }),
  ],
  ['products.snapshot', { after: null, limit: 1 }, ok({ products: [], next: null })],
  ['shipping_methods', {}, ok({ shipping_methods: [{ shipping_method_id: 'post' }] })],
  ['release', { reference: 'TG1', reason: 'release' }, rejected('not_found', 'There is no such hold.')],
]

const ofTheConnector: readonly Case[] = [
  ['describe', {}, ok({ name: 'ERP' })],
  ['warehouses', {}, ok({ warehouses: [] })],
  ['stock.changed', { warehouse_code: 'A', cursor: 'c1' }, ok({ ...named, everything: true })],
  ['products.changed', { cursor: null }, ok(named)],
  ['documents.changed', { cursor: null }, ok(named)],
  ['documents.changed', { cursor: 'c1' }, rejected('not_supported', 'This ERP takes no orders.')],
  ['shipping_methods', {}, ok({ shipping_methods: [] })],
]

describe('a response', () => {
  it.each(ofTheErp)('of %s to %j shows that the ERP responds: %j', (id, input, result) => {
    expect(isProof(id, input, result)).toBe(true)
  })

  it.each(ofTheConnector)('of %s to %j shows only that the connector responds: %j', (id, input, result) => {
    expect(isProof(id, input, result)).toBe(false)
  })
})
