/** Idempotency keys in the database: who may take one, what is kept with it, and for how long. */

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ApiResponse, Keyed } from '../src/contract/call.ts'
import { GatewayError } from '../src/contract/errors.ts'
import { Reply } from '../src/contract/reply.ts'
import type { IdempotencyRow } from '../src/store/tables.ts'
import {
  buildKeyInsert,
  findKeyRow,
  freeKey,
  isKeyFree,
  isKeyTaken,
  rewriteStoredResponses,
  storeCommittedResponse,
  storeFailure,
  storeResponse,
  toInProgressError,
} from '../src/writes/keys.ts'
import { unsealResponse } from '../src/writes/sealed-keys.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

const day = 24 * 60 * 60_000
const resource = { type: 'order', id: 'ord_1' }
const response: ApiResponse = {
  status: 201,
  headers: ['Location', '/orders/1'],
  body: '{"data":{"name":"Alex"}}',
}

let house: TestGateway
let scopes = 0
let keyed: Keyed
let loss: AbortController

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())
beforeEach(() => {
  loss = new AbortController()
  keyed = {
    scope: `channel POST /orders key-${++scopes}`,
    fingerprint: 'ab12'.repeat(16),
    channel_code: 'channel',
    method: 'POST',
    path: '/api/v1/orders',
    idempotency_key: `key-${scopes}`,
    lost: loss.signal,
    isKept: false,
  }
})

const read = () => findKeyRow(house.gateway.store.db, keyed.scope)
const insertInDoubt = () => house.gateway.store.executeAtOnce(buildKeyInsert(house.gateway, keyed, resource))
const complete = (kept: ApiResponse = response) => storeCommittedResponse(house.gateway, keyed, kept)

describe('a key', () => {
  it('is free if nobody has it, after a failure, and a day after a success', async () => {
    const { gateway, clock } = house
    const isTaken = () => isKeyTaken(gateway, keyed)
    expect(await isTaken()).toBe(false)
    await storeFailure(gateway, keyed, new GatewayError('NOT_FOUND'))
    expect(await isTaken()).toBe(false)
    await complete()
    expect(await isTaken()).toBe(true)
    clock.advance(day - 1)
    expect(await isTaken()).toBe(true)
    clock.advance(1)
    expect(await isTaken()).toBe(false)
  })

  it('is never free while its write is in doubt', () => {
    const row = { state: 'in_doubt', expires_at: 5 } as IdempotencyRow
    expect([4, 5, 6].map((now) => isKeyFree(row, now))).toEqual([false, false, false])
  })

  it('in use says when to retry, and that the ERP is asked if nobody works on it', () => {
    expect(toInProgressError().facts).toStrictEqual({ retryAfter: 1 })
    expect(toInProgressError(7, true).facts).toStrictEqual({ retryAfter: 7, say: ['key_in_doubt'] })
  })

  it('of a lost lock stores nothing', async () => {
    loss.abort()
    await complete()
    await storeFailure(house.gateway, keyed, new GatewayError('NOT_FOUND'))
    expect(() => buildKeyInsert(house.gateway, keyed, resource)).toThrow('IDEMPOTENCY_IN_PROGRESS')
    expect(await read()).toBeUndefined()
  })
})

describe('a response', () => {
  it('is kept with the commit that it reports, and the call knows it', async () => {
    const { gateway, clock } = house
    const success = { reply: new Reply({ data: { id: 1 } }), status: 201, resource }
    await gateway.store.db.transaction().execute((tx) => storeResponse({ gateway, tx, keyed }, success))
    expect(keyed.isKept).toBe(true)
    const row = await read()
    expect(row).toMatchObject({
      ...{ state: 'completed', http_status: 201, resource_type: 'order', resource_id: 'ord_1' },
      ...{ created_at: clock.now(), expires_at: clock.now() + day },
    })
    expect(unsealResponse(gateway, row as IdempotencyRow).body).toBe('{"data":{"id":1}}')
  })

  it('takes the place of one that is over, and of no other', async () => {
    await complete()
    await complete({ ...response, status: 200 })
    expect(await read()).toMatchObject({ http_status: 201 })
    house.clock.advance(day)
    await complete({ ...response, status: 200 })
    expect(await read()).toMatchObject({ http_status: 200 })
  })

  it('does not take the place of a write in doubt', async () => {
    await insertInDoubt()
    house.clock.advance(2 * day)
    await complete()
    expect(await read()).toMatchObject({ state: 'in_doubt' })
  })

  it('that cannot be stored fails with the error of the database', async () => {
    const { gateway } = house
    const failure = new Error('the disk is full')
    const broken = {
      ...gateway,
      store: { ...gateway.store, executeAtOnce: () => Promise.reject(failure) },
    }
    await expect(storeCommittedResponse(broken, keyed, response)).rejects.toBe(failure)
  })
})

describe('a failure', () => {
  it.each([
    ['a refusal', new GatewayError('VALIDATION_FAILED'), 422],
    ['a refusal with a status of its own', new GatewayError('BAD_REQUEST', { status: 413 }), 413],
    ['a fault of the gateway', new GatewayError('INTERNAL'), undefined],
    ['an unknown outcome', new GatewayError('UPSTREAM_TIMEOUT'), undefined],
    ['a failure with status 500', new GatewayError('BAD_REQUEST', { status: 500 }), undefined],
    ['any other error', Object.assign(new TypeError('no'), { facts: {}, code: 'NOT_FOUND' }), undefined],
  ])('by %s is kept only if nothing was done', async (_name, error, status) => {
    await storeFailure(house.gateway, keyed, error)
    const row = await read()
    if (status === undefined) expect(row).toBeUndefined()
    else expect(row).toMatchObject({ state: 'failed', http_status: status, answer_sealed: null })
  })

  it('of a write in doubt frees its key for a day, and leaves a completed one alone', async () => {
    const { gateway, clock } = house
    const free = () =>
      gateway.store.db.transaction().execute((tx) => freeKey({ gateway, tx, scope: keyed.scope }, 502))
    await insertInDoubt()
    clock.advance(1_000)
    await free()
    expect(await read()).toMatchObject({
      ...{ state: 'failed', http_status: 502, expires_at: clock.now() + day },
      ...{ resource_type: null, resource_id: null },
    })
    await complete()
    await free()
    expect(await read()).toMatchObject({ state: 'completed', http_status: 201 })
  })
})

describe('rewriting what is kept for documents', () => {
  it('changes bodies of text alone, and leaves bytes as they are', async () => {
    const { gateway } = house
    const success = { reply: new Reply({ data: { name: 'Alex' } }), status: 201, resource }
    const { db } = gateway.store
    await db.transaction().execute((tx) => storeResponse({ gateway, tx, keyed }, success))
    const others = { ...keyed, scope: `${keyed.scope} bytes` }
    await storeCommittedResponse(gateway, others, { ...response, body: ['a', 'b'] as unknown as string })
    await sql`update idempotency_keys set resource_type = 'order', resource_id = 'ord_1'
      where scope = ${others.scope}`.execute(db)
    const erase = (body: string) => body.replaceAll('Alex', '*')
    await db.transaction().execute(async (tx) => {
      await rewriteStoredResponses({ gateway, tx }, { type: 'order', ids: ['ord_1'] }, erase)
    })
    const bodies = await Promise.all(
      [keyed, others].map(async ({ scope }) => {
        const row = await findKeyRow(db, scope)
        return unsealResponse(gateway, row as IdempotencyRow).body
      }),
    )
    expect(bodies).toEqual(['{"data":{"name":"*"}}', ['a', 'b']])
  })
})
