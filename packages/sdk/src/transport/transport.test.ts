import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../errors/errors.ts'
import { readLimits } from './options.ts'
import { type ApiCall, Transport } from './transport.ts'

const order: ApiCall = {
  operation: 'dropship.submit',
  method: 'POST',
  path: '/api/v1/dropship-orders/submit',
  body: '{}',
  idempotencyKey: 'order-17',
  isPublic: false,
  points: 2,
  options: { deadlineMs: 40 },
}

/** A client whose quota one call uses up. */
function openTransport(provide: () => Promise<string>) {
  const sent: string[] = []
  const setting = {
    baseUrl: 'https://gateway.example',
    limits: readLimits({}),
    headers: {},
    isPaced: true,
    now: () => performance.now(),
    random: () => 0,
    async fetch(input: unknown) {
      sent.push(String(input))
      const headers = { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-cost': '2' }
      return Response.json({ data: {} }, { headers })
    },
  }
  const recover = async () => undefined
  return { transport: new Transport(setting, { provide, renew: () => false }, recover), sent }
}

async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

/** Not an `OutcomeUnknownError`, because nothing was sent. */
function checkNothingSent(error: unknown) {
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: 'TIMED_OUT', attempts: 0, idempotencyKey: 'order-17' })
  expect((error as Error).message).toContain('Nothing was sent')
}

describe('the deadline of a write', () => {
  it('ends the wait for a token, and nothing is sent', async () => {
    const { transport, sent } = openTransport(() => new Promise(() => {}))
    checkNothingSent(await catchError(transport.send(order)))
    expect(sent).toEqual([])
  })

  it('that passed when the token came lets nothing be sent', async () => {
    const { transport, sent } = openTransport(async () => {
      const end = performance.now() + 60
      while (performance.now() < end);
      return 'late'
    })
    checkNothingSent(await catchError(transport.send(order)))
    expect(sent).toEqual([])
  })

  it('ends the wait for points, which are then free for another call', async () => {
    const { transport, sent } = openTransport(async () => 'token')
    await transport.send(order)
    checkNothingSent(await catchError(transport.send(order)))
    expect(sent).toHaveLength(1)
  })
})
