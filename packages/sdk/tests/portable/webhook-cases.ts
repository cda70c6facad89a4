import { sign, verify, WebhookError, type WebhookEvent, webhookHandler } from '../../src/webhooks/index.ts'
import { catchError, checkEqual, checkTrue } from './check.ts'
import type { Case } from './target.ts'

const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`
const other = `whsec_${btoa('fedcba9876543210fedcba9876543210')}`
const event: WebhookEvent = {
  event_id: 'evt_1',
  type: 'webhook.test',
  channel_code: 'sandbox',
  occurred_at: '2026-11-22T01:54:50.759Z',
  data: { word: '库存 – 재고' },
}
const at = Date.UTC(2026, 10, 22, 1, 55)
const now = () => at

type Delivery = Parameters<typeof verify>

/** Each cause of a refusal, with a delivery that has it and nothing else. */
const causes: readonly (readonly [code: string, what: string, spoil: () => Promise<Delivery>])[] = [
  ['BODY_PARSED', 'a parsed body', async () => deliver({ body: JSON.parse(JSON.stringify(event)) })],
  ['BODY_PARSED', 'no body', async () => deliver({ body: undefined })],
  ['MISSING_HEADER', 'no headers', async () => deliver({ headers: {} })],
  ['MISSING_HEADER', 'no webhook-id', async () => deliver({ without: ['webhook-id'] })],
  [
    'MALFORMED_HEADER',
    'a cut signature',
    async () => deliver({ headers: { 'webhook-id': 'evt_1', 'x-service-signature': 't=1,v1=ab' } }),
  ],
  ['STALE', 'a clock that is an hour ahead', async () => deliver({ now: () => at + 3_600_000 })],
  ['STALE', 'a clock that is an hour behind', async () => deliver({ now: () => at - 3_600_000 })],
  ['WRONG_SECRET_KIND', 'a token', async () => deliver({ secret: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln' })],
  ['WRONG_SECRET_KIND', 'a client secret', async () => deliver({ secret: 'a-client-secret-of-a-channel' })],
  [
    'WRONG_SECRET_KIND',
    'an id of an endpoint',
    async () => deliver({ secret: 'whe_znb2ksefmt09wefb44yx14etsr' }),
  ],
  ['WRONG_SECRET_KIND', 'a cut secret', async () => deliver({ secret: secret.slice(0, 20) })],
  ['WRONG_SECRET_KIND', 'an empty secret', async () => deliver({ secret: '' })],
  [
    'WRONG_SECRET_KIND',
    'a secret that is not set',
    async () => deliver({ secret: false as unknown as string }),
  ],
  ['MISMATCH', 'another endpoint’s secret', async () => deliver({ secret: other })],
  ['MISMATCH', 'one more space in the body', async () => deliver({ body: `${JSON.stringify(event)} ` })],
]

interface Spoiled {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly without?: readonly string[]
  readonly secret?: string
  readonly now?: () => number
}

async function deliver(spoiled: Spoiled = {}): Promise<Delivery> {
  const signed = await sign(event, secret, now)
  const headers = Object.entries(spoiled.headers ?? signed.headers).filter(
    ([name]) => !spoiled.without?.includes(name),
  )
  const body = 'body' in spoiled ? spoiled.body : signed.body
  return [body as string, Object.fromEntries(headers), spoiled.secret ?? secret, { now: spoiled.now ?? now }]
}

export const webhookCases: readonly Case[] = [
  ...causes.map(
    ([code, what, spoil]): Case => ({
      name: `a webhook with ${what} is refused with ${code}`,
      isPublic: true,
      async run() {
        const error = await catchError(verify(...(await spoil())))
        checkTrue(error instanceof WebhookError, `${error.name} is a WebhookError`)
        checkEqual((error as WebhookError).code, code)
      },
    }),
  ),
  {
    name: 'a genuine webhook is accepted in both forms, as text and as bytes, with any kind of headers',
    isPublic: true,
    async run() {
      const { body, headers } = await sign(event, secret, now)
      const upper = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
      )
      const { 'x-service-signature': _, ...standard } = headers
      const { 'webhook-signature': __, ...own } = headers
      const bytes = new TextEncoder().encode(body)
      for (const each of [headers, upper, standard, own, new Headers(headers)])
        for (const form of [body, bytes]) checkEqual(await verify(form, each, secret, { now }), event)
    },
  },
  {
    name: 'during a rotation one of the secrets is enough, on either side',
    isPublic: true,
    async run() {
      const both = await sign(event, [secret, other], now)
      checkEqual(await verify(both.body, both.headers, other, { now }), event)
      const one = await sign(event, secret, now)
      checkEqual(await verify(one.body, one.headers, [other, secret], { now }), event)
    },
  },
  {
    name: 'a handler of requests returns 204, 400 and 500, and does not tell why a handler failed',
    isPublic: true,
    async run() {
      const { body, headers } = await sign(event, secret, now)
      const post = (init: RequestInit) => new Request('http://shop.example/hook', { method: 'POST', ...init })
      const seen: string[] = []
      const handle = webhookHandler({ secret, now, onEvent: ({ event_id }) => seen.push(event_id) })
      checkEqual((await handle(post({ body, headers }))).status, 204)
      checkEqual((await handle(post({ body: '{}', headers }))).status, 400)
      checkEqual(seen, ['evt_1'])
      const fail = webhookHandler({
        secret,
        now,
        onEvent() {
          throw new Error('the database is down')
        },
      })
      const failed = await fail(post({ body, headers }))
      checkEqual(failed.status, 500)
      checkTrue(!(await failed.text()).includes('database'), 'the cause is not told')
    },
  },
]
