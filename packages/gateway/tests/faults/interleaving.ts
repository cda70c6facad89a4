import { beginEpoch } from '../../src/snapshot/epoch.ts'
import { syncStock } from '../sync-stock.ts'
import type { World } from './interleaved-world.ts'
import { realWarehouses, toSku } from './model-erp.ts'

/**
 * The kinds of steps from which a generator draws a script. A step also has three numbers, which each kind interprets.
 * A kind is listed several times if it should be drawn more often.
 */
export const stepKinds = [
  'rest',
  ...['move', 'move', 'move', 'flip', 'flip', 'withdraw', 'return', 'arrive', 'price'],
  ...[
    'sync',
    'sync',
    'reread',
    'overtaken',
    'release',
    'release',
    'release',
    'release',
    'follow',
    'follow',
    'follow',
  ],
  ...['pull', 'scattered', 'page', 'page', 'page', 'page', 'page', 'page', 'save', 'crash', 'checksum'],
  ...[
    'expire',
    'epoch',
    'backup',
    'restore',
    'failover',
    'restart',
    'erp restart',
    'erp backup',
    'erp restore',
  ],
] as const
export type StepKind = (typeof stepKinds)[number]

/**
 * Steps that abort a full read (pull) or a task, or undo the effect of another such step. Each run uses some of them or
 * none, so each is also tested alone.
 */
export const upheavals = [
  'crash',
  'expire',
  'epoch',
  'restore',
  'failover',
  'restart',
  'erp restart',
  'erp restore',
] as const
type Upheaval = (typeof upheavals)[number]

export interface Step {
  readonly kind: StepKind
  readonly a: number
  readonly b: number
  readonly c: number
}

type Act = (world: World, numbers: Omit<Step, 'kind'>) => unknown

const maxPages = 4
const maxPoints = 60

const acts: Readonly<Record<StepKind, Act>> = {
  rest: () => {},
  move: (world, { a, b, c }) =>
    world.change(a, b, 1 + (c % 4), (row) => {
      row.quantity += 1 + (c % 5)
    }),
  // The row changes, and the next flip of the row changes it back. Its newest version then has the same figures as an
  // older version.
  flip: (world, { a, b }) => flipRow(world, a, b),
  withdraw: (world, { a, b, c }) =>
    world.change(a, b, 1 + (c % 4), (row) => {
      row.withdrawn = true
    }),
  return: (world, { a, b, c }) =>
    world.change(a, b, 1 + (c % 4), (row) => {
      row.withdrawn = false
    }),
  price: (world, { a, b, c }) =>
    world.change(a, b, 1, (row) => {
      row.price = 1000 + c
    }),
  arrive: (world, { a, b }) =>
    world.erp.change(pickWarehouse(a), toSku(b), (row) => {
      row.withdrawn = false
    }),
  sync: (world, { a }) => world.start(a, 'sync', (gateway) => syncStock(gateway)),
  reread: (world, { a, b, c }) => world.reread(a, b, world.pickSkus(b, c, 1 + (c % 3))),
  // A row changes, is read, and changes back. The response that was read is outdated, although the stored figures
  // never changed.
  overtaken: async (world, { a, b, c }) => {
    flipRow(world, b, c)
    await world.reread(a, b, world.pickSkus(b, c, 1))
    flipRow(world, b, c)
  },
  release: (world, { a, c }) => world.release(a, c % 3 === 0),
  follow: (world, { a }) => world.pickGateway(a).mirror.stock.follow(),
  pull: (world, { a, b, c }) => world.startPull(a, b, c % 4 === 0 ? undefined : 1 + (c % 11)),
  page: async (world, { a, b, c }) => {
    const points = c % 3 === 0 ? 1 + (b % 4) : maxPoints
    for (let page = 0; page < 1 + (c % maxPages); page++) await world.readPage(a, b, 1 + (c % 9), points)
  },
  // The client begins to read the whole stock at a process that has seen a change, and continues at one that has not.
  scattered: async (world, { a, b, c }) => {
    world.change(a, b + c, 2, (row) => {
      row.quantity += 1
    })
    await syncStock(world.pickGateway(b))
    await world.pickGateway(b).mirror.stock.follow()
    await world.startPull(a, b, 1 + (c % 5))
    for (let page = 0; page < maxPages; page++) await world.readPage(a, b + 1, 1 + (c % 9), maxPoints)
  },
  save: (world, { a }) => world.pickClient(a).saveCursor(),
  crash: (world, { a }) => world.pickClient(a).crash(),
  checksum: (world, { a, b }) => world.checkChecksum(a, b),
  expire: (world) => world.advancePastExpiry(),
  epoch: (world, { a }) => beginEpoch(world.pickGateway(a)),
  backup: (world) => world.keepBackup(),
  restore: (world) => world.restore(),
  failover: (world) => world.restoreWhileRunning(),
  restart: (world, { a }) => world.restart(a),
  'erp restart': (world) => world.erp.restart(),
  'erp backup': (world) => world.erp.keepBackup(),
  'erp restore': (world) => world.restoreErp(),
}

/** Runs a script, but skips the upheavals that are not in `wanted`. Finally compares every client with the ERP. */
export async function interleave(
  world: World,
  steps: readonly Step[],
  wanted: readonly Upheaval[],
): Promise<void> {
  const left: ReadonlySet<string> = new Set(upheavals.filter((each) => !wanted.includes(each)))
  try {
    await world.open()
    for (const { kind, ...numbers } of steps) {
      world.tick()
      if (!left.has(kind)) await acts[kind](world, numbers)
    }
    await world.finish()
  } finally {
    await world.close()
  }
}

function flipRow(world: World, warehouse: number, from: number) {
  world.change(warehouse, from, 1, (row) => {
    row.quantity += row.quantity > 500 ? -1000 : 1000
  })
}

function pickWarehouse(choice: number) {
  return realWarehouses[choice % realWarehouses.length] ?? realWarehouses[0]
}
