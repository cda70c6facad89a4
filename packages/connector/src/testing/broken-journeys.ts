import { watchedOrderNumber } from '../conformance/journeys.ts'
import type { ErpDocument, Quote } from '../documents.ts'
import { type Erp, type ErpResult, ok, rejected } from '../erp.ts'
import type { Input, Output } from '../operations.ts'
import { changeCapabilities, changeOutput, type Mutant, replaceOperation } from './broken.ts'

/** Faulty ERPs for the checks of settlement, of parallel writes, and of what an order goes through. */
export const brokenJourneys: Readonly<Record<string, Mutant>> = {
  'orders.settle.found': (erp) => {
    const seen = new Set<string>()
    return replaceOperation(erp, 'settle', async ({ reference }, run) => {
      const isSecond = seen.has(reference)
      seen.add(reference)
      const result = await run({ reference })
      const isFound = 'ok' in result && result.ok.state === 'found'
      return isSecond && isFound ? ok({ state: 'absent', document: null }) : result
    })
  },
  'orders.settle.absent': (erp) => {
    const seen = new Set<string>()
    return replaceOperation(erp, 'settle', async ({ reference }, run) => {
      const isSecond = seen.has(reference)
      seen.add(reference)
      const result = await run({ reference })
      const isAbsent = 'ok' in result && result.ok.state === 'absent'
      return isSecond && isAbsent ? rejected('not_found', 'It was settled before.') : result
    })
  },
  'orders.settle.fences': (erp) => {
    const silent = changeOutput(erp, 'lookup', ({ state, document }) => ({ state, document }))
    return replaceOperation(silent, 'settle', async ({ reference }) => {
      const result = await erp.lookup({ reference })
      const document = 'ok' in result ? result.ok.document : null
      return ok({ state: document ? 'found' : 'absent', document })
    })
  },
  'orders.settle.told': (erp) => changeOutput(erp, 'lookup', (result) => ({ ...result, fenced: false })),
  'orders.settle.cut': (erp) =>
    replaceOperation(erp, 'submit', (input, run, signal) => submitLate({ input, run, signal })),
  'orders.settle.none': (erp) => changeCapabilities(erp, { settles: false }),

  'orders.parallel': (erp) =>
    replaceOperation(erp, 'submit', async (input, run) => {
      const result = await run(input)
      const isShort = 'rejected' in result && result.rejected.reason === 'insufficient_stock'
      return isShort && isParallel(input) ? Promise.reject(new Error('A lock was not available.')) : result
    }),
  'orders.once.parallel': (erp) => {
    const running = new Set<string>()
    return replaceOperation(erp, 'submit', async (input, run) => {
      const isTwice = running.has(input.reference)
      running.add(input.reference)
      await Promise.resolve()
      const result = await run(isTwice ? { ...input, reference: `${input.reference}-twice` } : input)
      running.delete(input.reference)
      return result
    })
  },

  'orders.recipient': (erp) =>
    replaceOperation(erp, 'submit', async (input, run) => {
      if (input.delivery?.to === 'recipient' && /[^ -~]/.test(input.delivery.recipient.name))
        throw new Error('The name cannot be stored.')
      return run(input)
    }),
  'orders.partial': (erp) =>
    replaceOperation(erp, 'submit', (input, run) => run({ ...input, allow_partial: false })),
  'orders.allocates_from': (erp) =>
    changeOutput(erp, 'quote', ({ quote }, { warehouse_codes }) =>
      warehouse_codes.length > 1 ? { quote: splitLines(quote) } : { quote },
    ),
  'orders.business_day': (erp) =>
    changeOutput(
      changeOutput(erp, 'submit', ({ document, figures }) => ({ document: shipEarlier(document), figures })),
      'documents.read',
      ({ documents }) => ({
        documents: documents.map((each) => (each.kind === 'order' ? shipEarlier(each) : each)),
      }),
    ),
  'orders.shipped': (erp) => {
    const shipped = new Set<string>()
    const submitting = changeOutput(erp, 'submit', (result, { client_order_number, reference }) => {
      if (client_order_number === watchedOrderNumber) shipped.add(reference)
      return result
    })
    return changeOutput(submitting, 'documents.read', ({ documents }) => ({
      documents: documents.map((each) =>
        shipped.has(each.reference) ? { ...each, status: 'shipped' } : each,
      ),
    }))
  },
}

interface LateSubmit {
  readonly input: Input<'submit'>
  readonly run: Erp['submit']
  readonly signal: AbortSignal | undefined
}

/** Places an order of 6 that is broken off only when its caller has gone, under a reference that nobody settles. */
async function submitLate({ input, run, signal }: LateSubmit): Promise<ErpResult<Output<'submit'>>> {
  if (input.lines[0]?.quantity !== 6 || !signal) return run(input)
  const gone = Promise.withResolvers<void>()
  // The caller of a call that is not broken off gets its result soon.
  const timer = setTimeout(gone.resolve, 60)
  signal.addEventListener('abort', () => gone.resolve(), { once: true })
  await gone.promise
  clearTimeout(timer)
  if (!signal.aborted) return run(input)
  await new Promise((resolve) => setTimeout(resolve, 20))
  return run({ ...input, reference: `${input.reference}-late` })
}

/** Shares the allocation of each line between two warehouses. */
function splitLines(quote: Quote): Quote {
  const lines = quote.lines.map((line) => ({
    ...line,
    allocations: ['NORTH', 'SOUTH'].map((warehouse_code) => ({ warehouse_code, quantity: 1 })),
  }))
  return { ...quote, lines }
}

/** Whether an order is one of the parallel ones: only they are larger than 7 and smaller than the stock. */
function isParallel({ lines }: Input<'submit'>): boolean {
  const quantity = lines[0]?.quantity ?? 0
  return quantity > 7 && quantity < 90
}

/** Tells parallel orders that they got what is no longer there. */
export function oversell(erp: Erp): Erp {
  const sold = new Map<string, number>()
  const lie = (document: ErpDocument): ErpDocument => {
    const quantity = sold.get(document.reference)
    if (quantity === undefined) return document
    const lines = document.lines.map((line) => ({ ...line, quantity, quantity_allocated: quantity }))
    return { ...document, lines }
  }
  const submitting = replaceOperation(erp, 'submit', async (input, run) => {
    const result = await run(input)
    if ('ok' in result || !isParallel(input)) return result
    sold.set(input.reference, input.lines[0]?.quantity ?? 0)
    const small = await run({ ...input, lines: input.lines.map(({ sku }) => ({ sku, quantity: 1 })) })
    return 'ok' in small ? ok({ ...small.ok, document: lie(small.ok.document) }) : small
  })
  return changeOutput(submitting, 'documents.read', ({ documents }) => ({ documents: documents.map(lie) }))
}

/** Computes the day of shipping by the day of UTC. */
function shipEarlier(document: ErpDocument): ErpDocument {
  return {
    ...document,
    arrival: document.arrival && { ...document.arrival, earliest_ship_date: '2026-11-21' },
  }
}

/** Ships the order that the suite watches: a correct ERP with somebody who ships. */
export function shipWatchedOrder(erp: Erp): Erp {
  const shipments = new Map<string, ErpDocument>()
  const submitting = changeOutput(erp, 'submit', (result, { client_order_number }) => {
    const { document } = result
    if (client_order_number === watchedOrderNumber) shipments.set(document.reference, ship(document))
    return result
  })
  const reading = changeOutput(submitting, 'documents.read', ({ documents }) => ({
    documents: documents.map((each) => shipments.get(each.reference) ?? each),
  }))
  const counting = changeOutput(reading, 'stock.read', ({ rows, ...rest }) => ({
    ...rest,
    rows: rows.map((row) => ({ ...row, quantity_on_hand: row.quantity_on_hand - shipments.size })),
  }))
  return replaceOperation(counting, 'void', async ({ reference }, run) =>
    shipments.has(reference) ? rejected('already_shipped', 'It has left.') : run({ reference }),
  )
}

function ship(document: ErpDocument): ErpDocument {
  const shipment: ErpDocument['shipments'][number] = {
    number: `S-${document.number}`,
    warehouse_code: 'NORTH',
    carrier: 'Road',
    service: 'Standard',
    tracking_number: null,
    tracking_url: null,
    lines: document.lines.map(({ sku, quantity }) => ({ sku, quantity })),
    packages: 1,
    shipped_at: '2026-11-21T13:00:00.000Z',
    estimated_arrival_date: null,
    status_raw: 'S',
  }
  const lines = document.lines.map((line) => ({ ...line, quantity_shipped: line.quantity }))
  return { ...document, status: 'shipped', status_raw: 'S', lines, shipments: [shipment] }
}
