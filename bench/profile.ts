import { basename } from 'node:path'
import { sendProbeCommand } from './probe.ts'
import type { RunningProcess } from './processes.ts'

const maxLines = 40
/** A function is printed if its own time or its time including called functions exceeds this share of the total. */
const minOwn = 0.006
const minWhole = 0.03

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface Times {
  own: number
  whole: number
}

/**
 * Profiles a process while `work` runs and prints its functions, sorted by own time. `own` excludes called functions,
 * `whole` includes them. Both are in µs per unit, such as a request; `work` returns the number of units.
 */
export async function profileWhile(
  server: RunningProcess,
  name: string,
  work: () => Promise<number>,
): Promise<void> {
  await sendProbeCommand(server, 'startProfile')
  const parts = await work()
  const times = sumTimes(castToProfile(await sendProbeCommand(server, 'stopProfile')))
  const total = [...times.values()].reduce((sum, { own }) => sum + own, 0)
  const lines = [...times]
    .filter(([, { own, whole }]) => own > minOwn * total || whole > minWhole * total)
    .sort(([, a], [, b]) => b.own - a.own)
    .slice(0, maxLines)
  process.stdout.write(`\nprofile of ${name}: ${(total / parts).toFixed(1)} µs\n      own     whole\n`)
  for (const [at, { own, whole }] of lines) {
    const cells = [own, whole].map((us) => (us / parts).toFixed(2).padStart(9))
    process.stdout.write(`${cells.join(' ')}  ${at}\n`)
  }
}

/** Sums the times by function, without the profiler itself and idle time. */
function sumTimes({ nodes, samples, timeDeltas }: Profile): Map<string, Times> {
  const ownOf = new Map<number, number>()
  for (const [at, id] of samples.entries()) ownOf.set(id, (ownOf.get(id) ?? 0) + (timeDeltas[at] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const times = new Map<string, Times>()
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id)
    if (!node || isExcluded(node)) return 0
    const name = formatFunctionName(node)
    const own = ownOf.get(id) ?? 0
    const below = (node.children ?? []).reduce(
      (sum, child) => sum + walk(child, new Set([...above, name])),
      0,
    )
    const known = times.get(name) ?? { own: 0, whole: 0 }
    known.own += own
    // A recursive function counts once, at its outermost call.
    if (!above.has(name)) known.whole += own + below
    times.set(name, known)
    return own + below
  }
  const [root] = nodes
  if (root) walk(root.id, new Set())
  return times
}

function isExcluded({ callFrame: { functionName, url } }: ProfileNode): boolean {
  return functionName === '(idle)' || url === 'node:inspector'
}

function formatFunctionName({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url === '' ? '' : `  ${basename(url)}:${lineNumber + 1}`
  return `${functionName || '(anonymous)'}${place}`
}

/**
 * Casts a value to a profile. This is safe because the value is the result of `Profiler.stop`, whose shape the
 * inspector protocol defines.
 */
function castToProfile(result: unknown): Profile {
  return result as Profile
}
