import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Dispatcher } from '../src/webhooks/dispatch.ts'
import { Egress, type EgressParts } from '../src/webhooks/egress.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { call, type House, type Loose } from './harness.ts'

/** A webhook receiver over a real socket: it writes everything down and answers as it is told to. */
export interface Received {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly event: Loose
}

type Answer = number | ((response: ServerResponse, received: Received) => void)

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** What the next requests are answered, one after another; then `usual`. */
  answers: Answer[]
  usual: Answer
  close(): Promise<void>
}

export async function openReceiver(now: () => number = () => 0): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      const received = {
        at: now(),
        path: request.url ?? '',
        headers: request.headers,
        raw,
        event: JSON.parse(raw),
      }
      receiver.received.push(received)
      const answer = receiver.answers.shift() ?? receiver.usual
      if (typeof answer === 'number') response.writeHead(answer).end()
      else answer(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    answers: [],
    usual: 200,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** The newest that came. Throws where nothing did. */
export function last({ received }: Receiver): Received {
  const newest = received.at(-1)
  if (!newest) throw new Error('Nothing was received.')
  return newest
}

/** Settings with which receivers on this machine may be called. */
export const privateNets = { WEBHOOK_ALLOW_PRIVATE_NETS: '1' }

/** Delivers whatever is due, with a dispatcher of its own as another process has one. */
export async function deliver(house: House, parts: EgressParts = {}): Promise<void> {
  while (await sequenceEvents(house.gateway));
  const egress = new Egress(house.gateway.config, parts)
  const dispatcher = new Dispatcher(house.gateway, egress)
  await dispatcher.drain()
  await dispatcher.stop()
}

/** Registers an endpoint; answers it with its secret. */
export async function registered(
  house: House,
  token: string,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Loose> {
  const body = { url, event_types: ['order.created'], ...more }
  const { status, json, text } = await call(house, 'POST', '/api/v1/webhook-endpoints', { token, body })
  if (status !== 201) throw new Error(text)
  return json.data
}

/** The deliveries of a channel, newest first. */
export async function deliveries(house: House, token: string, query = ''): Promise<Loose[]> {
  const { json } = await call(house, 'GET', `/api/v1/webhook-deliveries?page_size=200${query}`, { token })
  return json.data
}
