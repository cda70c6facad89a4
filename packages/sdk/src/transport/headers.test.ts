import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { TradeGateway } from '../client.ts'
import { UsageError } from '../errors/errors.ts'

/** Calls a client, and returns the headers that it sent. */
async function collectHeaders(
  ofClient: Readonly<Record<string, string>>,
  ofCall?: Readonly<Record<string, string>>,
): Promise<Headers> {
  let sent = new Headers()
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'a-token' },
    language: 'ko',
    headers: ofClient,
    async fetch(_, { headers } = {}) {
      sent = new Headers(headers)
      return Response.json({ data: {} })
    },
  })
  await client.carts.create({ items: [] }, { headers: ofCall, idempotencyKey: 'key-1' })
  return sent
}

it('sends the headers of the caller instead of its own, whatever their case', async () => {
  const sent = await collectHeaders({ 'Accept-Language': 'en', ACCEPT: 'text/csv' })
  expect([sent.get('accept-language'), sent.get('accept')]).toEqual(['en', 'text/csv'])
})

it('sends the headers of a call instead of those of the client, whatever their case', async () => {
  const sent = await collectHeaders({ 'Accept-Language': 'en' }, { 'accept-language': 'zh' })
  expect(sent.get('accept-language')).toBe('zh')
})

it('sends the token, the key and the type of the body that belong to the call', async () => {
  const sent = await collectHeaders({ Authorization: 'x', 'Idempotency-Key': 'x', 'Content-Type': 'x' })
  const names = ['authorization', 'idempotency-key', 'content-type']
  expect(names.map((name) => sent.get(name))).toEqual(['Bearer a-token', 'key-1', 'application/json'])
})

it('does not quote a token that HTTP cannot send', async () => {
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'canary\ntoken' },
  })
  const error = await client.me().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect(inspect(error)).toContain('"authorization"')
  expect(inspect(error)).not.toContain('canary')
})
