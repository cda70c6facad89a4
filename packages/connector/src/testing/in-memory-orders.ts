import type { ErpDocument, Quote } from '../documents.ts'
import { type Erp, type ErpResult, ok, rejected } from '../erp.ts'
import type { Input, Output } from '../operations.ts'
import { arrival, createQuote, type ErpData, rebuildQuote } from './in-memory-quotes.ts'
import { Table } from './table.ts'

type OrderOperations = Pick<
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

/**
 * Creates the order operations of the in-memory ERP. Each order is allocated from one warehouse, without freight and
 * tax. Nothing ships or expires.
 */
export function createInMemoryOrders(data: ErpData): OrderOperations {
  const documents = new Table<ErpDocument>()
  const context = { data, documents, fenced: new Set<string>() }
  return {
    quote: async (input) => {
      const held = documents.get(input.hold_reference ?? '')
      const planned = createQuote(data, input, held?.status === 'held' ? held : undefined)
      return 'quote' in planned ? ok({ quote: planned.quote }) : { rejected: planned }
    },
    hold: async (input) => hold(context, input),
    release: async ({ reference }) => {
      const document = documents.get(reference)
      if (document?.kind !== 'hold') return rejected('not_found', `There is no hold ${reference}.`)
      if (document.status === 'consumed') return rejected('invalid_state', `${reference} was consumed.`)
      return ok(endDocument(context, document, { status: 'released', status_raw: 'R' }))
    },
    submit: async (input) => submit(context, input),
    void: async ({ reference }) => {
      const document = documents.get(reference)
      if (document?.kind !== 'order') return rejected('not_found', `There is no order ${reference}.`)
      return ok(endDocument(context, document, { status: 'cancelled', status_raw: 'X' }))
    },
    lookup: async ({ reference }) => {
      const document = documents.get(reference) ?? null
      return ok({ state: document ? 'found' : 'absent', document, fenced: context.fenced.has(reference) })
    },
    settle: async ({ reference }) => {
      const document = documents.get(reference) ?? null
      if (!document) context.fenced.add(reference)
      return ok({ state: document ? 'found' : 'absent', document })
    },
    'documents.changed': async ({ cursor }) => {
      const { keys, hints } = documents.readHints(cursor)
      return ok({ ...hints, references: keys })
    },
    'documents.read': async ({ references }) =>
      ok({ documents: documents.read(references).map(({ value }) => value) }),
  }
}

interface OrderContext {
  readonly data: ErpData
  readonly documents: Table<ErpDocument>
  /** The references that `settle` found absent: nothing is created under them any more. */
  readonly fenced: Set<string>
}

function hold(context: OrderContext, input: Input<'hold'>): ErpResult<Output<'hold'>> {
  const { data, documents } = context
  const known = documents.get(input.reference)
  if (known) return ok({ quote: rebuildQuote(known), document: known, figures: readFigures(data, known) })
  if (context.fenced.has(input.reference)) return refuseFenced(input.reference)
  const old = documents.get(input.replaces ?? '')
  const replaced = old?.status === 'held' ? old : undefined
  const planned = createQuote(data, input, replaced)
  if (!('quote' in planned)) return { rejected: planned }
  const { quote } = planned
  if (!quote.fulfillable) return ok({ quote, document: null, figures: [] })
  if (replaced) endDocument(context, replaced, { status: 'released', status_raw: 'R' })
  const document = createDocument(input, quote, {
    kind: 'hold',
    status: 'held',
    status_raw: 'H',
    expires_at: input.expires_at,
  })
  return ok({ quote, ...openDocument(context, document) })
}

function submit(context: OrderContext, input: Input<'submit'>): ErpResult<Output<'submit'>> {
  const { data, documents } = context
  const known = documents.get(input.reference)
  if (known) return ok({ document: known, figures: readFigures(data, known) })
  if (context.fenced.has(input.reference)) return refuseFenced(input.reference)
  const held = documents.get(input.hold_reference ?? '')
  if (input.hold_reference !== null && held?.status !== 'held')
    return rejected('hold_expired', 'It holds nothing.')
  const planned = createQuote(data, input, held)
  if (!('quote' in planned)) return { rejected: planned }
  const quote = input.allow_partial ? chargeAllocated(planned.quote) : planned.quote
  const { lines, costs } = quote
  const short = lines.filter((line) => line.quantity_allocated < line.quantity)
  const isEmpty = lines.every((line) => line.quantity_allocated === 0)
  if (short.length > 0 && (!input.allow_partial || isEmpty)) {
    const shortages = short.map((line) => ({ ...line, quantity_available: line.quantity_allocated }))
    return rejected(
      'insufficient_stock',
      'There is not enough.',
      shortages.map(({ sku, quantity, quantity_available }) => ({ sku, quantity, quantity_available })),
    )
  }
  const { expected_total, max_total } = input
  if (costs.total !== (expected_total ?? costs.total) || costs.total > (max_total ?? costs.total)) {
    return rejected('price_changed', `The total is ${costs.total}.`)
  }
  if (held) endDocument(context, held, { status: 'consumed', status_raw: 'C' })
  const document = createDocument(input, quote, {
    kind: 'order',
    status: 'open',
    status_raw: 'O',
    submitted_at: '2026-11-21T12:00:00.000Z',
  })
  return ok(openDocument(context, document))
}

/** Returns the quote with the allocated units as the charged ones. */
function chargeAllocated(quote: Quote): Quote {
  const lines = quote.lines.map((line) => ({
    ...line,
    line_total: line.unit_price * line.quantity_allocated,
  }))
  const goods = lines.reduce((sum, { line_total }) => sum + line_total, 0)
  return { ...quote, lines, costs: { ...quote.costs, goods, total: goods } }
}

function refuseFenced(reference: string): ErpResult<never> {
  return rejected('invalid_state', `${reference} was settled: nothing is created under it.`)
}

function createDocument(
  { reference, order_type }: Pick<ErpDocument, 'reference' | 'order_type'>,
  quote: Quote,
  state: Pick<ErpDocument, 'kind' | 'status' | 'status_raw'> & Partial<ErpDocument>,
): ErpDocument {
  const { costs, currency } = quote
  const lines = quote.lines.map(({ short_reasons: _why, incoming: _incoming, ...line }) => ({
    ...line,
    quantity_shipped: 0,
  }))
  const none = {
    paid: false,
    payment_url: null,
    expires_at: null,
    submitted_at: null,
    cancelled_at: null,
    shipments: [],
  }
  return {
    reference,
    number: `N-${reference}`,
    order_type,
    lines,
    costs,
    arrival,
    currency,
    ...none,
    ...state,
  }
}

/** Stores a new document and subtracts its goods from the available stock. */
function openDocument({ data, documents }: OrderContext, document: ErpDocument): Output<'submit'> {
  documents.put(document.reference, document)
  changeAvailable(data, document, -1)
  return { document, figures: readFigures(data, document) }
}

/** Ends a document and returns its goods to stock, unless it has ended before. */
function endDocument(
  { data, documents }: OrderContext,
  document: ErpDocument,
  state: Pick<ErpDocument, 'status' | 'status_raw'>,
): Output<'release'> {
  const isOpen = document.status === 'held' || document.status === 'open'
  const ended = isOpen ? { ...document, ...state } : document
  if (isOpen) {
    documents.put(document.reference, ended)
    changeAvailable(data, document, 1)
  }
  return { document: ended, figures: readFigures(data, document) }
}

function changeAvailable({ stock }: ErpData, { lines }: ErpDocument, sign: 1 | -1) {
  for (const { sku, allocations } of lines) {
    for (const { warehouse_code, quantity } of allocations) {
      const table = stock.get(warehouse_code)
      const figure = table?.get(sku)
      if (figure)
        table?.put(sku, { ...figure, quantity_available: figure.quantity_available + sign * quantity })
    }
  }
}

function readFigures({ stock }: ErpData, { lines }: ErpDocument): Output<'submit'>['figures'] {
  const codes = new Set(
    lines.flatMap(({ allocations }) => allocations.map(({ warehouse_code }) => warehouse_code)),
  )
  const skus = lines.map(({ sku }) => sku)
  return [...codes].map((warehouse_code) => ({
    warehouse_code,
    rows: (stock.get(warehouse_code)?.read(skus) ?? []).map(({ value, seq }) => ({
      ...value,
      stock_seq: seq,
    })),
  }))
}
