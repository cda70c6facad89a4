/** A webhook receiver on a real socket: it records every request and responds as configured. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Dispatcher } from '../src/webhooks/dispatch.ts'
import { Egress, type EgressParts } from '../src/webhooks/egress.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { plantCanaries } from './canaries.ts'
import { call, type LooseJson, type TestGateway } from './harness.ts'

export interface Received {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly event: LooseJson
}

type ReceiverResponse = number | ((response: ServerResponse, received: Received) => void)

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** The responses to the next requests, one for each. When none is left, `usual` is the response. */
  answers: ReceiverResponse[]
  usual: ReceiverResponse
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

/** Returns the newest request. Throws if there was none. */
export function readNewest({ received }: Receiver): Received {
  const newest = received.at(-1)
  if (!newest) throw new Error('Nothing was received.')
  return newest
}

/** Settings that allow receivers with addresses of this machine. */
export const privateNets = { WEBHOOK_ALLOW_PRIVATE_NETS: '1' }

/** Delivers every event that is due. Uses a separate dispatcher, as another process would. */
export async function deliverDue(house: TestGateway, parts: EgressParts = {}): Promise<void> {
  while (await sequenceEvents(house.gateway));
  const egress = new Egress(house.gateway.config, parts)
  const dispatcher = new Dispatcher(house.gateway, egress)
  await dispatcher.drain()
  await dispatcher.stop()
}

/** Registers an endpoint and returns it with its secret. */
export async function registerEndpoint(
  house: TestGateway,
  token: string,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<LooseJson> {
  const body = { url, event_types: ['order.created'], ...more }
  const { status, json, text } = await call(house, 'POST', '/api/v1/webhook-endpoints', { token, body })
  if (status !== 201) throw new Error(text)
  plantCanaries(json.data.secret)
  return json.data
}

/** Lists the newest deliveries of a channel, at most 200, newest first. */
export async function listDeliveries(house: TestGateway, token: string, query = ''): Promise<LooseJson[]> {
  const { json } = await call(house, 'GET', `/api/v1/webhook-deliveries?page_size=200${query}`, { token })
  return json.data
}
