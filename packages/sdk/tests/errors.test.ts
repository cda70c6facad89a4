import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toFailureResponse } from '../../gateway/src/pipeline/failure.ts'
import { CommitUnanswered, DatabaseSilent } from '../../gateway/src/store/trouble.ts'
import { openTestGateway, type TestGateway } from '../../gateway/tests/harness.ts'
import { errorCatalogue, GatewayError, OutcomeUnknownError, TradeGateway } from '../src/index.ts'
import { type FaultyServer, openFaultyServer } from './faulty-server.ts'
import { buildOrder } from './portable/target.ts'

let house: TestGateway
let faulty: FaultyServer
beforeAll(async () => {
  house = await openTestGateway()
  faulty = await openFaultyServer()
})
afterAll(async () => {
  await faulty.close()
  await house.close()
})

const openClient = (baseUrl: string) =>
  new TradeGateway({ baseUrl, auth: { accessToken: 'none' }, maxRetries: 1 })

describe('the catalogue of errors', () => {
  it('is the gateway’s', async () => {
    const served = await openClient(house.url).errors.list()
    const entries = served.map(({ code, http_status, retryable }) => [
      code,
      { status: http_status, retryable },
    ])
    expect(Object.fromEntries(entries)).toEqual(errorCatalogue)
  })

  it.each(Object.entries(errorCatalogue))(
    '%s is retried exactly if the catalogue says so, and has a class of its own',
    async (code, { status, retryable }) => {
      const client = openClient(`${faulty.url}/code-${status}-${code}/${crypto.randomUUID()}`)
      const error = await client.me().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(GatewayError)
      expect(error).toMatchObject({ code, status, attempts: retryable ? 2 : 1 })
      expect((error as GatewayError).name).not.toBe('GatewayError')
    },
  )

  it.each(Object.entries(errorCatalogue))('%s leaves a write open or not', async (code, { status }) => {
    const client = openClient(`${faulty.url}/code-${status}-${code}/${crypto.randomUUID()}`)
    const error = await client.dropship.submit(buildOrder()).catch((thrown: unknown) => thrown)
    const isOpen = ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'INTERNAL', 'IDEMPOTENCY_IN_PROGRESS'].includes(
      code,
    )
    expect(error instanceof OutcomeUnknownError).toBe(isOpen)
  })
})

/** Returns the error of a write during which the database of the gateway fails. */
async function failInStorage(error: unknown): Promise<unknown> {
  const context = { requestId: 'req_12345678', language: 'en', key: 'key-1' } as const
  const { status, body } = toFailureResponse(error, context, () => {})
  const send = async () =>
    new Response(String(body), { status, headers: { 'content-type': 'application/json' } })
  const auth = { accessToken: 'none' }
  const client = new TradeGateway({ baseUrl: house.url, auth, maxRetries: 0, fetch: send })
  return client.orders.create({ lines: [] }).catch((thrown: unknown) => thrown)
}

describe('a write that the database of the gateway fails', () => {
  it('is open if the database did not confirm the commit, and was not performed if the gateway refused it', async () => {
    const open = await failInStorage(new CommitUnanswered(new DatabaseSilent()))
    expect(open).toBeInstanceOf(OutcomeUnknownError)
    const refused = await failInStorage(new DatabaseSilent())
    expect(refused).toMatchObject({ name: 'ServerError', reason: 'storage_unavailable', retryable: true })
  })
})

describe('an unknown outcome', () => {
  it('keeps the key of its write, and says its cause once, when a try to recover fails, too', {
    timeout: 60_000,
  }, async () => {
    const baseUrl = `${faulty.url}/html-page-forever/${crypto.randomUUID()}`
    const client = new TradeGateway({ baseUrl, auth: { accessToken: 'none' }, deadlineMs: 1_500 })
    const idempotencyKey = 'a-key-of-the-caller'
    let error = await client.dropship
      .submit(buildOrder(), { idempotencyKey })
      .catch((thrown: unknown) => thrown)
    for (let tries = 0; tries < 2; tries++) {
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      const { idempotencyKey: kept, message } = error as OutcomeUnknownError
      expect(kept).toBe(idempotencyKey)
      expect(message.match(/It is not known/g)).toHaveLength(1)
      error = await (error as OutcomeUnknownError).recover().catch((thrown: unknown) => thrown)
    }
  })
})
