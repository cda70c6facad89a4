/** Directed edges between numbered nodes. */
export type Graph = ReadonlyMap<number, ReadonlySet<number>>

/** The number of edges that start a search. A history with more has its first circles found among these. */
const maxStarts = 200_000

/**
 * Finds a shortest circle that begins with an edge of `first` and goes on along the edges of `graphs`, so that it has an
 * edge of a certain kind. Without `first`, any edge of `graphs` begins it.
 */
export function findCircle(graphs: readonly Graph[], first?: Graph): number[] | undefined {
  const starts = (first ? [first] : graphs).flatMap((graph) =>
    [...graph].flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const)),
  )
  const component = numberComponents(first ? [...graphs, first] : graphs)
  let best: number[] | undefined
  for (const [from, to] of starts.slice(0, maxStarts)) {
    // Two nodes of a circle are in the same strongly connected component, which most are not.
    if (component.get(from) !== component.get(to)) continue
    const way = findWay(graphs, to, from)
    if (way && (best === undefined || way.length < best.length)) best = way
    if (best?.length === 2) break
  }
  return best
}

/** Finds the nodes of a shortest way. */
function findWay(graphs: readonly Graph[], from: number, to: number): number[] | undefined {
  const cameFrom = new Map<number, number>([[from, from]])
  const queue = [from]
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at] ?? from
    if (node === to) return followBack(cameFrom, from, to)
    for (const graph of graphs) {
      for (const next of graph.get(node) ?? []) {
        if (cameFrom.has(next)) continue
        cameFrom.set(next, node)
        queue.push(next)
      }
    }
  }
  return undefined
}

function followBack(cameFrom: ReadonlyMap<number, number>, from: number, to: number): number[] {
  const way = [to]
  for (let at = to; at !== from; ) {
    at = cameFrom.get(at) ?? from
    way.push(at)
  }
  return way.reverse()
}

/** Numbers the strongly connected components: two searches, the second one against the edges (Kosaraju). */
function numberComponents(graphs: readonly Graph[]): Map<number, number> {
  const forward = join(graphs, false)
  const backward = join(graphs, true)
  const order = orderByEnd(forward)
  const component = new Map<number, number>()
  for (const root of order.reverse()) {
    const open = component.has(root) ? [] : [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (component.has(node)) continue
      component.set(node, root)
      open.push(...(backward.get(node) ?? []))
    }
  }
  return component
}

function join(graphs: readonly Graph[], isTurned: boolean): Map<number, number[]> {
  const joined = new Map<number, number[]>()
  const add = (from: number, to: number) => {
    const own = joined.get(from)
    if (own) own.push(to)
    else joined.set(from, [to])
    if (!joined.has(to)) joined.set(to, [])
  }
  for (const graph of graphs)
    for (const [from, targets] of graph) for (const to of targets) isTurned ? add(to, from) : add(from, to)
  return joined
}

function orderByEnd(graph: ReadonlyMap<number, readonly number[]>): number[] {
  const seen = new Set<number>()
  const order: number[] = []
  for (const root of graph.keys()) {
    const stack = [{ node: root, next: 0 }]
    while (stack.length > 0) {
      const top = stack[stack.length - 1]
      if (!top) break
      if (top.next === 0 && seen.has(top.node)) {
        stack.pop()
        continue
      }
      seen.add(top.node)
      const targets = graph.get(top.node) ?? []
      const target = targets[top.next++]
      if (target !== undefined) {
        if (!seen.has(target)) stack.push({ node: target, next: 0 })
      } else {
        order.push(top.node)
        stack.pop()
      }
    }
  }
  return order
}
