/**
 * Clients order the same scarce SKU through a gateway whose ERP misbehaves, in a sequence that a seed determines. At
 * the end their records must agree with the ERP.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { ErpDocument } from '@trade-gateway/connector'
import { catalogue } from '../../src/catalogue.ts'
import { syncDocuments } from '../../src/documents/sync.ts'
import type { Gateway } from '../../src/gateway.ts'
import { releaseExpiredHolds } from '../../src/holds/expire.ts'
import { createPipeline, type Pipeline } from '../../src/pipeline/pipeline.ts'
import { settleAll } from '../../src/writes/settle.ts'
import { writes } from '../../src/writes.ts'
import { buyers, openTestGateway, signInBuyer, type TestGateway } from '../harness.ts'
import { type InProcessReply, sendInProcess } from '../in-process.ts'
import { SeededRandom } from './dice.ts'
import { Crashed, ErpGate, type Fate } from './erp-gate.ts'

export const maxRequestMs = 10_000
const lookupLagMs = 4_000
const warehouse = 'AUSYD1'
const tokenMs = 20 * 60_000
const settleTurns = 6
const maxDrainMs = 120_000
const definite = new Set(['UPSTREAM_REJECTED', 'VALIDATION_FAILED', 'DUPLICATE_SUSPECTED', 'NOT_FOUND'])

/** A class of ERPs: what such an ERP promises to the gateway, and what can happen to a write (`fates`). */
export interface ErpClass {
  readonly name: string
  readonly dedupes: boolean
  readonly lookup: 'strong' | 'eventual' | 'none'
  readonly settles: boolean
  readonly fates: readonly Fate[]
}

export const erpClasses: readonly ErpClass[] = [
  {
    name: 'dedupes by reference',
    dedupes: true,
    lookup: 'strong',
    settles: false,
    fates: ['fine', 'fine', 'fine', 'not sent', 'fails before', 'fails after', 'late', 'twice', 'crash'],
  },
  {
    name: 'strong look-up',
    dedupes: false,
    lookup: 'strong',
    settles: false,
    fates: ['fine', 'fine', 'fine', 'not sent', 'fails before', 'fails after', 'late', 'crash'],
  },
  {
    name: 'look-up that lags',
    dedupes: false,
    lookup: 'eventual',
    settles: false,
    fates: ['fine', 'fine', 'fine', 'fails before', 'fails after', 'late', 'late', 'crash'],
  },
  {
    name: 'neither',
    dedupes: false,
    lookup: 'none',
    settles: false,
    fates: ['fine', 'fine', 'fine', 'fine', 'not sent', 'fails before', 'fails after', 'late', 'crash'],
  },
  {
    name: 'settles',
    dedupes: false,
    lookup: 'none',
    settles: true,
    fates: ['fine', 'fine', 'fine', 'not sent', 'fails before', 'fails after', 'late', 'late', 'crash'],
  },
]

interface Attempt {
  readonly path: string
  readonly key: string | undefined
  readonly body: object | undefined
  said?: InProcessReply
}

export interface OrderingHouse {
  readonly house: TestGateway
  readonly gate: ErpGate
  readonly pipeline: Pipeline
  readonly skus: readonly string[]
  readonly kind: ErpClass
  /** The id of the ERP's newest document when the previous run ended. */
  lastDocument: number
  /** Returns a buyer's token, a new one shortly before the former one expires. */
  token(): Promise<string>
}

/** Opens a gateway with an ERP of one class, for many runs. */
export async function openOrderingHouse(kind: ErpClass): Promise<OrderingHouse> {
  let gate: ErpGate | undefined
  const house = await openTestGateway({
    capabilities: {
      dedupes_by_reference: kind.dedupes,
      lookup: kind.lookup,
      settles: kind.settles,
      max_request_ms: maxRequestMs,
      lookup_lag_ms: kind.lookup === 'eventual' ? lookupLagMs : 0,
    },
    journey: { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY },
    settings: { DUPLICATE_WINDOW_SECONDS: '86400', HOLD_TTL_SECONDS: '30' },
    wrapErp: (erp) => {
      gate = new ErpGate(erp)
      return gate.erp
    },
  })
  if (!gate) throw new Error('The ERP was not wrapped.')
  let token = ''
  let signedAt = Number.NEGATIVE_INFINITY
  await signInBuyer(house, buyers[0])
  return {
    house,
    gate,
    pipeline: createPipeline(house.gateway, catalogue, writes),
    skus: listSellableSkus(house.gateway),
    kind,
    lastDocument: 0,
    async token() {
      if (house.clock.now() - signedAt > tokenMs) {
        token = await signInBuyer(house, buyers[0])
        signedAt = house.clock.now()
      }
      return token
    },
  }
}

function listSellableSkus({ mirror }: Gateway): string[] {
  const carried = mirror.stock.snapshot(warehouse)?.blocks.flatMap(({ skus }) => [...skus]) ?? []
  return carried.filter(
    (sku) => !sku.startsWith('SBX-') && mirror.reference.maySell(buyers[0].customer_code, sku),
  )
}

let numbers = 0

/** One run: a SKU, an initial stock, three order numbers, and the clients' actions. */
export class OrderingRun {
  readonly #of: OrderingHouse
  readonly #token: string
  readonly #dice: SeededRandom
  readonly #sku: string
  readonly #opening: number
  /** The initial stock of the run, including quantities that earlier runs hold and may still release. */
  #onHand = 0
  readonly #numbers: readonly string[]
  readonly #attempts: Attempt[] = []
  readonly #tasks = new Set<Promise<unknown>>()
  #ids: string[] = []

  constructor(of: OrderingHouse, token: string, seed: number) {
    this.#of = of
    this.#token = token
    this.#dice = new SeededRandom(seed)
    this.#sku = this.#dice.pick(of.skus)
    this.#opening = this.#dice.drawInteger(1, 4)
    numbers += 1
    this.#numbers = ['a', 'b', 'c'].map((letter) => `N${numbers}${letter}`)
    this.#of.gate.close({
      clock: of.house.clock,
      dice: this.#dice,
      fates: of.kind.fates,
      maxRequestMs,
    })
  }

  /** Sets the initial stock of the run's SKU. */
  prepare() {
    const { steering } = this.#of.house.sandbox
    this.#onHand = this.#opening + this.#countHeldByStock()
    steering.setStock({ warehouse_code: warehouse, sku: this.#sku, on_hand: this.#onHand })
  }

  #countHeldByStock(): number {
    const sql = 'select held from stock where warehouse_code = ? and sku = ?'
    return Number(this.#of.house.sandbox.store.one(sql, warehouse, this.#sku)?.held)
  }

  /** Sums the quantity of the SKU that all documents of the ERP hold, including those of earlier runs. */
  #countHeldByDocuments(): number {
    return this.#of.house.sandbox.store
      .all("select body from documents where status in ('held', 'open')")
      .map(({ body }): ErpDocument => JSON.parse(String(body)))
      .flatMap(({ lines }) => lines)
      .filter(({ sku }) => sku === this.#sku)
      .reduce((sum, { quantity_allocated }) => sum + quantity_allocated, 0)
  }

  async runSteps(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#takeRandomStep()
      await waitThreeTurns()
    }
    await this.#drain()
  }

  async #takeRandomStep(): Promise<void> {
    const { gate } = this.#of
    const dice = this.#dice.drawInteger(1, 100)
    if (gate.waiting > 0 && dice <= 55) return gate.release(this.#dice.drawInteger(0, 999))
    if (dice <= 66) return gate.advance(this.#dice.pick([50, 400, 1_100, 6_000, 12_000, 31_000]))
    if (dice <= 72) return this.#track(settleAll(this.#of.house.gateway, writes))
    if (dice <= 75) return this.#track(releaseExpiredHolds(this.#of.house.gateway))
    if (dice <= 77) return this.#track(syncDocuments(this.#of.house.gateway))
    if (dice <= 78) return this.#endHoldAtErp()
    if (dice <= 84 && this.#attempts.length > 0) return this.#send(this.#repeatAttempt())
    return this.#send(this.#createAttempt())
  }

  /** Makes the ERP release a hold by itself. */
  async #endHoldAtErp(): Promise<void> {
    const held = this.#listDocuments().filter(({ kind, status }) => kind === 'hold' && status === 'held')
    if (held.length === 0) return
    const { reference } = this.#dice.pick(held)
    await this.#of.gate.inner.release({ reference, reason: 'release' })
  }

  #track(work: Promise<unknown>) {
    const task = work.catch((error: unknown) => {
      if (!(error instanceof Crashed)) throw error
    })
    this.#tasks.add(task)
    void task.finally(() => this.#tasks.delete(task))
  }

  #send(attempt: Attempt) {
    this.#attempts.push(attempt)
    const [method = '', path = ''] = attempt.path.split(' ')
    const { token, body, key } = { token: this.#token, body: attempt.body, key: attempt.key }
    this.#track(
      sendInProcess(this.#of.pipeline, method, path, { token, body, key }).then((said) => {
        attempt.said = said
        const { dropship_order_id: id } = said.json.data ?? {}
        if (id && !this.#ids.includes(id)) this.#ids.push(id)
      }),
    )
  }

  /** Repeats a request with the same key, as a client does that got no response or an uncertain one. */
  #repeatAttempt(): Attempt {
    const { path, key, body } = this.#dice.pick(this.#attempts)
    return { path, key, body }
  }

  #createAttempt(): Attempt {
    const key = this.#dice.drawBoolean(0.8) ? `key-${numbers}-${this.#attempts.length}` : undefined
    const kind = this.#dice.drawInteger(1, 10)
    const id = this.#ids.length > 0 ? this.#dice.pick(this.#ids) : undefined
    if (kind <= 2 && id !== undefined) {
      const path = `DELETE /api/v1/dropship-orders/${id}${this.#dice.drawBoolean(0.5) ? '/allocation' : ''}`
      return { path, key, body: undefined }
    }
    const isPreview = kind <= 6
    const number = this.#dice.pick(this.#numbers)
    const body = {
      sku: this.#sku,
      quantity: this.#dice.drawInteger(1, 2),
      client_order_number: number,
      warehouse_code: warehouse,
      recipient: buildRecipient(),
    }
    return { path: `POST /api/v1/dropship-orders/${isPreview ? 'allocation-preview' : 'submit'}`, key, body }
  }

  /** Releases all waiting calls, ends the faults, settles writes whose outcome is unknown, and lets holds expire. */
  async #drain(): Promise<void> {
    const { gate, house } = this.#of
    const until = performance.now() + maxDrainMs
    while (this.#tasks.size > 0) {
      if (performance.now() > until) throw new Error('The run does not come to an end.')
      if (gate.waiting > 0) gate.release(this.#dice.drawInteger(0, 999))
      else await pause(1)
      await waitThreeTurns()
    }
    await gate.advance(maxRequestMs)
    gate.open()
    for (let turn = 0; turn < settleTurns; turn++) {
      await settleAll(house.gateway, writes)
      await gate.advance(turn === 2 ? 40_000 : 5_000)
      await releaseExpiredHolds(house.gateway)
      await syncDocuments(house.gateway)
    }
  }

  /** Finds every disagreement between the records and the ERP. */
  async findViolations(): Promise<string[]> {
    const { house, kind } = this.#of
    const found: string[] = []
    const rows = await house.gateway.store.db
      .selectFrom('dropship_orders')
      .selectAll()
      .where('client_order_number', 'in', this.#numbers)
      .execute()
    const documents = this.#listDocuments()
    const orders = documents.filter((document) => document.kind === 'order')
    const live = documents.filter(({ status }) => status === 'held' || status === 'open')
    const inDoubt = rows.filter(({ in_doubt }) => in_doubt !== 0)
    const held = this.#countHeldByDocuments()
    if (held > this.#onHand) found.push(`oversold: ${held} of ${this.#onHand}`)
    if (this.#countHeldByStock() !== held)
      found.push(`the ERP holds ${this.#countHeldByStock()}, its documents ${held}`)
    for (const { copy, reference } of documents) if (copy > 0) found.push(`made twice: ${reference}`)
    for (const { reference, status, kind: what } of live) {
      if (what === 'hold' && inDoubt.length === 0)
        found.push(
          `a hold leaked: ${reference} is ${status}\n${JSON.stringify([rows, await this.#readStory(reference)], null, 1)}`,
        )
    }
    for (const number of this.#numbers) {
      const same = rows.filter((row) => row.client_order_number === number).map(({ reference }) => reference)
      const open = orders.filter(({ reference, status }) => status === 'open' && same.includes(reference))
      if (open.length > 1) found.push(`ordered twice: ${number} has ${open.length} live orders`)
    }
    for (const order of orders) {
      const row = rows.find(({ reference }) => reference === order.reference)
      if (!row) found.push(`lost: the ERP has ${order.reference}, the gateway has no such order`)
      else if (row.in_doubt === 0 && row.submitted_at === null)
        found.push(`lost: the ERP has ${order.reference}, here it is ${row.status} and was never submitted`)
      else if (row.in_doubt === 0 && (row.status === 'pending') !== (order.status === 'open'))
        found.push(`${order.reference} is ${order.status} there and ${row.status} here`)
    }
    for (const row of rows.filter(({ submitted_at }) => submitted_at !== null)) {
      if (!orders.some(({ reference }) => reference === row.reference))
        found.push(`invented: ${row.reference} is submitted here, the ERP has no such order`)
    }
    if ((kind.lookup !== 'none' || kind.settles) && inDoubt.length > 0)
      found.push(`${inDoubt.length} are still in doubt`)
    found.push(...this.#findBrokenResponses(orders.length))
    return found
  }

  async #readStory(reference: string) {
    const hold = await this.#of.house.gateway.store.db
      .selectFrom('holds')
      .selectAll()
      .where('reference', '=', reference)
      .execute()
    return {
      hold,
      attempts: this.#attempts.map(({ path, key, said }) => [
        path,
        key,
        said?.status,
        said?.json.error?.code,
        said?.json.data?.dropship_order_id,
      ]),
    }
  }

  /** Checks the clients' responses: a definite refusal means no order, a success means one order. */
  #findBrokenResponses(orders: number): string[] {
    for (const { path, said } of this.#attempts) {
      const { code, reason } = said?.json.error ?? {}
      // A write that waited for too long is refused with a reason, before it is sent.
      if (code === 'INTERNAL' && reason !== 'overloaded') return [`${path} was answered INTERNAL`]
      const isVoid = path.startsWith('DELETE') && said?.status === 200
      if (isVoid && said.json.data.status !== 'cancelled')
        return [`a void was answered ${said.json.data.status}`]
    }
    const submits = this.#attempts.filter(({ path }) => path.endsWith('/submit'))
    const successes = new Set<string>()
    let uncertain = 0
    for (const { said } of submits) {
      if (said === undefined || said.status >= 500 || said.json.error?.code === 'IDEMPOTENCY_IN_PROGRESS')
        uncertain += 1
      else if (said.status < 300) successes.add(said.json.data.dropship_order_id)
      else if (!definite.has(said.json.error.code) && said.json.error.code !== 'IDEMPOTENCY_MISMATCH')
        return [`a submit was answered ${said.json.error.code}`]
    }
    if (orders > successes.size + uncertain)
      return [`${orders} orders for ${successes.size} successes and ${uncertain} unknown outcomes`]
    return orders < successes.size ? [`${successes.size} successes, ${orders} orders`] : []
  }

  #listDocuments() {
    const { steering } = this.#of.house.sandbox
    const all = []
    for (let after: number | null = this.#of.lastDocument; after !== null; ) {
      const page = steering.listDocuments(after)
      all.push(...page.documents)
      after = page.next
    }
    return all
      .filter(({ lines }) => lines.some(({ sku }) => sku === this.#sku))
      .filter(({ id }) => id > this.#of.lastDocument)
  }

  /** Records the ERP's newest document for the next run. */
  recordNewestDocument() {
    const { steering } = this.#of.house.sandbox
    for (let after: number | null = this.#of.lastDocument; after !== null; ) {
      const page = steering.listDocuments(after)
      this.#of.lastDocument = page.documents.at(-1)?.id ?? this.#of.lastDocument
      after = page.next
    }
  }
}

function buildRecipient() {
  return {
    name: 'Alex Lee',
    phone: '+61 2 5550 1234',
    address: '1 Example Street',
    city: 'Sydney',
    state: 'NSW',
    postal_code: '2000',
    country_code: 'AU',
  }
}

/** Waits three turns of the event loop, in which work that does not depend on the ERP can continue. */
async function waitThreeTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}
