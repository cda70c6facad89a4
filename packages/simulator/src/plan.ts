/**
 * The plan of a world: everything that a seed decides before it begins. A part that is taken out of a plan changes the
 * others as little as possible, so that a failing plan can be shrunk part by part.
 */
import { SeededRandom } from './random.ts'

export const clientKinds = [
  'dropship buyer',
  'wholesale buyer',
  'stock follower',
  'event follower',
  'revoker',
  'stock mover',
  'staff',
] as const
export type ClientKind = (typeof clientKinds)[number]

export interface ClientPlan {
  readonly name: string
  readonly kind: ClientKind
  /** The number of orders or rounds after which the client ends. */
  readonly rounds: number
}

/** A time at which something begins, in milliseconds since the clients have begun, and how long it lasts. */
interface Period {
  readonly at: number
  readonly ms: number
}

/** What the ERP of a world can do with the gateway's reference of a write. With none of it, a person settles writes. */
export const erpClasses = ['dedupes', 'looks up', 'looks up late', 'settles'] as const
export type ErpClass = (typeof erpClasses)[number]

export const receiverMoods = ['down', 'failing', 'late'] as const

/** Something that goes wrong in a world. */
export type Fault =
  /** The process with this number of the start crashes at its commit of this number. */
  | {
      readonly kind: 'crash'
      readonly start: number
      readonly commit: number
      readonly side: 'before' | 'after'
    }
  | { readonly kind: 'restart'; readonly slot: number; readonly at: number }
  /** A process stands still. */
  | ({ readonly kind: 'pause'; readonly slot: number } & Period)
  /** The clock of a process's machine jumps by `by` milliseconds. */
  | { readonly kind: 'clock'; readonly slot: number; readonly at: number; readonly by: number }
  /** The same of the database, whose time all processes take. */
  | { readonly kind: 'database clock'; readonly at: number; readonly by: number }
  | ({ readonly kind: 'full disk' } & Period)
  /** All processes end, and start again with a copy of the database that was taken earlier. */
  | { readonly kind: 'restore'; readonly takenAt: number; readonly at: number }
  /** A process loses the locks of its session with the database, and notices it later. */
  | { readonly kind: 'lost locks'; readonly slot: number; readonly at: number }
  /** The ERP has crashed: it keeps its books, and loses what is under way. */
  | ({ readonly kind: 'ERP away' } & Period)
  /** Messages are lost, doubled and late. */
  | ({ readonly kind: 'bad network to the ERP' } & Period)
  | ({ readonly kind: 'bad network to clients' } & Period)
  /** Connections to the database break, so that nobody knows what became of a commit. */
  | ({ readonly kind: 'bad network to the database' } & Period)
  | ({
      readonly kind: 'receiver'
      readonly receiver: number
      readonly mood: (typeof receiverMoods)[number]
    } & Period)

export interface WorldPlan {
  readonly seed: number
  /** How far the clock of each process is ahead, in milliseconds. */
  readonly processes: readonly number[]
  readonly clients: readonly ClientPlan[]
  readonly faults: readonly Fault[]
  /** Whether the ERP's stock figures have a counter. */
  readonly hasCounter: boolean
  readonly erpClass: ErpClass
}

/** Until when faults begin, in milliseconds since the clients have begun. */
export const busyMs = 4_000
export const receivers = 2
const maxSkewMs = 2_000
/** More starts than a world has, so that only the end of the busy time ends the crashes. */
const crashes = 12
const maxLostLocks = 8
const hourMs = 3_600_000
/** By how much a clock may jump. */
const jumpsMs = [-hourMs, -60_000, -5_000, 5_000, 60_000, 120_000, hourMs]
/** Some processes crash while they start. */
const maxEarlyCommit = 12
const maxCommit = 60

/** Draws the plan of a seed. */
export function drawPlan(seed: number): WorldPlan {
  const random = new SeededRandom(seed, 'plan')
  const processes = Array.from({ length: random.integer(1, 3) }, () => random.integer(-maxSkewMs, maxSkewMs))
  const clients = drawClients(random)
  const drawn = [...drawFaults(random, processes.length), ...drawLaterFaults(seed, processes.length)]
  const hasCounter = new SeededRandom(seed, 'counter').chance(0.6)
  const erpClass = drawErpClass(seed)
  // Without look-ups, nothing finds the orders that a restored database has lost, and a person must (docs/en/backup.md).
  const faults = erpClass === 'settles' ? drawn.filter(({ kind }) => kind !== 'restore') : drawn
  return { seed, processes, clients: [...clients, ...drawStaff(seed)], faults, hasCounter, erpClass }
}

function drawStaff(seed: number): ClientPlan[] {
  const random = new SeededRandom(seed, 'staff')
  return random.chance(0.4) ? [{ name: 'staff', kind: 'staff', rounds: random.integer(3, 10) }] : []
}

/** Draws with a stream of its own, which leaves the other faults of a seed as they were before these were known. */
function drawLaterFaults(seed: number, slots: number): Fault[] {
  const random = new SeededRandom(seed, 'later faults')
  const at = () => random.integer(0, busyMs)
  const lostLocks = random.chance(0.4) ? random.integer(1, maxLostLocks) : 0
  return [
    ...Array.from({ length: lostLocks }, (): Fault => {
      return { kind: 'lost locks', slot: random.integer(0, slots - 1), at: at() }
    }),
    ...(random.chance(0.3)
      ? [{ kind: 'ERP away', at: at(), ms: random.integer(50, busyMs / 2) } satisfies Fault]
      : []),
    ...drawBadLink(new SeededRandom(seed, 'database link')),
    ...drawDatabaseJump(new SeededRandom(seed, 'database clock')),
  ]
}

function drawDatabaseJump(random: SeededRandom): Fault[] {
  if (!random.chance(0.3)) return []
  return [{ kind: 'database clock', at: random.integer(0, busyMs), by: random.pick(jumpsMs) }]
}

function drawBadLink(random: SeededRandom): Fault[] {
  if (!random.chance(0.3)) return []
  const [at, ms] = [random.integer(0, busyMs), random.integer(100, busyMs)]
  return [{ kind: 'bad network to the database', at, ms }]
}

/** Half of the ERPs are the strongest, because only to them every message can be doubled. */
function drawErpClass(seed: number): ErpClass {
  const random = new SeededRandom(seed, 'ERP')
  return random.chance(0.5) ? 'dedupes' : random.pick(erpClasses)
}

function drawClients(random: SeededRandom): ClientPlan[] {
  const optional = (kind: ClientKind, chance: number) => (random.chance(chance) ? [kind] : [])
  const kinds: ClientKind[] = [
    'dropship buyer',
    ...optional('dropship buyer', 0.5),
    ...optional('wholesale buyer', 0.7),
    ...optional('stock follower', 0.6),
    ...optional('event follower', 0.6),
    ...optional('revoker', 0.4),
    ...optional('stock mover', 0.4),
  ]
  return kinds.map((kind, at) => ({ name: `client-${at + 1}`, kind, rounds: random.integer(5, 30) }))
}

function drawFaults(random: SeededRandom, slots: number): Fault[] {
  const period = (maxMs: number) => ({ at: random.integer(0, busyMs), ms: random.integer(100, maxMs) })
  const slot = () => random.integer(0, slots - 1)
  const sometimes = (chance: number, draw: () => Fault) => (random.chance(chance) ? [draw()] : [])
  return [
    ...Array.from({ length: crashes }, (_, at): Fault => {
      const side = random.chance(0.5) ? 'before' : 'after'
      return {
        kind: 'crash',
        start: at + 1,
        commit: random.integer(1, random.chance(0.3) ? maxEarlyCommit : maxCommit),
        side,
      }
    }),
    ...sometimes(0.8, () => ({ kind: 'bad network to the ERP', ...period(busyMs) })),
    ...sometimes(0.7, () => ({ kind: 'bad network to clients', ...period(busyMs) })),
    ...sometimes(0.3, () => ({ kind: 'restart', slot: slot(), at: random.integer(0, busyMs) })),
    ...sometimes(0.3, () => ({ kind: 'pause', slot: slot(), ...period(4_000) })),
    ...sometimes(0.3, () => drawJump(random, slot())),
    ...sometimes(0.2, () => ({ kind: 'full disk', ...period(1_500) })),
    ...sometimes(0.2, () => drawRestore(random)),
    ...sometimes(0.7, () => {
      const mood = random.pick(receiverMoods)
      return { kind: 'receiver', receiver: random.integer(0, receivers - 1), mood, ...period(busyMs) }
    }),
  ]
}

function drawJump(random: SeededRandom, slot: number): Fault {
  const by = random.pick(jumpsMs)
  return { kind: 'clock', slot, at: random.integer(0, busyMs), by }
}

function drawRestore(random: SeededRandom): Fault {
  const takenAt = random.integer(0, busyMs / 2)
  return { kind: 'restore', takenAt, at: takenAt + random.integer(200, busyMs / 2) }
}

/** Describes a plan in lines for people. */
export function describePlan({ processes, clients, faults, hasCounter, erpClass }: WorldPlan): string[] {
  const skews = processes.map((ms) => `${ms} ms ahead`).join(', ')
  return [
    `${processes.length} processes: ${skews}`,
    ...(hasCounter ? [] : ['stock figures without a counter']),
    ...(erpClass === 'dedupes' ? [] : [`an ERP that ${erpClass}`]),
    ...clients.map(({ name, kind, rounds }) => `${name}: ${kind}, ${rounds} rounds`),
    ...faults.map(({ kind, ...more }) => {
      const told = Object.entries(more).map(([name, value]) => `${name} ${value}`)
      return `${kind}: ${told.join(', ')}`
    }),
  ]
}
