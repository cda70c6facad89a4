/**
 * The trial of `tgw webhooks listen`: suspended, cut, and its handler failing, while orders go on. By default some
 * seconds and five cuts. `TGW_LISTEN_TRIAL=full` is ten minutes and fifty cuts.
 */

import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { TradeGateway } from '@trade-gateway/sdk'
import { verify } from '@trade-gateway/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sequenceEvents } from '../../gateway/src/webhooks/sequence.ts'
import { waitForEnd } from './run-tgw.ts'
import { openShopWithHome, type Shop } from './shop.ts'

const isFull = process.env.TGW_LISTEN_TRIAL === 'full'
const size = isFull
  ? { cuts: 50, suspendedMs: 600_000, ordersPerRound: 5 }
  : { cuts: 5, suspendedMs: 3_000, ordersPerRound: 4 }
const trialMs = size.suspendedMs + 240_000

let shop: Shop
let client: TradeGateway
let placed = 0

beforeAll(async () => {
  shop = await openShopWithHome()
  const { TGW_BASE_URL: baseUrl, TGW_USERNAME: username, TGW_PASSWORD: password } = shop.env
  client = new TradeGateway({ baseUrl, auth: { username, password } })
})
afterAll(() => shop.close())

/** Places orders, and numbers their events as the gateway’s worker does. */
async function place(count: number): Promise<void> {
  for (let each = 0; each < count; each++) {
    placed += 1
    await client.dropship.submit({
      sku: 'SBX-SHORT-3',
      quantity: 1,
      client_order_number: `LISTEN-${placed}`,
      recipient: {
        name: `Buyer ${placed}`,
        phone: '+61 2 5550 1234',
        address: '1 Example Street',
        city: 'Sydney',
        state: 'NSW',
        postal_code: '2000',
        country_code: 'AU',
      },
    })
  }
  while (await sequenceEvents(shop.house.gateway));
}

async function listEvents(): Promise<string[]> {
  const events = await client.events.list({ type: 'order.created' }).toArray({ limit: 100_000 })
  return events.map(({ event_id }) => event_id)
}

/** A network between the command and the gateway that can be cut. */
async function openNetwork(port: number) {
  const sockets = new Set<Socket>()
  let isDown = false
  const server = createTcpServer((socket) => {
    if (isDown) return void socket.destroy()
    const upstream = connect(port, '127.0.0.1')
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each.on('error', () => {})
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async cut(ms: number) {
      isDown = true
      drop()
      await sleep(ms)
      isDown = false
    },
    async close() {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A handler that verifies each event, and refuses, drops and delays some of them. */
class Handler {
  /** The events that it accepted, in order. */
  readonly accepted: string[] = []
  readonly problems: unknown[] = []
  readonly #server: Server
  #count = 0
  secret = ''
  isFlaky = false

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      this.#count += 1
      if (this.isFlaky && this.#count % 5 === 0) return void response.writeHead(503).end()
      if (this.isFlaky && this.#count % 7 === 0) return void request.socket.destroy()
      try {
        const event = await verify(Buffer.concat(chunks).toString('utf8'), request.headers, this.secret)
        this.accepted.push(event.event_id)
        response.writeHead(204).end()
      } catch (error) {
        this.problems.push(error)
        response.writeHead(400).end()
      }
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async waitFor(count: number, ended: Promise<unknown>): Promise<void> {
    let isEnded = false
    void ended.then(() => {
      isEnded = true
    })
    while (this.accepted.length < count && !isEnded) await sleep(50)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

describe('tgw webhooks listen', () => {
  it(
    'brings every event to the handler, in order and accepted once, through suspension and cuts',
    async () => {
      const network = await openNetwork(shop.house.port)
      const handler = new Handler()
      const to = await handler.open()
      const env = { TGW_BASE_URL: network.url }
      handler.secret = (await shop.home.run(['webhooks', 'listen', '--print-secret'])).out.trim()
      handler.isFlaky = true
      const args = ['webhooks', 'listen', '--forward-to', to, '--interval', '1s', '--events', 'order.created']
      const child = shop.home.start([...args, '--since', 'oldest'], { env })
      const ended = waitForEnd(child)
      for (let round = 0; round < size.cuts; round++) {
        await place(size.ordersPerRound)
        await handler.waitFor(Math.ceil(placed / 2), ended)
        await network.cut(200)
      }
      child.kill('SIGSTOP')
      await place(size.ordersPerRound)
      await network.cut(size.suspendedMs)
      child.kill('SIGCONT')
      await place(size.ordersPerRound)
      await handler.waitFor(placed, ended)
      handler.isFlaky = false
      child.kill('SIGINT')
      const { code, err } = await ended
      expect(handler.problems).toEqual([])
      expect(handler.accepted, err).toEqual(await listEvents())
      expect(new Set(handler.accepted).size).toBe(placed)
      expect(code).toBe(130)

      // The next run continues after the last accepted event.
      const again = shop.home.start(args, { env })
      const endedAgain = waitForEnd(again)
      await place(1)
      await handler.waitFor(placed, endedAgain)
      again.kill('SIGTERM')
      expect(await endedAgain).toMatchObject({ code: 143 })
      expect(handler.accepted).toEqual(await listEvents())
      await handler.close()
      await network.close()
    },
    trialMs,
  )

  it('sends an event again after a kill, and skips none', async () => {
    const handler = new Handler()
    const to = await handler.open()
    handler.secret = (await shop.home.run(['webhooks', 'listen', '--print-secret'])).out.trim()
    const args = ['webhooks', 'listen', '--forward-to', to, '--interval', '1s', '--events', 'order.created']
    const kills = 3
    for (let kill = 0; kill < kills; kill++) {
      const child = shop.home.start([...args, ...(kill === 0 ? ['--since', 'oldest'] : [])])
      const ended = waitForEnd(child)
      await handler.waitFor(handler.accepted.length + 2, ended)
      child.kill('SIGKILL')
      await ended
      await place(3)
    }
    const child = shop.home.start(args)
    const ended = waitForEnd(child)
    const all = await listEvents()
    while (handler.accepted.at(-1) !== all.at(-1)) await sleep(50)
    child.kill('SIGINT')
    await ended
    expect([...new Set(handler.accepted)]).toEqual(all)
    // A kill between the response and the note of it sends one event twice, at most.
    expect(handler.accepted.length - all.length).toBeLessThanOrEqual(kills)
    await handler.close()
  }, 60_000)

  it('gives up with 7 when the gateway is away for too long', async () => {
    const handler = new Handler()
    const to = await handler.open()
    const network = await openNetwork(shop.house.port)
    const args = [
      'webhooks',
      'listen',
      '--forward-to',
      to,
      '--interval',
      '1s',
      '--give-up',
      '1s',
      '--since',
      'now',
    ]
    const child = shop.home.start(args, { env: { TGW_BASE_URL: network.url } })
    const ended = waitForEnd(child)
    await new Promise((resolve) => child.stderr?.once('data', resolve))
    await network.close()
    const { code, err } = await ended
    expect(code, err).toBe(7)
    expect(err).toContain('Trying again')
    await handler.close()
  })

  it('refuses to forward the same events to the same handler twice', async () => {
    const args = ['webhooks', 'listen', '--forward-to', ':9/one', '--interval', '1s']
    const first = shop.home.start(args)
    const ended = waitForEnd(first)
    await new Promise((resolve) => first.stderr?.once('data', resolve))
    expect(await shop.home.run(args)).toMatchObject({
      code: 1,
      err: expect.stringContaining(String(first.pid)),
    })
    first.kill('SIGINT')
    await ended
  })
})
