import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Loose, Result } from '../harness.ts'
import { Dice } from './dice.ts'
import { Installation } from './installation.ts'
import { type GatewayProcess, until } from './processes.ts'

/**
 * The kill trial of orders: buyers place and void drop-ship orders with a key each, and retry with the same key for as
 * long as they do not know; meanwhile the gateway, its ERP or both are killed at random moments, and on PostgreSQL every
 * connection to the database is cut as a restart or a failover cuts it. At the end every order
 * that was told as done is at the ERP exactly once, none that was refused is, and nothing stays held. Run alone:
 *
 *   node packages/gateway/tests/faults/order-kills.ts [--kills 1000] [--seed 1] [--database URL]
 */
export interface OrderKillTrial {
  readonly kills: number
  readonly seed: number
  readonly databaseUrl?: string
  readonly progress?: (line: string) => void
}

export interface OrderKillOutcome {
  readonly kills: number
  readonly orders: number
  readonly voids: number
  readonly refused: number
  readonly retries: number
  readonly seconds: number
  readonly violations: readonly string[]
}

const buyers = 12
const [shortestLifeMs, longestLifeMs] = [50, 900]
const [shortestPauseMs, longestPauseMs] = [20, 250]
const voidShare = 0.2
const settleMs = 180_000
const callTimeoutMs = 45_000
const warehouse = 'AUSYD1'

/** Runs the trial to its end, whatever it finds. */
export async function orderKillTrial(trial: OrderKillTrial): Promise<OrderKillOutcome> {
  const began = performance.now()
  const { databaseUrl } = trial
  const settings = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const installation = await Installation.make(settings)
  let gateway = installation.launch()
  try {
    await gateway.ready()
    const dice = new Dice(trial.seed)
    const market = new Market(installation, await installation.buyerToken(), trial.seed)
    market.open()
    for (let kill = 1; kill <= trial.kills; kill++) {
      await pause(dice.whole(shortestLifeMs, longestLifeMs))
      const victim = dice.whole(1, databaseUrl === undefined ? 3 : 4)
      if (victim === 4) await cutConnections(databaseUrl ?? '')
      else gateway = await strike(installation, gateway, victim)
      if (kill % 20 === 0) trial.progress?.(`${kill} of ${trial.kills} kills, ${market.done} orders`)
    }
    await market.close()
    const violations = await market.violations()
    const { done: orders, voided: voids, refused, retries } = market
    const seconds = (performance.now() - began) / 1000
    return { kills: trial.kills, orders, voids, refused, retries, seconds, violations }
  } finally {
    await gateway.kill()
    installation.remove()
  }
}

/** 1: the gateway, 2: its ERP, 3: both. What does not start by itself is started. */
async function strike(
  installation: Installation,
  gateway: GatewayProcess,
  victim: number,
): Promise<GatewayProcess> {
  const erp = installation.sandbox().erp_pid
  if (victim !== 1 && childrenOf(gateway.pid).includes(erp)) process.kill(erp, 'SIGKILL')
  if (victim === 2) {
    await installation.newErp(erp)
    return gateway
  }
  await gateway.kill()
  const next = installation.launch()
  await next.ready()
  return next
}

/** Ends every connection to the database; the gateway goes on. */
async function cutConnections(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

function childrenOf(parent: number): number[] {
  const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

type Told = 'done' | 'refused'

/** Buyers at work, and the books of what they were told. */
class Market {
  readonly #installation: Installation
  readonly #token: string
  readonly #dice: Dice
  readonly #told = new Map<string, Told>()
  readonly #ids = new Map<string, string>()
  readonly #voided = new Set<string>()
  #isOpen = false
  #running: Promise<unknown> = Promise.resolve()
  retries = 0

  constructor(installation: Installation, token: string, seed: number) {
    this.#installation = installation
    this.#token = token
    this.#dice = new Dice(seed + 1)
  }

  get done(): number {
    return [...this.#told.values()].filter((told) => told === 'done').length
  }

  get refused(): number {
    return this.#told.size - this.done
  }

  get voided(): number {
    return this.#voided.size
  }

  open() {
    this.#isOpen = true
    this.#running = Promise.all(Array.from({ length: buyers }, (_, buyer) => this.#buy(buyer)))
  }

  /** Every buyer finishes what it began. */
  async close() {
    this.#isOpen = false
    await this.#running
    await until(async () => (await this.#inDoubt()) === 0, settleMs, 'Writes stayed in doubt')
  }

  async #buy(buyer: number) {
    for (let order = 0; this.#isOpen; order++) {
      const number = `K${buyer}-${order}`
      const path = '/api/v1/dropship-orders/submit'
      const answer = await this.#untilKnown('POST', path, `order-${number}`, orderOf(number, this.#sku()))
      this.#told.set(number, answer.status < 300 ? 'done' : 'refused')
      if (answer.status >= 300) continue
      const id = String(answer.json.data.dropship_order_id)
      this.#ids.set(number, id)
      if (!this.#dice.chance(voidShare)) continue
      const voided = await this.#untilKnown('DELETE', `/api/v1/dropship-orders/${id}`, `void-${number}`)
      if (voided.status < 300) this.#voided.add(number)
    }
  }

  /** Retries with the same key until the answer is certain. */
  async #untilKnown(method: string, path: string, key: string, body?: object): Promise<Result> {
    for (;;) {
      const answer = await this.#ask(method, path, key, body)
      const isKnown = answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429
      if (answer && isKnown) return answer
      this.retries += 1
      await pause(this.#dice.whole(shortestPauseMs, longestPauseMs))
    }
  }

  async #ask(method: string, path: string, key: string, body?: object): Promise<Result | undefined> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': key,
    }
    if (body) headers['content-type'] = 'application/json'
    try {
      const response = await fetch(`${this.#installation.url}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(callTimeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      const json: Loose = text === '' ? {} : JSON.parse(text)
      return { status: response.status, headers: response.headers, text, json }
    } catch {
      return undefined
    }
  }

  #sku(): string {
    return `FAULT-${String(this.#dice.whole(0, 19)).padStart(4, '0')}`
  }

  async #inDoubt(): Promise<number> {
    const response = await fetch(`${this.#installation.url}/statusz`).catch(() => undefined)
    if (!response?.ok) return Number.NaN
    const { data }: Loose = Object(await response.json())
    return Number(data.writes_in_doubt?.count ?? Number.NaN)
  }

  /** Holds what buyers were told against what the ERP has. */
  async violations(): Promise<string[]> {
    const documents = await this.#installation.erpDocuments()
    const orders = documents.filter(({ kind }) => kind === 'order')
    const byNumber = Map.groupBy(orders, (order) => String(order.client_order_number))
    const found: string[] = []
    for (const [number, told] of this.#told) {
      const made = byNumber.get(number)?.length ?? 0
      if (told === 'done' && made !== 1) found.push(`${number} was told as done and was made ${made} times`)
      if (told === 'refused' && made !== 0) found.push(`${number} was refused and was made ${made} times`)
      const [order] = byNumber.get(number) ?? []
      if (this.#voided.has(number) && order?.status !== 'cancelled' && order?.status !== 'intercepted')
        found.push(`${number} was told as void and is ${order?.status}`)
    }
    for (const number of byNumber.keys()) if (!this.#told.has(number)) found.push(`${number} was never told`)
    const open = orders
      .filter(({ status }) => status === 'open')
      .reduce((sum, { lines }) => sum + (lines[0]?.quantity_allocated ?? 0), 0)
    const held = await this.#installation.erpHeld()
    if (held !== open) found.push(`the ERP holds ${held}, its open orders ${open}`)
    return found
  }
}

function orderOf(number: string, sku: string) {
  return {
    sku,
    quantity: 1,
    warehouse_code: warehouse,
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
export function orderKillsDescribed(outcome: OrderKillOutcome): string {
  const { kills, orders, voids, refused, retries, seconds, violations } = outcome
  return (
    `kill -9 while ordering: ${kills} kills, ${orders} orders told as done, ${voids} voided, ${refused} refused, ` +
    `${retries} retries; ${violations.length} violations; ${seconds.toFixed(0)} s\n`
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
  const outcome = await orderKillTrial({
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(orderKillsDescribed(outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
