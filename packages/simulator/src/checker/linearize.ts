/**
 * Decides whether the operations on one object can have happened one after another, each at one moment between its
 * beginning and its end: linearizability, by the search of Wing and Gong with the memory of Lowe, as Knossos and
 * Porcupine do it. Objects are checked each on its own, because a history is linearizable if it is for each object.
 *
 * The search takes one operation after another that may come next, and steps back where the model refuses. A
 * configuration (the set of operations that were taken, and the state) is never tried twice. An operation without a
 * known end may be taken at any later time, or never.
 *
 * The search is exponential in the number of operations that are concurrent on one object. The number of configurations
 * is therefore bounded; beyond it the object is undecided, which is reported and never counted as correct.
 */

/** An operation on one object. */
export interface Step<Op> {
  readonly begin: number
  /** `Infinity` if the operation may also never take effect. */
  readonly end: number
  readonly op: Op
}

/** What an object does when it is used by one client at a time. States are values and never change. */
export interface Model<State, Op> {
  readonly initial: State
  /** Returns the state after an operation; undefined if the operation is not possible in this state. */
  apply(state: State, op: Op): State | undefined
  /** Returns the same text for two states if, and only if, they are the same. */
  toKey(state: State): string
  /**
   * Returns the one operation that may come first without loss: if the rest can be explained at all, then also after
   * it. Undefined if each must be tried. It keeps the search short where most operations commute. `candidates` are in
   * the order of their ends.
   */
  choose?(state: State, candidates: readonly Op[]): Op | undefined
  /**
   * Returns the same text for operations that do the same, so that it makes no difference which of them took effect.
   * Undefined for one that is like no other.
   */
  toClass?(op: Op): string | undefined
  /** Whether an operation that may also never take effect can help to explain these. By default it can. */
  canHelp?(op: Op, certain: readonly Op[]): boolean
}

export type Linearity = 'linearizable' | 'violated' | 'undecided'

/** The number of configurations that are tried for one object. */
export const maxConfigurations = 500_000

/** Decides whether the steps are linearizable. */
export function linearize<State, Op>(
  model: Model<State, Op>,
  steps: readonly Step<Op>[],
  max = maxConfigurations,
): Linearity {
  const byBegin = steps.toSorted((a, b) => a.begin - b.begin)
  const certain = byBegin.filter(({ end }) => end !== Number.POSITIVE_INFINITY)
  const certainOps = certain.map(({ op }) => op)
  const possible = byBegin.filter(
    ({ end, op }) => end === Number.POSITIVE_INFINITY && (model.canHelp?.(op, certainOps) ?? true),
  )
  const seen = new Set<string>()
  const open: Configuration<State>[] = [{ first: 0, taken: [], added: [], state: model.initial }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.first === certain.length) return 'linearizable'
    const key = `${at.first};${at.taken.join()};${at.added.join()};${model.toKey(at.state)}`
    if (seen.has(key)) continue
    if (seen.size >= max) return 'undecided'
    seen.add(key)
    // The last one that is pushed is tried first.
    open.push(...listNext({ model, certain, possible }, at).reverse())
  }
  return 'violated'
}

/** A configuration: all certain steps before `first` are taken, and those of `taken`, and the possible ones of `added`. */
interface Configuration<State> {
  readonly first: number
  readonly taken: readonly number[]
  readonly added: readonly number[]
  readonly state: State
}

interface Search<State, Op> {
  readonly model: Model<State, Op>
  readonly certain: readonly Step<Op>[]
  readonly possible: readonly Step<Op>[]
}

/** Lists the configurations after one more step, the most promising first. */
function listNext<State, Op>(search: Search<State, Op>, at: Configuration<State>): Configuration<State>[] {
  const { model, certain, possible } = search
  const { candidates, latest } = findCandidates(certain, at)
  const byEnd = candidates.sort((a, b) => (certain[a]?.end ?? 0) - (certain[b]?.end ?? 0))
  const ops = byEnd.flatMap((index) => certain[index]?.op ?? [])
  const chosen = model.choose?.(at.state, ops)
  const next: Configuration<State>[] = []
  for (const index of byEnd) {
    const step = certain[index]
    if (chosen !== undefined && step?.op !== chosen) continue
    const state = step && model.apply(at.state, step.op)
    if (state !== undefined) next.push({ ...advance(certain.length, at, index), added: at.added, state })
  }
  // What may come first without loss may also come before what may never happen.
  if (chosen !== undefined && next.length > 0) return next
  const passed = new Set<string>()
  for (const [index, step] of possible.entries()) {
    if (step.begin > latest) break
    if (at.added.includes(index)) continue
    const kind = model.toClass?.(step.op)
    if (kind !== undefined && passed.has(kind)) continue
    if (kind !== undefined) passed.add(kind)
    const state = model.apply(at.state, step.op)
    if (state !== undefined) next.push({ ...at, added: [...at.added, index].sort((a, b) => a - b), state })
  }
  return next
}

/** Finds the steps that may come next: those that began before any other that is left has ended. */
function findCandidates<Op>(
  certain: readonly Step<Op>[],
  { first, taken }: { readonly first: number; readonly taken: readonly number[] },
): { readonly candidates: number[]; readonly latest: number } {
  const candidates: number[] = []
  let latest = Number.POSITIVE_INFINITY
  for (let index = first; index < certain.length; index++) {
    const step = certain[index]
    if (!step || step.begin > latest) break
    if (taken.includes(index)) continue
    candidates.push(index)
    latest = Math.min(latest, step.end)
  }
  return { candidates, latest }
}

function advance(
  length: number,
  { first, taken }: { readonly first: number; readonly taken: readonly number[] },
  index: number,
): { readonly first: number; readonly taken: readonly number[] } {
  const all = [...taken, index].sort((a, b) => a - b)
  let next = first
  while (next < length && all[0] === next) {
    all.shift()
    next += 1
  }
  return { first: next, taken: all }
}

/**
 * Returns the shortest beginning of a violated history that is violated, too: the steps that had begun when the step
 * ended after which no order is possible any more. What had not ended then has no known end.
 */
export function findShortestViolation<State, Op>(
  model: Model<State, Op>,
  steps: readonly Step<Op>[],
  max = maxConfigurations,
): Step<Op>[] {
  const ends = steps.map(({ end }) => end).filter((end) => end !== Number.POSITIVE_INFINITY)
  ends.sort((a, b) => a - b)
  const cut = (last: number) => cutAt(steps, ends[last] ?? 0)
  let [low, high] = [0, ends.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (linearize(model, cut(middle), max) === 'violated') high = middle
    else low = middle + 1
  }
  return cut(high)
}

function cutAt<Op>(steps: readonly Step<Op>[], last: number): Step<Op>[] {
  return steps
    .filter(({ begin }) => begin <= last)
    .map((step) => (step.end > last ? { ...step, end: Number.POSITIVE_INFINITY } : step))
}
