import type { ErpDocument, Quote } from '../documents.ts'
import { type Answer, type Erp, ok, rejected } from '../erp.ts'
import type { Input, Output } from '../operations.ts'
import { arrival, type House, plan, quotedAgain } from './in-memory-quotes.ts'
import { Table } from './table.ts'

type OrderOperations = Pick<
  Erp,
  'quote' | 'hold' | 'release' | 'submit' | 'void' | 'lookup' | 'documents.changed' | 'documents.read'
>

/** Orders of the in-memory ERP: each from one warehouse, without freight and taxes; nothing ships or expires by itself. */
export function inMemoryOrders(house: House): OrderOperations {
  const documents = new Table<ErpDocument>()
  const inHouse = { house, documents }
  return {
    quote: async (input) => {
      const held = documents.get(input.hold_reference ?? '')
      const planned = plan(house, input, held?.status === 'held' ? held : undefined)
      return 'quote' in planned ? ok({ quote: planned.quote }) : { rejected: planned }
    },
    hold: async (input) => hold(inHouse, input),
    release: async ({ reference }) => {
      const document = documents.get(reference)
      if (document?.kind !== 'hold') return rejected('not_found', `There is no hold ${reference}.`)
      if (document.status === 'consumed') return rejected('invalid_state', `${reference} was consumed.`)
      return ok(end(inHouse, document, 'released', 'R'))
    },
    submit: async (input) => submit(inHouse, input),
    void: async ({ reference }) => {
      const document = documents.get(reference)
      if (document?.kind !== 'order') return rejected('not_found', `There is no order ${reference}.`)
      return ok(end(inHouse, document, 'cancelled', 'X'))
    },
    lookup: async ({ reference }) => {
      const document = documents.get(reference) ?? null
      return ok({ state: document ? 'found' : 'absent', document })
    },
    'documents.changed': async ({ cursor }) => {
      const { keys, hints } = documents.changed(cursor)
      return ok({ ...hints, references: keys })
    },
    'documents.read': async ({ references }) =>
      ok({ documents: documents.read(references).map(({ value }) => value) }),
  }
}

interface InHouse {
  readonly house: House
  readonly documents: Table<ErpDocument>
}

function hold(inHouse: InHouse, input: Input<'hold'>): Answer<Output<'hold'>> {
  const { house, documents } = inHouse
  const known = documents.get(input.reference)
  if (known) return ok({ quote: quotedAgain(known), document: known, figures: figuresOf(house, known) })
  const old = documents.get(input.replaces ?? '')
  const replaced = old?.status === 'held' ? old : undefined
  const planned = plan(house, input, replaced)
  if (!('quote' in planned)) return { rejected: planned }
  const { quote } = planned
  if (!quote.fulfillable) return ok({ quote, document: null, figures: [] })
  if (replaced) end(inHouse, replaced, 'released', 'R')
  const document = documentOf(input.reference, input.order_type, quote, {
    kind: 'hold',
    status: 'held',
    status_raw: 'H',
    expires_at: input.expires_at,
  })
  return ok({ quote, ...begin(inHouse, document) })
}

function submit(inHouse: InHouse, input: Input<'submit'>): Answer<Output<'submit'>> {
  const { house, documents } = inHouse
  const known = documents.get(input.reference)
  if (known) return ok({ document: known, figures: figuresOf(house, known) })
  const held = documents.get(input.hold_reference ?? '')
  if (input.hold_reference !== null && held?.status !== 'held')
    return rejected('hold_expired', 'It holds nothing.')
  const planned = plan(house, input, held)
  if (!('quote' in planned)) return { rejected: planned }
  const { lines, costs } = planned.quote
  const short = lines.filter((line) => line.quantity_allocated < line.quantity)
  if (short.length > 0) {
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
  if (held) end(inHouse, held, 'consumed', 'C')
  const document = documentOf(input.reference, input.order_type, planned.quote, {
    kind: 'order',
    status: 'open',
    status_raw: 'O',
    submitted_at: '2026-11-21T12:00:00.000Z',
  })
  return ok(begin(inHouse, document))
}

function documentOf(
  reference: string,
  order_type: ErpDocument['order_type'],
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

/** Takes the goods of a new document out of what is available. */
function begin({ house, documents }: InHouse, document: ErpDocument): Output<'submit'> {
  documents.put(document.reference, document)
  move(house, document, -1)
  return { document, figures: figuresOf(house, document) }
}

/** Gives the goods of a document back, unless that was done before. */
function end(
  { house, documents }: InHouse,
  document: ErpDocument,
  status: ErpDocument['status'],
  status_raw: string,
): Output<'release'> {
  const isOpen = document.status === 'held' || document.status === 'open'
  const ended = isOpen ? { ...document, status, status_raw } : document
  if (isOpen) {
    documents.put(document.reference, ended)
    move(house, document, 1)
  }
  return { document: ended, figures: figuresOf(house, document) }
}

function move({ stock }: House, { lines }: ErpDocument, sign: 1 | -1) {
  for (const { sku, allocations } of lines) {
    for (const { warehouse_code, quantity } of allocations) {
      const table = stock.get(warehouse_code)
      const figure = table?.get(sku)
      if (figure)
        table?.put(sku, { ...figure, quantity_available: figure.quantity_available + sign * quantity })
    }
  }
}

function figuresOf({ stock }: House, { lines }: ErpDocument): Output<'submit'>['figures'] {
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
