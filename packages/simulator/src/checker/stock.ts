/**
 * Judges the units of each SKU on its own: what holds and orders take is there when they take it, and what is left at
 * the end is what the operations leave. The checker does not ask whether a refusal was right.
 */
import type { History } from '../history/history.ts'
import type { Lines } from '../history/operations.ts'
import { describeOperation } from './describe.ts'
import { findEarliestEnd, findExpiry, type StockUser } from './holds.ts'
import { findShortestViolation, linearize, type Model, type Step } from './linearize.ts'
import type { Violation } from './violation.ts'

type Kind = 'take' | 'free' | 'move' | 'read'

interface StockOp {
  readonly kind: Kind
  readonly order: string
  readonly quantity: number
  readonly told: string
}

/** The units that are left, and what the orders have taken that still have operations to come. */
interface State {
  readonly available: number
  readonly taken: ReadonlyMap<string, { readonly quantity: number; readonly left: number }>
}

/** The model of a SKU. `uses` has the number of operations of each order, after which its units are forgotten. */
function createModel(opening: number, uses: ReadonlyMap<string, number>): Model<State, StockOp> {
  return {
    initial: { available: opening, taken: new Map() },
    apply(state, { kind, order, quantity }) {
      if (kind === 'read') return state.available === quantity ? state : undefined
      if (kind === 'move') return { ...state, available: state.available + quantity }
      const before = state.taken.get(order) ?? { quantity: 0, left: uses.get(order) ?? 1 }
      // A submit takes over what a hold of the same order took.
      const now = kind === 'take' ? quantity : 0
      const available = state.available + before.quantity - now
      if (available < 0) return undefined
      const taken = new Map(state.taken)
      if (before.left > 1) taken.set(order, { quantity: now, left: before.left - 1 })
      else taken.delete(order)
      return { available, taken }
    },
    toKey: ({ available, taken }) =>
      `${available}:${[...taken].map(([order, { quantity, left }]) => `${JSON.stringify(order)}=${quantity}/${left}`).sort()}`,
    choose: chooseFirst,
    toClass: ({ kind, quantity }) => (kind === 'move' ? `${quantity}` : undefined),
    canHelp: (op, certain) => isGiving(op) || certain.some(({ kind }) => kind === 'read'),
  }
}

const isGiving = ({ kind, quantity }: StockOp) => kind === 'free' || (kind === 'move' && quantity >= 0)

/**
 * What gives units back may always come first. If all candidates take, the one that ends first may: whatever comes
 * before it takes, too, because everything else begins after its end. Operations of one order do not commute, and a
 * read does not with any.
 */
function chooseFirst({ taken }: State, candidates: readonly StockOp[]): StockOp | undefined {
  const isAlone = (op: StockOp) => candidates.filter(({ order }) => order === op.order).length === 1
  if (candidates.some(({ kind }) => kind === 'read')) return undefined
  const giving = candidates.find((op) =>
    op.kind === 'move' ? isGiving(op) : op.kind === 'free' && taken.has(op.order) && isAlone(op),
  )
  if (giving) return giving
  return candidates.every((op) => op.kind === 'take' && isAlone(op)) ? candidates[0] : undefined
}

/** Finds the SKUs of which more was taken than there was, or of which another number is left than must be. */
export function checkStock(history: History): { readonly skus: number; readonly violations: Violation[] } {
  const opening = new Map(history.listSeen('erp.opening').map(({ output }) => [output.sku, output.quantity]))
  const steps = collectSteps(history)
  // A SKU of which the books knew nothing at first had no units then.
  const skus = opening.size === 0 ? [] : [...new Set([...opening.keys(), ...steps.keys()])]
  const violations = skus.flatMap((sku) => checkSku(sku, opening.get(sku) ?? 0, steps.get(sku) ?? []))
  return { skus: skus.length, violations }
}

function checkSku(sku: string, opening: number, steps: readonly Step<StockOp>[]): Violation[] {
  const uses = new Map<string, number>()
  for (const { op } of steps)
    if (op.kind === 'take' || op.kind === 'free') uses.set(op.order, (uses.get(op.order) ?? 0) + 1)
  const model = createModel(opening, uses)
  const linearity = linearize(model, steps)
  if (linearity === 'linearizable') return []
  if (linearity === 'undecided')
    return [{ anomaly: 'undecided', key: sku, story: 'too many operations at once', witness: [] }]
  const witness = findShortestViolation(model, steps).map(({ op }) => op.told)
  return [
    {
      anomaly: 'stock',
      key: sku,
      story: `opened with ${opening}, and no order of the operations explains them`,
      witness,
    },
  ]
}

/** Projects each operation on the SKUs that it concerns. */
function collectSteps(history: History): Map<string, Step<StockOp>[]> {
  const steps = new Map<string, Step<StockOp>[]>()
  const add = (sku: string, step: Step<StockOp>) => {
    const own = steps.get(sku)
    if (own) own.push(step)
    else steps.set(sku, [step])
  }
  // What the books settle has happened before the first line of them was read.
  const closed = (history.listSeen('erp.stock')[0]?.position ?? history.length) - 0.5
  const users = history.list('order.submit', 'order.void', 'hold.place', 'hold.release')
  const effects = readBooks(history)
  const expires = findExpiry(history)
  for (const [order, operations] of Map.groupBy(users, ({ input }) => input.order)) {
    for (const [sku, step] of projectOrder({ order, operations, effects }, { expires, closed }))
      add(sku, step)
  }
  for (const operation of history.list('erp.move')) {
    const { begin, end, type, input } = operation
    if (type === 'refused') continue
    const op: StockOp = {
      kind: 'move',
      order: '',
      quantity: input.quantity,
      told: describeOperation(operation),
    }
    add(input.sku, { begin, end, op })
  }
  for (const { output, position } of history.listSeen('erp.stock')) {
    const told = `the books: ${output.available} of ${output.sku} are left`
    const op: StockOp = { kind: 'read', order: '', quantity: output.available, told }
    add(output.sku, { begin: position, end: position, op })
  }
  return steps
}

/** What the complete books say of an order; undefined if nobody read them. */
type Effects = ((order: string) => 'live' | 'cancelled' | 'none') | undefined

function readBooks(history: History): Effects {
  const status = new Map(history.listSeen('erp.order').map(({ output }) => [output.order, output.status]))
  const hasBooks = history.listSeen('erp.books').length > 0
  return hasBooks ? (order) => status.get(order) ?? 'none' : undefined
}

/** The positions from which on holds may end by themselves, and at which the books were closed. */
interface Milestones {
  readonly expires: number
  readonly closed: number
}

interface OrderUse {
  readonly order: string
  readonly operations: readonly StockUser[]
  readonly effects: Effects
}

/**
 * Turns the operations of one order into steps of its SKUs. The books decide what an unknown outcome was, which spares
 * the search. A hold that no submit took over ends by itself at some time, if the books are closed. One that was placed
 * for certain does not end before it expires or another operation of its order begins, even one that is refused.
 */
function* projectOrder(
  { order, operations, effects }: OrderUse,
  { expires, closed }: Milestones,
): Generator<[string, Step<StockOp>]> {
  const inBooks = effects?.(order)
  const lines = new Map<string, number>()
  for (const { input } of operations)
    for (const { sku, quantity } of 'lines' in input ? sumLines(input.lines) : []) lines.set(sku, quantity)
  const isHeldOnly = !operations.some(({ name, type }) => name === 'order.submit' && type !== 'refused')
  for (const operation of operations) {
    const { name, begin, type, input } = operation
    const end = settleEnd(operation, inBooks, closed)
    if (type === 'refused' || end === undefined) continue
    const told = describeOperation(operation)
    const isTaking = 'lines' in input
    for (const [sku, quantity] of isTaking
      ? sumLines(input.lines).map((line) => [line.sku, line.quantity] as const)
      : lines)
      yield [sku, { begin, end, op: { kind: isTaking ? 'take' : 'free', order, quantity, told } }]
    if (name !== 'hold.place' || effects === undefined || !(isHeldOnly || inBooks === 'none')) continue
    const endsFrom = type === 'ok' ? findEarliestEnd(operation, operations, expires) : begin
    if (endsFrom >= closed) continue
    const op: StockOp = { kind: 'free', order, quantity: 0, told: `the hold of ${order} ends` }
    for (const sku of lines.keys()) yield [sku, { begin: endsFrom, end: closed, op }]
  }
}

/** Returns the end of an operation after the books: undefined if they show that it never took effect. */
function settleEnd(
  { name, type, end }: StockUser,
  inBooks: 'live' | 'cancelled' | 'none' | undefined,
  closed: number,
): number | undefined {
  if (type === 'ok' || inBooks === undefined) return end
  if (name === 'order.submit') return inBooks === 'none' ? undefined : closed
  if (name === 'order.void') return inBooks === 'cancelled' ? closed : undefined
  return end
}

function sumLines(lines: Lines): Lines {
  const sums = new Map<string, number>()
  for (const { sku, quantity } of lines) sums.set(sku, (sums.get(sku) ?? 0) + quantity)
  return [...sums].map(([sku, quantity]) => ({ sku, quantity }))
}
