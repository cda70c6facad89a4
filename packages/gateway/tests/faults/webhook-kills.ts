/**
 * The kill trial of webhooks. A buyer places orders, and two receivers get the events. The gateway is killed at a random
 * moment, while a receiver has a request, or right after the receiver's 200. At the end, every order that was reported as
 * placed has exactly one event, and no refused order has one. Every event reached every receiver or is a dead letter, and
 * an event arrived twice only if a kill happened in between. Run alone:
 *
 *   node packages/gateway/tests/faults/webhook-kills.ts [--kills 1000] [--seed 1] [--database URL]
 */

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { LooseJson } from '../harness.ts'
import { SeededRandom } from './dice.ts'
import { Installation } from './installation.ts'
import { readJson, sendRequest, waitUntil } from './processes.ts'

export interface WebhookKillTrial {
  readonly kills: number
  readonly seed: number
  readonly databaseUrl?: string
  readonly progress?: (line: string) => void
}

export interface WebhookKillOutcome {
  readonly kills: number
  readonly killsInHand: number
  readonly events: number
  readonly refused: number
  readonly duplicates: number
  readonly seconds: number
  readonly violations: readonly string[]
}

/**
 * The maximum number of orders whose outcome is unknown at a time. After a kill, an outcome can stay unknown for a
 * while.
 */
const maxOpen = 100
const orderEveryMs = 25
const [shortestLifeMs, longestLifeMs] = [50, 700]
/** The time in milliseconds after which the gateway has stored a receiver's response, even on a slow disk. */
const writtenAfterMs = 3_000
const settleMs = 180_000
const callTimeoutMs = 45_000
/**
 * The delay between retries in milliseconds. Without it, the retries of a hundred orders would keep the gateway from
 * starting.
 */
const retryMs = 250
/** The time in milliseconds for which a kill waits until a receiver gets a request. */
const patienceMs = 3_000
/** An order of almost the whole stock of a SKU, so the first one succeeds and later ones are refused. */
const tooMany = { sku: 'FAULT-0199', quantity: 999 }
const skus = 150

/** Runs the trial to its end, even if it finds violations. */
export async function runWebhookKillTrial(trial: WebhookKillTrial): Promise<WebhookKillOutcome> {
  const began = performance.now()
  const settings = {
    WEBHOOK_ALLOW_PRIVATE_NETS: '1',
    ...(trial.databaseUrl ? { DATABASE_URL: trial.databaseUrl } : {}),
  }
  const installation = await Installation.create(settings)
  const receivers = [await Receiver.open(), await Receiver.open()]
  let gateway = installation.launch()
  try {
    await gateway.waitUntilReady()
    const token = await installation.requestBuyerToken()
    for (const { url } of receivers) {
      const body = { url, event_types: ['order.created'] }
      await readJson(sendRequest(installation.url, 'POST', '/api/v1/webhook-endpoints', { token, body }))
    }
    const market = new Market(installation, token)
    const dice = new SeededRandom(trial.seed)
    const kills: number[] = []
    let killsInHand = 0
    market.start()
    for (let kill = 1; kill <= trial.kills; kill++) {
      const killAndRecordTime = async () => {
        await gateway.kill()
        // Recorded after the process has ended, because it may send events until then.
        kills.push(performance.now())
      }
      if (await killDuringDelivery(receivers[kill % 2], dice, killAndRecordTime)) killsInHand += 1
      gateway = installation.launch()
      await gateway.waitUntilReady()
      if (kill % 20 === 0) trial.progress?.(`${kill} of ${trial.kills} kills, ${market.done.size} orders`)
    }
    await market.stop()
    const missing = await waitUntilDelivered(installation, token, receivers)
    const violations = [
      ...market.findViolations(),
      ...missing,
      ...receivers.flatMap((each) => each.findViolations(kills, market)),
    ]
    const duplicates = receivers.reduce((sum, each) => sum + each.duplicates, 0)
    const seconds = (performance.now() - began) / 1000
    const { refused, done } = market
    return {
      kills: trial.kills,
      killsInHand,
      events: done.size,
      refused: refused.size,
      duplicates,
      seconds,
      violations,
    }
  } finally {
    await gateway.kill()
    installation.remove()
    for (const receiver of receivers) receiver.close()
  }
}

/**
 * Kills at a random moment, or while the receiver has a request, before or after its response. Returns whether the
 * receiver had a request.
 */
async function killDuringDelivery(
  receiver: Receiver | undefined,
  dice: SeededRandom,
  kill: () => Promise<void>,
): Promise<boolean> {
  await pause(dice.drawInteger(shortestLifeMs, longestLifeMs))
  const way = dice.drawInteger(1, 3)
  if (way === 1 || !receiver) {
    await kill()
    return false
  }
  const inHand = receiver.callAtNextRequest(way === 2 ? 'before' : 'after', kill)
  const isKilled = await Promise.race([inHand.then(() => true), pause(patienceMs).then(() => false)])
  if (!isKilled && receiver.cancelCall()) await kill()
  else if (!isKilled) await inHand
  return isKilled
}

/** Waits until no delivery is pending. Returns a message for each missing delivery. */
async function waitUntilDelivered(
  installation: Installation,
  token: string,
  receivers: readonly Receiver[],
): Promise<string[]> {
  const listDeliveries = async (query: string): Promise<LooseJson[]> => {
    const all: LooseJson[] = []
    for (let page = 1, more = true; more; page++) {
      const path = `/api/v1/webhook-deliveries?page_size=200&page=${page}${query}`
      const answer = await readJson(sendRequest(installation.url, 'GET', path, { token }))
      all.push(...answer.data)
      more = answer.has_more
    }
    return all
  }
  const events: LooseJson[] = []
  const readRemainingEvents = async () => {
    for (let more = true; more; ) {
      const since = events.length > 0 ? `&since=${events.at(-1)?.event_id}` : ''
      const answer = await readJson(
        sendRequest(installation.url, 'GET', `/api/v1/events?page_size=200${since}`, { token }),
      )
      events.push(...answer.data)
      more = answer.has_more
    }
  }
  await waitUntil(
    async () => (await listDeliveries('&status=pending')).length === 0,
    settleMs,
    'Deliveries stayed pending',
  )
  await readRemainingEvents()
  const dead = new Set((await listDeliveries('&status=dead_letter')).map(({ event_id }) => event_id))
  const orders = events.filter(({ type }) => type === 'order.created')
  return receivers.flatMap(({ url, seen }) =>
    orders
      .filter(({ event_id }) => !seen.has(event_id) && !dead.has(event_id))
      .map(({ event_id }) => `${event_id} never reached ${url}`),
  )
}

interface Seen {
  readonly order: string
  /** When each copy arrived and when the receiver responded, which is undefined if it did not respond. */
  readonly copies: { readonly at: number; answeredAt: number | undefined }[]
}

/** A receiver that keeps every copy of every event. */
class Receiver {
  readonly seen = new Map<string, Seen>()
  readonly #server: Server
  #pending: { readonly moment: 'before' | 'after'; readonly action: () => Promise<void> } | undefined

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => this.#receiveEvent(JSON.parse(Buffer.concat(chunks).toString()), response))
    })
  }

  static async open(): Promise<Receiver> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Receiver(server)
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/`
  }

  get duplicates(): number {
    return [...this.seen.values()].reduce((sum, { copies }) => sum + copies.length - 1, 0)
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Calls `action` when the next request has arrived, before or after the response to it, and then resolves. */
  callAtNextRequest(moment: 'before' | 'after', action: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending = { moment, action: () => action().then(resolve, reject) }
    })
  }

  /** Removes the pending action. Returns whether it had not been called yet. */
  cancelCall(): boolean {
    const was = this.#pending !== undefined
    this.#pending = undefined
    return was
  }

  #receiveEvent(event: LooseJson, response: ServerResponse) {
    const copy = { at: performance.now(), answeredAt: undefined as number | undefined }
    const order = String(event.data.client_order_number)
    const seen = this.seen.get(event.event_id) ?? { order, copies: [] }
    seen.copies.push(copy)
    this.seen.set(event.event_id, seen)
    const pending = this.#pending
    this.#pending = undefined
    if (pending?.moment === 'before') {
      void pending.action()
      return
    }
    response.writeHead(200).end(() => {
      copy.answeredAt = performance.now()
      if (pending) void pending.action()
    })
  }

  findViolations(kills: readonly number[], market: Market): string[] {
    const found: string[] = []
    const orders = new Set<string>()
    for (const [event_id, { order, copies }] of this.seen) {
      if (orders.has(order)) found.push(`${order} was told under two ids`)
      orders.add(order)
      if (!market.done.has(order)) found.push(`${order} was told and was not placed`)
      for (const [at, { answeredAt }] of copies.slice(0, -1).entries()) {
        const next = copies[at + 1]?.at ?? 0
        const since = answeredAt === undefined ? Number.NEGATIVE_INFINITY : answeredAt
        const between = kills.some((kill) => kill <= next && kill >= (copies[at]?.at ?? 0))
        const wasOpen = kills.some((kill) => kill <= next && kill - since <= writtenAfterMs)
        if (!between || !(answeredAt === undefined || wasOpen))
          found.push(
            `${event_id} came twice and was not in flight at a kill: at ${copies[at]?.at.toFixed()}, answered at ` +
              `${answeredAt?.toFixed()}, again at ${next.toFixed()}; kills at ${kills.map((kill) => kill.toFixed()).join(' ')}`,
          )
      }
    }
    for (const order of market.done) if (!orders.has(order)) found.push(`${order} was placed and never told`)
    return found
  }
}

/** Places orders, sometimes for more than is in stock, and retries each until its outcome is known. */
class Market {
  readonly done = new Set<string>()
  readonly refused = new Set<string>()
  readonly #installation: Installation
  readonly #token: string
  readonly #orders = new Set<Promise<void>>()
  #isOpen = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(installation: Installation, token: string) {
    this.#installation = installation
    this.#token = token
  }

  start() {
    this.#isOpen = true
    this.#running = this.#placeOrders()
  }

  /** Stops placing orders, and waits until the outcome of every order is known. */
  async stop() {
    this.#isOpen = false
    await this.#running
    while (this.#orders.size > 0) await Promise.all(this.#orders)
  }

  async #placeOrders() {
    for (let at = 0; this.#isOpen; at++) {
      while (this.#orders.size >= maxOpen) await Promise.race(this.#orders)
      const order = this.#placeOrder(`W-${at}`, at).finally(() => this.#orders.delete(order))
      this.#orders.add(order)
      await pause(orderEveryMs)
    }
  }

  async #placeOrder(number: string, at: number) {
    const sku = `FAULT-${String(at % skus).padStart(4, '0')}`
    const status = await this.#retryUntilKnown(number, at % 5 === 4 ? tooMany : { sku, quantity: 1 })
    ;(status < 300 ? this.done : this.refused).add(number)
  }

  async #retryUntilKnown(number: string, goods: typeof tooMany): Promise<number> {
    const body = { ...buildOrder(number), ...goods }
    for (;;) {
      const headers = {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'idempotency-key': `order-${number}`,
      }
      const answer = await fetch(`${this.#installation.url}/api/v1/dropship-orders/submit`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(callTimeoutMs),
      }).catch(() => undefined)
      await answer?.text().catch(() => undefined)
      if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429)
        return answer.status
      await pause(retryMs)
    }
  }

  /**
   * Returns the violations. A run without a placed order or without a refused one is a violation too, because it proves
   * nothing.
   */
  findViolations(): string[] {
    return [
      ...(this.done.size === 0 ? ['no order was placed'] : []),
      ...(this.refused.size === 0 ? ['no order was refused'] : []),
    ]
  }
}

function buildOrder(number: string) {
  return {
    warehouse_code: 'AUSYD1',
    client_order_number: number,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Formats the outcome in one line. */
export function describeWebhookKills(outcome: WebhookKillOutcome): string {
  const { kills, killsInHand, events, refused, duplicates, seconds, violations } = outcome
  return (
    `kill -9 while delivering: ${kills} kills, ${killsInHand} with a request in a receiver's hands, ${events} orders told, ` +
    `${refused} refused, ${duplicates} duplicates; ${violations.length} violations; ${seconds.toFixed(0)} s\n`
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      database: { type: 'string' },
    },
  })
  const outcome = await runWebhookKillTrial({
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(describeWebhookKills(outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
