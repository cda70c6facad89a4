import { beginEpoch } from '../../src/stock/epoch.ts'
import { syncStock } from '../../src/stock/sync.ts'
import type { World } from './interleaved-world.ts'
import { realWarehouses, skuAt } from './model-erp.ts'

/**
 * What can happen in between, as steps that a generator can draw: a kind, and three numbers that each step reads as
 * it needs. Each kind stands as often as it should be drawn.
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
 * What ends a pull or a task before it is over, or makes good what another one spoilt. A run has some of them, or
 * none, so that each has its time without the others.
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

const mostPages = 4
const mostPoints = 60

const acts: Readonly<Record<StepKind, Act>> = {
  rest: () => {},
  move: (world, { a, b, c }) =>
    world.change(a, b, 1 + (c % 4), (row) => {
      row.quantity += 1 + (c % 5)
    }),
  // There and back again: the newest figures are those of before, under a higher number.
  flip: (world, { a, b }) => flipped(world, a, b),
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
    world.erp.change(warehouseAt(a), skuAt(b), (row) => {
      row.withdrawn = false
    }),
  sync: (world, { a }) => world.start(a, 'sync', (gateway) => syncStock(gateway)),
  reread: (world, { a, b, c }) => world.reread(a, b, world.skus(b, c, 1 + (c % 3))),
  // A row changes, is read, and changes back: what was read is older than what is stored, though that never changed.
  overtaken: async (world, { a, b, c }) => {
    flipped(world, b, c)
    await world.reread(a, b, world.skus(b, c, 1))
    flipped(world, b, c)
  },
  release: (world, { a, c }) => world.release(a, c % 3 === 0),
  follow: (world, { a }) => world.gateway(a).mirror.stock.follow(),
  pull: (world, { a, b, c }) => world.pull(a, b, c % 4 === 0 ? undefined : 1 + (c % 11)),
  page: async (world, { a, b, c }) => {
    const points = c % 3 === 0 ? 1 + (b % 4) : mostPoints
    for (let page = 0; page < 1 + (c % mostPages); page++) await world.page(a, b, 1 + (c % 9), points)
  },
  // A pull that begins where a change was seen already, and goes on where it was not.
  scattered: async (world, { a, b, c }) => {
    world.change(a, b + c, 2, (row) => {
      row.quantity += 1
    })
    await syncStock(world.gateway(b))
    await world.gateway(b).mirror.stock.follow()
    await world.pull(a, b, 1 + (c % 5))
    for (let page = 0; page < mostPages; page++) await world.page(a, b + 1, 1 + (c % 9), mostPoints)
  },
  save: (world, { a }) => world.client(a).save(),
  crash: (world, { a }) => world.client(a).crash(),
  checksum: (world, { a, b }) => world.checksum(a, b),
  expire: (world) => world.expire(),
  epoch: (world, { a }) => beginEpoch(world.gateway(a)),
  backup: (world) => world.keepBackup(),
  restore: (world) => world.restore(),
  failover: (world) => world.failOver(),
  restart: (world, { a }) => world.restart(a),
  'erp restart': (world) => world.erp.restart(),
  'erp backup': (world) => world.erp.keepBackup(),
  'erp restore': (world) => world.restoreErp(),
}

/** Runs a script from beginning to end, without the upheavals that are not wanted, and holds every client to the ERP. */
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

function flipped(world: World, warehouse: number, from: number) {
  world.change(warehouse, from, 1, (row) => {
    row.quantity += row.quantity > 500 ? -1000 : 1000
  })
}

function warehouseAt(choice: number) {
  return realWarehouses[choice % realWarehouses.length] ?? realWarehouses[0]
}
