/** All operations of the connector. */
import {
  type Capabilities,
  type Erp,
  type ErpResult,
  type Input,
  ok,
  rejected,
  withoutLedger,
} from '@trade-gateway/connector'
import { Locks } from '@trade-gateway/connector-kit/locks'
import type { Config } from './config.ts'
import { Customers } from './customers.ts'
import type { Environment } from './environment.ts'
import { Goods } from './goods.ts'
import { Holds, toCovered } from './holds.ts'
import { MedusaHttp, toKeyHeaders } from './http.ts'
import { Intents } from './intents.ts'
import { createListings } from './listings.ts'
import { OrderStore } from './medusa-orders.ts'
import { OrderReservations } from './order-reservations.ts'
import { Orders } from './orders.ts'
import { type Places, readPlaces } from './places.ts'
import { Prices } from './prices.ts'
import { Quotes } from './quote.ts'
import { RecordStore, readHoldState } from './records.ts'
import { Settlement } from './settlement.ts'
import { Shipping } from './shipping.ts'
import { maxRequestMs, type StepHook, Steps, Unsettled } from './steps.ts'
import { Stock } from './stock.ts'
import { TakeBack } from './take-back.ts'

/** The largest number of lines: each line of a hold is a call of Medusa. */
const maxOrderLines = 100

/** What Medusa can do. The README gives the reason of each value. */
export const medusaCapabilities: Capabilities = {
  dedupes_by_reference: true,
  lookup: 'strong',
  lookup_lag_ms: 0,
  max_request_ms: maxRequestMs,
  changes: 'none',
  stock_seq: false,
  holds: 'plain',
  serialise: 'sku',
  ledger: false,
  sign_in: true,
  settles: true,
  hint_lag_ms: 0,
  allocates_from: 'one',
  max_lines: maxOrderLines,
}

export interface OpenOptions {
  readonly environment: Environment
  /** Called after each step of a write, for tests. */
  readonly onStep?: StepHook
  /** What an earlier connector has looked up. Without it, it is looked up anew. */
  readonly places?: Places
}

export interface MedusaConnector {
  readonly erp: Erp
  /** Deletes what calls of an earlier connector left behind. Call it `maxRequestMs` after the start. */
  sweep(): Promise<void>
}

/** Looks up the configured places in Medusa and returns the connector. Throws `ConfigError`. */
export async function openMedusa(config: Config, options: OpenOptions): Promise<MedusaConnector> {
  const http = new MedusaHttp({ url: config.url, headers: toKeyHeaders(config.secretKey) })
  const open = new MedusaHttp({ url: config.url, headers: {} })
  const places = options.places ?? (await readPlaces(http, config))
  return createMedusaErp({ config, options, places, http, open })
}

interface Connection {
  readonly config: Config
  readonly options: OpenOptions
  readonly places: Places
  readonly http: MedusaHttp
  /** Without the connector's key, for calls with the rights of a customer. */
  readonly open: MedusaHttp
}

function createMedusaErp({ config, options, places, http, open }: Connection): MedusaConnector {
  const { environment } = options
  const goods = new Goods(http, places, { environment, wholesaleTitle: config.price_list })
  const stock = new Stock(http, places, goods)
  const customers = new Customers(http, open, { environment, publishableKey: config.publishableKey, goods })
  const prices = new Prices(http, open, { places, customers, environment })
  const shipping = new Shipping(http, places, { config, environment })
  const quotes = new Quotes({ places, config, environment, goods, stock, prices, shipping, customers })
  const records = new RecordStore(http)
  const orders = new OrderStore(http, records)
  const reservations = new OrderReservations(http)
  const intents = new Intents({ records, reservations })
  const holds = new Holds({ places, environment, records, intents, quotes, stock })
  const takeBack = new TakeBack({ places, records, orders, reservations, intents })
  const placing = new Orders({
    places,
    records,
    orders,
    reservations,
    quotes,
    stock,
    holds,
    intents,
    takeBack,
  })
  const unsettled = new Unsettled(environment)
  const settlement = new Settlement({ places, records, orders, holds, takeBack, unsettled })
  const capabilities = medusaCapabilities
  return {
    erp: {
      ...withoutLedger,
      ...createListings({ config, places, goods, stock, shipping, customers, capabilities }),
      ...createWrites({ options, records, holds, placing, quotes, unsettled, settlement }),
    },
    sweep: () => settlement.sweep((reference) => new Steps(environment, reference, options.onStep)),
  }
}

interface WriteParts {
  readonly options: OpenOptions
  readonly records: RecordStore
  readonly unsettled: Unsettled
  readonly settlement: Settlement
  readonly holds: Holds
  readonly placing: Orders
  readonly quotes: Quotes
}

type Writes = Pick<
  Erp,
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'settle'
  | 'documents.changed'
  | 'documents.read'
>

function createWrites(parts: WriteParts): Writes {
  const { options, records, holds, placing, quotes, unsettled, settlement } = parts
  const { environment, onStep } = options
  const locks = new Locks()
  /** Runs a write alone under its references and, if it allocates, for its SKUs: side by side, some would fail. */
  const write = <T>(
    [reference, ...others]: readonly [string, ...(string | null)[]],
    work: (steps: Steps) => Promise<T>,
    lines: readonly { readonly sku: string }[] = [],
  ): Promise<T> => {
    const references = [reference, ...others.filter((one) => one !== null)].map(toLockName)
    // Locks are taken in the order of their names, those of references first: what waits for stock is in progress.
    const names = [...references, ...lines.map(({ sku }) => `stock ${sku}`)]
    return locks.run(names, () =>
      unsettled.watch(reference, () => work(new Steps(environment, reference, onStep))),
    )
  }
  return {
    quote: async (input) => {
      const refusal = refuseLines(input)
      if (refusal) return refusal
      const hold = input.hold_reference ? (await records.readOne(input.hold_reference)).hold : []
      const covered = readHoldState(hold) === 'held' ? toCovered(hold) : undefined
      const planned = await quotes.plan(input, { isPartial: input.allow_partial, covered })
      return 'ok' in planned ? ok({ quote: planned.ok.quote }) : planned
    },
    hold: async (input) =>
      refuseLines(input) ??
      write([input.reference, input.replaces], (steps) => holds.hold(input, steps), input.lines),
    release: (input) => write([input.reference], (steps) => holds.release(input, steps)),
    submit: async (input) =>
      refuseLines(input) ??
      write([input.reference, input.hold_reference], (steps) => placing.submit(input, steps), input.lines),
    void: (input) => write([input.reference], (steps) => placing.void(input, steps)),
    lookup: async ({ reference }) =>
      locks.isTaken(toLockName(reference))
        ? ok({ state: 'in_progress' as const, document: null })
        : ok(await settlement.lookUp(reference)),
    settle: async ({ reference }) => {
      // The lock waits for a call that is writing down what it replaces.
      const names = [toLockName(reference)]
      const others = await locks.run(names, () => settlement.listReplaced(reference))
      return write([reference, ...others], async (steps) => ok(await settlement.settle(reference, steps)))
    },
    'documents.changed': async ({ cursor }) =>
      ok({ cursor: 'none', everything: cursor !== null, references: [], more: false }),
    'documents.read': async ({ references }) => ok({ documents: await settlement.readDocuments(references) }),
  }
}

const toLockName = (reference: string) => `reference ${reference}`

function refuseLines({ lines }: Pick<Input<'quote'>, 'lines'>): ErpResult<never> | undefined {
  if (lines.length <= maxOrderLines) return undefined
  return rejected('invalid_field', `An order has at most ${maxOrderLines} lines, not ${lines.length}.`)
}
