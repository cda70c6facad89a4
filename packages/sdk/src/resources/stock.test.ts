import { expect, it } from 'vitest'
import { TradeGateway } from '../client.ts'
import { FullSyncRequiredError, isGatewayError } from '../errors/errors.ts'

it('throws an error of the gateway, and no misuse, if the feed cannot be followed any more', async () => {
  const page = { data: [], version: 9, has_more: false, needs_full_sync: true }
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'a-token' },
    fetch: async () => Response.json({ ...page, full_sync_reason: 'expired' }),
  })
  const error = await client.stock
    .follow('AUSYD1', { since: 7 })
    .next()
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FullSyncRequiredError)
  expect(isGatewayError(error, 'FULL_SYNC_REQUIRED')).toBe(true)
  expect(error).toMatchObject({ reason: 'expired', retryable: false })
})
