import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, openTestGateway, type TestGateway } from '../../gateway/tests/harness.ts'
import {
  deliverDue,
  openReceiver,
  privateNets,
  readNewest,
  registerEndpoint,
} from '../../gateway/tests/receiver.ts'
import { webhook as expressWebhook } from '../src/webhooks/express.ts'
import { webhookPlugin } from '../src/webhooks/fastify.ts'
import { webhook as honoWebhook } from '../src/webhooks/hono.ts'
import { type ReceiverOptions, sign, verify, type WebhookEvent } from '../src/webhooks/index.ts'
import { webhookRoute } from '../src/webhooks/next.ts'
import { webhookListener } from '../src/webhooks/node.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const event: WebhookEvent = {
  event_id: 'evt_1',
  type: 'order.created',
  channel_code: 'sandbox',
  occurred_at: '2026-11-22T01:54:50.759Z',
  data: {},
}

interface App {
  post(init: { readonly body: string; readonly headers: Readonly<Record<string, string>> }): Promise<Response>
  close(): Promise<unknown>
}

type Listener = Parameters<typeof createServer>[1]

async function serve(listener: Listener): Promise<App> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    post: (init) => fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', ...init }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads the error of a response without a type, as a receiver's log would show it. */
async function readError(response: Response): Promise<{ code: string; message: string }> {
  return JSON.parse(await response.text()).error
}

const inProcess = (handle: (request: Request) => Response | Promise<Response>): App => ({
  post: async (init) => handle(new Request('http://shop.example/hook', { method: 'POST', ...init })),
  close: async () => {},
})

const apps: Readonly<Record<string, (options: ReceiverOptions) => Promise<App>>> = {
  'node:http': (options) => serve((request, response) => void webhookListener(options)(request, response)),
  Express: (options) => serve(express().post('/hook', expressWebhook(options))),
  'Express with express.raw()': (options) =>
    serve(express().post('/hook', express.raw({ type: 'application/json' }), expressWebhook(options))),
  async Fastify(options) {
    const app = fastify()
    app.post('/other', async ({ body }) => typeof body)
    await app.register(webhookPlugin, { ...options, path: '/hook' })
    await app.ready()
    return serve((request, response) => app.routing(request, response))
  },
  Hono: async (options) => {
    const app = new Hono().post('/hook', honoWebhook(options))
    return inProcess((request) => app.fetch(request))
  },
  Next: async (options) => inProcess(webhookRoute(options)),
}

describe.each(Object.entries(apps))('a receiver in %s', (_, open) => {
  it('accepts a genuine event once it is handled, and refuses a changed one', async () => {
    const seen: string[] = []
    const app = await open({ secret, onOrderCreated: ({ event_id }) => seen.push(event_id) })
    const { body, headers } = await sign(event, secret)
    expect((await app.post({ body, headers })).status).toBe(204)
    const changed = await app.post({ body: body.replace('sandbox', 'sandbag'), headers })
    expect([changed.status, (await readError(changed)).code]).toEqual([400, 'MISMATCH'])
    expect(seen).toEqual(['evt_1'])
    await app.close()
  })

  it('returns 500 if a handler fails, so that the event comes again', async () => {
    const errors: unknown[] = []
    const broken = new Error('the database is down')
    const onEvent = async () => {
      throw broken
    }
    const app = await open({ secret, onEvent, onError: (error) => errors.push(error) })
    expect((await app.post(await sign(event, secret))).status).toBe(500)
    expect(errors).toEqual([broken])
    await app.close()
  })

  it('responds although onError throws or rejects', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const failing = [
      () => {
        throw new Error('a broken log')
      },
      () => Promise.reject(new Error('a log that is away')),
    ]
    for (const onError of failing) {
      const app = await open({ secret, onError })
      const { body, headers } = await sign(event, secret)
      expect((await app.post({ body: `${body} `, headers })).status).toBe(400)
      await app.close()
    }
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('reads no body without end', async () => {
    const app = await open({ secret })
    const { headers } = await sign(event, secret)
    const response = await app.post({ body: 'x'.repeat(1024 * 1024 + 1), headers }).catch(() => undefined)
    expect(response === undefined || response.status === 413).toBe(true)
    await app.close()
  })
})

it('a receiver behind a JSON parser says where the bytes went', async () => {
  const app = await serve(express().use(express.json()).post('/hook', expressWebhook({ secret })))
  const response = await app.post(await sign(event, secret))
  const error = await readError(response)
  expect([response.status, error.code]).toEqual([400, 'BODY_PARSED'])
  expect(error.message).toContain('express.raw')
  await app.close()
})

/** What the parsers of Express 4 leave of a body that is not theirs, and of one that they have read. */
const afterParsers = {
  'that left the bytes': async () => {},
  async 'that read the bytes'(request: AsyncIterable<unknown>) {
    for await (const _ of request);
  },
}

it.each([
  ['that left the bytes', 204],
  ['that read the bytes', 400],
] as const)(
  'a receiver behind a parser %s and set an empty body responds with %i',
  async (parser, status) => {
    const handle = expressWebhook({ secret })
    const app = await serve(async (request, response) => {
      await afterParsers[parser](request)
      await handle(Object.assign(request, { body: {} }), response)
    })
    const response = await app.post(await sign(event, secret))
    expect(response.status).toBe(status)
    if (status === 400) expect((await readError(response)).code).toBe('BODY_PARSED')
    await app.close()
  },
)

it('a signature is that of Standard Webhooks', async () => {
  const { body, headers } = await sign(event, secret)
  expect(new Webhook(secret).verify(body, headers)).toEqual(event)
})

describe('the gateway’s own deliveries', () => {
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway({ settings: privateNets })
  })
  afterAll(() => house.close())

  it('are verified', async () => {
    const receiver = await openReceiver()
    const { token } = await createWorld(house)
    const { endpoint_id, secret } = await registerEndpoint(house, token, receiver.url)
    const response = await fetch(`${house.url}/api/v1/webhook-endpoints/${endpoint_id}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    await deliverDue(house)
    const { raw, headers } = readNewest(receiver)
    const verified = await verify(raw, headers, secret, { now: () => house.clock.now() })
    expect(verified).toMatchObject({ type: 'webhook.test' })
    await receiver.close()
  })
})
