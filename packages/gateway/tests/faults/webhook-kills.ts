import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { Loose } from '../harness.ts'
import { Dice } from './dice.ts'
import { Installation } from './installation.ts'
import { ask, told, until } from './processes.ts'

/**
 * The kill trial of webhooks: a buyer places orders while two receivers take the events, and the gateway is killed at
 * a random moment, while a receiver has a request in its hands, or right after it answered 200. At the end every order
 * that was told as done has exactly one event, every event reached every receiver or is a dead letter, none is of an
 * order that was refused, and an event came twice only where a kill came between. Run alone:
 *
 *   node packages/gateway/tests/faults/webhook-kills.ts [--kills 1000] [--seed 1] [--database URL]
 */
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

/** Orders that nobody knows the outcome of yet; those of a killed gateway stay so for a while. */
const mostOpen = 100
const orderEveryMs = 25
const [shortestLifeMs, longestLifeMs] = [50, 700]
/** An answer older than this is written down, however slow the disk. */
const writtenAfterMs = 3_000
const settleMs = 180_000
const callTimeoutMs = 45_000
/** As soon as a client would: without end, the retries of a hundred orders keep the gateway from starting. */
const retryMs = 250
/** How long a kill waits for a receiver to have something in its hands. */
const patienceMs = 3_000
/** The first such order empties its SKU, and those after it are refused. */
const tooMany = { sku: 'FAULT-0199', quantity: 999 }
const skus = 150

/** Runs the trial to its end, whatever it finds. */
export async function webhookKillTrial(trial: WebhookKillTrial): Promise<WebhookKillOutcome> {
  const began = performance.now()
  const settings = {
    WEBHOOK_ALLOW_PRIVATE_NETS: '1',
    ...(trial.databaseUrl ? { DATABASE_URL: trial.databaseUrl } : {}),
  }
  const installation = await Installation.make(settings)
  const receivers = [await Receiver.open(), await Receiver.open()]
  let gateway = installation.launch()
  try {
    await gateway.ready()
    const token = await installation.buyerToken()
    for (const { url } of receivers) {
      const body = { url, event_types: ['order.created'] }
      await told(ask(installation.url, 'POST', '/api/v1/webhook-endpoints', { token, body }))
    }
    const market = new Market(installation, token)
    const dice = new Dice(trial.seed)
    const kills: number[] = []
    let killsInHand = 0
    market.open()
    for (let kill = 1; kill <= trial.kills; kill++) {
      const strike = async () => {
        await gateway.kill()
        // When it is gone: until then it may have sent on.
        kills.push(performance.now())
      }
      if (await struck(receivers[kill % 2], dice, strike)) killsInHand += 1
      gateway = installation.launch()
      await gateway.ready()
      if (kill % 20 === 0) trial.progress?.(`${kill} of ${trial.kills} kills, ${market.done.size} orders`)
    }
    await market.close()
    const missing = await delivered(installation, token, receivers)
    const violations = [
      ...market.violations(),
      ...missing,
      ...receivers.flatMap((each) => each.violations(kills, market)),
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

/** Kills at a random moment, or with a request in the receiver's hands, before or right after its answer. */
async function struck(
  receiver: Receiver | undefined,
  dice: Dice,
  kill: () => Promise<void>,
): Promise<boolean> {
  await pause(dice.whole(shortestLifeMs, longestLifeMs))
  const way = dice.whole(1, 3)
  if (way === 1 || !receiver) {
    await kill()
    return false
  }
  const inHand = receiver.whenInHand(way === 2 ? 'before' : 'after', kill)
  const isKilled = await Promise.race([inHand.then(() => true), pause(patienceMs).then(() => false)])
  if (!isKilled && receiver.forget()) await kill()
  else if (!isKilled) await inHand
  return isKilled
}

/** Waits until nothing is to be delivered any more; tells what is missing. */
async function delivered(
  installation: Installation,
  token: string,
  receivers: readonly Receiver[],
): Promise<string[]> {
  const list = async (query: string): Promise<Loose[]> => {
    const all: Loose[] = []
    for (let page = 1, more = true; more; page++) {
      const path = `/api/v1/webhook-deliveries?page_size=200&page=${page}${query}`
      const answer = await told(ask(installation.url, 'GET', path, { token }))
      all.push(...answer.data)
      more = answer.has_more
    }
    return all
  }
  const events: Loose[] = []
  const readOn = async () => {
    for (let more = true; more; ) {
      const since = events.length > 0 ? `&since=${events.at(-1)?.event_id}` : ''
      const answer = await told(
        ask(installation.url, 'GET', `/api/v1/events?page_size=200${since}`, { token }),
      )
      events.push(...answer.data)
      more = answer.has_more
    }
  }
  await until(async () => (await list('&status=pending')).length === 0, settleMs, 'Deliveries stayed pending')
  await readOn()
  const dead = new Set((await list('&status=dead_letter')).map(({ event_id }) => event_id))
  const orders = events.filter(({ type }) => type === 'order.created')
  return receivers.flatMap(({ url, seen }) =>
    orders
      .filter(({ event_id }) => !seen.has(event_id) && !dead.has(event_id))
      .map(({ event_id }) => `${event_id} never reached ${url}`),
  )
}

interface Seen {
  readonly order: string
  /** When each copy came and when it was answered; undefined where it never was. */
  readonly copies: { readonly at: number; answeredAt: number | undefined }[]
}

/** A receiver that keeps every copy of every event. */
class Receiver {
  readonly seen = new Map<string, Seen>()
  readonly #server: Server
  #trap: { readonly moment: 'before' | 'after'; readonly spring: () => Promise<void> } | undefined

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => this.#take(JSON.parse(Buffer.concat(chunks).toString()), response))
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

  /** Calls `spring` when the next request is in hand; resolves when it is done. */
  whenInHand(moment: 'before' | 'after', spring: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#trap = { moment, spring: () => spring().then(resolve, reject) }
    })
  }

  /** Whether the trap had not sprung yet. */
  forget(): boolean {
    const was = this.#trap !== undefined
    this.#trap = undefined
    return was
  }

  #take(event: Loose, response: ServerResponse) {
    const copy = { at: performance.now(), answeredAt: undefined as number | undefined }
    const order = String(event.data.client_order_number)
    const seen = this.seen.get(event.event_id) ?? { order, copies: [] }
    seen.copies.push(copy)
    this.seen.set(event.event_id, seen)
    const trap = this.#trap
    this.#trap = undefined
    if (trap?.moment === 'before') {
      void trap.spring()
      return
    }
    response.writeHead(200).end(() => {
      copy.answeredAt = performance.now()
      if (trap) void trap.spring()
    })
  }

  violations(kills: readonly number[], market: Market): string[] {
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

/** Orders, now and then of more than there is, each retried until its outcome is known. */
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

  open() {
    this.#isOpen = true
    this.#running = this.#buy()
  }

  /** Every order is known at the end. */
  async close() {
    this.#isOpen = false
    await this.#running
    while (this.#orders.size > 0) await Promise.all(this.#orders)
  }

  async #buy() {
    for (let at = 0; this.#isOpen; at++) {
      while (this.#orders.size >= mostOpen) await Promise.race(this.#orders)
      const order = this.#place(`W-${at}`, at).finally(() => this.#orders.delete(order))
      this.#orders.add(order)
      await pause(orderEveryMs)
    }
  }

  async #place(number: string, at: number) {
    const sku = `FAULT-${String(at % skus).padStart(4, '0')}`
    const status = await this.#untilKnown(number, at % 5 === 4 ? tooMany : { sku, quantity: 1 })
    ;(status < 300 ? this.done : this.refused).add(number)
  }

  async #untilKnown(number: string, goods: typeof tooMany): Promise<number> {
    const body = { ...orderOf(number), ...goods }
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

  /** The trial says nothing where nothing was placed or nothing was refused. */
  violations(): string[] {
    return [
      ...(this.done.size === 0 ? ['no order was placed'] : []),
      ...(this.refused.size === 0 ? ['no order was refused'] : []),
    ]
  }
}

function orderOf(number: string) {
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

/** The outcome in one line. */
export function webhookKillsDescribed(outcome: WebhookKillOutcome): string {
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
  const outcome = await webhookKillTrial({
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(webhookKillsDescribed(outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
