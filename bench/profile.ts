import { basename } from 'node:path'
import { load, type Target } from './load.ts'
import { probed } from './probe.ts'
import type { Running } from './processes.ts'

/**
 * Where the time of one kind of request goes, from the CPU profiler inside the process: for each function its own
 * time, and its own with that of everything it called.
 */
const seconds = 3
const mostLines = 40
const leastOwn = 0.006
const leastWhole = 0.03

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

/** One more run of the load under the profiler; prints the functions by their own time, in µs for a request. */
export async function profiledLoad(contender: Target & { readonly name: string }): Promise<void> {
  if (!contender.server.child.channel) return
  await profiledWhile(contender.server, `${contender.name}, each request`, async () => {
    const { requests } = await load(contender, seconds)
    return requests
  })
}

/** Profiles a process while `work` goes on, which answers by how many the times are to be divided. */
export async function profiledWhile(
  server: Running,
  name: string,
  work: () => Promise<number>,
): Promise<void> {
  await probed(server, 'profile')
  const parts = await work()
  const times = timesOf(profileFrom(await probed(server, 'profiled')))
  const total = [...times.values()].reduce((sum, { own }) => sum + own, 0)
  const lines = [...times]
    .filter(([, { own, whole }]) => own > leastOwn * total || whole > leastWhole * total)
    .sort(([, a], [, b]) => b.own - a.own)
    .slice(0, mostLines)
  process.stdout.write(`\nprofile of ${name}: ${(total / parts).toFixed(1)} µs\n      own     whole\n`)
  for (const [at, { own, whole }] of lines) {
    const cells = [own, whole].map((us) => (us / parts).toFixed(2).padStart(9))
    process.stdout.write(`${cells.join(' ')}  ${at}\n`)
  }
}

/** Times by function; what the profiler itself and an idle process take is left out. */
function timesOf({ nodes, samples, timeDeltas }: Profile): Map<string, Times> {
  const ownOf = new Map<number, number>()
  for (const [at, id] of samples.entries()) ownOf.set(id, (ownOf.get(id) ?? 0) + (timeDeltas[at] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const times = new Map<string, Times>()
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id)
    if (!node || isForeign(node)) return 0
    const name = nameOf(node)
    const own = ownOf.get(id) ?? 0
    const below = (node.children ?? []).reduce(
      (sum, child) => sum + walk(child, new Set([...above, name])),
      0,
    )
    const known = times.get(name) ?? { own: 0, whole: 0 }
    known.own += own
    // A function that calls itself is counted once.
    if (!above.has(name)) known.whole += own + below
    times.set(name, known)
    return own + below
  }
  const [root] = nodes
  if (root) walk(root.id, new Set())
  return times
}

function isForeign({ callFrame: { functionName, url } }: ProfileNode): boolean {
  return functionName === '(idle)' || url === 'node:inspector'
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url === '' ? '' : `  ${basename(url)}:${lineNumber + 1}`
  return `${functionName || '(anonymous)'}${place}`
}

/** The cast holds: it is what the inspector's `Profiler.stop` answered, of which the protocol fixes the shape. */
function profileFrom(answer: unknown): Profile {
  return answer as Profile
}
