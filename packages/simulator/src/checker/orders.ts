/** Judges each order on its own: what clients did with it, what they read of it, and what the ERP's books have. */
import type { History, Operation, Seen } from '../history/history.ts'
import type { Lines } from '../history/operations.ts'
import { describeOperation, describeSeen } from './describe.ts'
import { findShortestViolation, linearize, type Model, type Step } from './linearize.ts'
import type { Violation } from './violation.ts'

/** A draft that was voided is `withdrawn`: no ERP ever had it, and it cannot be submitted any more. */
type State = 'absent' | 'confirmed' | 'cancelled' | 'withdrawn'

type OrderOperation = Operation<'order.submit' | 'order.void' | 'order.read'>
type Document = Seen<'erp.order'>

interface OrderOp {
  readonly kind: 'submit' | 'void' | 'read'
  /** The states in which a read is true. */
  readonly states?: readonly State[]
  readonly told: string
}

const orderModel: Model<State, OrderOp> = {
  initial: 'absent',
  apply(state, { kind, states = [] }) {
    if (kind === 'read') return states.includes(state) ? state : undefined
    if (kind === 'submit') return state === 'absent' || state === 'confirmed' ? 'confirmed' : undefined
    return state === 'absent' || state === 'withdrawn' ? 'withdrawn' : 'cancelled'
  },
  toKey: (state) => state,
}

const statesOfRead = {
  absent: ['absent', 'withdrawn'],
  draft: ['absent'],
  confirmed: ['confirmed'],
  cancelled: ['cancelled', 'withdrawn'],
} as const satisfies Record<string, readonly State[]>

/** Finds the orders that were lost, made twice, or of which somebody was told what is not true. */
export function checkOrders(history: History): { readonly orders: number; readonly violations: Violation[] } {
  const operations = history.list('order.submit', 'order.void', 'order.read')
  const byOrder = Map.groupBy(operations, ({ input }) => input.order)
  const documents = Map.groupBy(history.listSeen('erp.order'), ({ output }) => output.order)
  const hasBooks = history.listSeen('erp.books').length > 0
  const names = new Set([...byOrder.keys(), ...documents.keys()])
  const violations = [...names].flatMap((order) =>
    checkOrder(
      { order, operations: byOrder.get(order) ?? [], documents: documents.get(order) ?? [] },
      hasBooks ? history.length : undefined,
    ),
  )
  return { orders: names.size, violations: [...violations, ...findUnrecorded(history)] }
}

/** Finds out whether documents of the books are missing from the history. */
function findUnrecorded(history: History): Violation[] {
  const [books] = history.listSeen('erp.books')
  const recorded = history.listSeen('erp.order').length
  if (!books || books.output.documents === recorded) return []
  const story = `the books have ${books.output.documents} orders, and ${recorded} were recorded`
  return [{ anomaly: 'lost', key: 'the books', story, witness: [describeSeen(books)] }]
}

interface OrderRecords {
  readonly order: string
  readonly operations: readonly OrderOperation[]
  readonly documents: readonly Document[]
}

/** `booksAt` is the position at which the books were complete; undefined if nobody read them. */
function checkOrder(
  { order, operations, documents }: OrderRecords,
  booksAt: number | undefined,
): Violation[] {
  const told = [...operations.map(describeOperation), ...documents.map(describeSeen)]
  if (documents.length > 1)
    return [
      { anomaly: 'duplicated', key: order, story: `it has ${documents.length} documents`, witness: told },
    ]
  const [document] = documents
  const changed = document && findOtherLines(operations, document)
  if (changed !== undefined) return [{ anomaly: 'order', key: order, story: changed, witness: told }]
  const ofClients = operations.flatMap(toStep)
  const ofBooks = booksAt === undefined ? [] : [readBooks(document, booksAt)]
  const steps = [...ofClients, ...ofBooks]
  const linearity = linearize(orderModel, steps)
  if (linearity === 'linearizable') return []
  if (linearity === 'undecided')
    return [{ anomaly: 'undecided', key: order, story: 'too many operations at once', witness: [] }]
  const isLost = document === undefined && linearize(orderModel, ofClients) === 'linearizable'
  const witness = findShortestViolation(orderModel, steps).map(({ op }) => op.told)
  return isLost
    ? [{ anomaly: 'lost', key: order, story: 'the books do not have it', witness }]
    : [{ anomaly: 'order', key: order, story: 'no order of the operations explains them', witness }]
}

function toStep(operation: OrderOperation): Step<OrderOp>[] {
  const { name, begin, end, type, output } = operation
  const told = describeOperation(operation)
  if (name === 'order.read') {
    const status = (output as { status: keyof typeof statesOfRead } | undefined)?.status
    return status === undefined
      ? []
      : [{ begin, end, op: { kind: 'read', states: statesOfRead[status], told } }]
  }
  // A refusal has no effect. If the books show one, no operation explains the document.
  if (type === 'refused') return []
  return [{ begin, end, op: { kind: name === 'order.submit' ? 'submit' : 'void', told } }]
}

/** Turns what the books say into a read at the end: without a document, the order never reached the ERP. */
function readBooks(document: Document | undefined, at: number): Step<OrderOp> {
  const states: readonly State[] =
    document === undefined
      ? ['absent', 'withdrawn']
      : [document.output.status === 'live' ? 'confirmed' : 'cancelled']
  const told = document ? describeSeen(document) : 'the books: no document'
  return { begin: at, end: at + 1, op: { kind: 'read', states, told } }
}

function findOtherLines(operations: readonly OrderOperation[], { output }: Document): string | undefined {
  const submits = operations.filter((each) => each.name === 'order.submit')
  const kept = toComparable(output.lines)
  const isKnown = submits.some(({ input }) => toComparable((input as { lines: Lines }).lines) === kept)
  if (submits.length === 0) return 'the books have it, and nobody ordered it'
  return isKnown || output.status === 'cancelled' ? undefined : 'the books have other lines than were ordered'
}

function toComparable(lines: Lines): string {
  const sums = new Map<string, number>()
  for (const { sku, quantity } of lines) sums.set(sku, (sums.get(sku) ?? 0) + quantity)
  return JSON.stringify([...sums].sort())
}
