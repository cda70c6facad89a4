/** Lists of what is still open do not read a channel's whole history for it (migration 0020). */

import { type Explainable, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildRanges } from '../src/lists/stored.ts'
import type { Db } from '../src/store/store.ts'
import { fillLists } from './fill-lists.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { privateNets } from './receiver.ts'

const copies = 3_000
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  await fillLists(house)
})
afterAll(() => house.close())

interface Wish {
  readonly db: Db
  readonly channel: string
  readonly span: { readonly from: number; readonly to: number }
  readonly onlyOpen: boolean
}

interface Listed {
  readonly table: string
  readonly id: string
  /** The column that tells closed rows, and its value. */
  readonly closed: readonly [string, string]
  list(wish: Wish): readonly Explainable[]
}

const time = 'created_at'
const isInDoubt = sql<boolean>`${sql.ref('in_doubt')} <> ${sql.lit(0)}`
const lists: readonly Listed[] = [
  {
    table: 'orders',
    id: 'order_id',
    closed: ['status', 'confirmed'],
    list({ db, channel, span, onlyOpen }) {
      const query = db.selectFrom('orders').selectAll().where('channel_code', '=', channel)
      return buildRanges(span, { query, time, id: 'order_id', open: 'draft', onlyOpen })
    },
  },
  {
    table: 'carts',
    id: 'cart_id',
    closed: ['status', 'confirmed'],
    list({ db, channel, span, onlyOpen }) {
      const query = db.selectFrom('carts').selectAll().where('channel_code', '=', channel)
      return buildRanges(span, { query, time, id: 'cart_id', open: 'draft', onlyOpen })
    },
  },
  {
    table: 'reservations',
    id: 'reservation_id',
    closed: ['status', 'cancelled'],
    list({ db, channel, span, onlyOpen }) {
      const query = db.selectFrom('reservations').selectAll().where('channel_code', '=', channel)
      return buildRanges(span, { query, time, id: 'reservation_id', open: 'reserved', onlyOpen })
    },
  },
  {
    table: 'holds',
    id: 'hold_id',
    closed: ['status', 'cancelled'],
    list({ db, channel, span, onlyOpen }) {
      const query = db.selectFrom('holds').selectAll().where('channel_code', '=', channel)
      return buildRanges(span, { query, time, id: 'hold_id', open: 'reserved', onlyOpen })
    },
  },
  {
    table: 'dropship_orders',
    id: 'dropship_order_id',
    closed: ['in_doubt', '0'],
    list({ db, channel, span, onlyOpen }) {
      const query = db.selectFrom('dropship_orders').selectAll().where('channel_code', '=', channel)
      return buildRanges(span, { query, time, id: 'dropship_order_id', open: isInDoubt, onlyOpen })
    },
  },
]

it.each(lists)('of $table finds what is open by an index of nothing else', async (listed) => {
  const { db, kind } = house.gateway.store
  await copyAsClosed(db, listed)
  if (kind === 'postgres') await sql`analyze ${sql.table(listed.table)}`.execute(db)
  const options = kind === 'sqlite' ? sql`query plan` : undefined
  const { channel_code: channel } = await db
    .selectFrom('orders')
    .select('channel_code')
    .executeTakeFirstOrThrow()
  const span = { from: house.clock.now() - copies, to: house.clock.now() }
  for (const onlyOpen of [true, false]) {
    const plan = JSON.stringify(
      await listed.list({ db, channel, span, onlyOpen }).at(-1)?.explain(undefined, options),
    )
    // `holds_due` has open holds only, too.
    expect(plan).toMatch(new RegExp(`${listed.table}_(open|due)`))
    expect(plan).not.toMatch(/Seq Scan|SCAN|_by_time|TEMP B-TREE/)
  }
})

/** Copies a row of a table many times, as older and closed ones of the same channel. */
async function copyAsClosed(db: Db, { table, id, closed: [closedBy, value] }: Listed) {
  const one = `select * from ${table} limit 1`
  const { rows } = await sql.raw<object>(one).execute(db)
  const columns = Object.keys(rows[0] ?? {})
  const values = columns.map((column) => {
    if (column === id || column === 'reference') return `'copy-' || n`
    if (column === time) return `${time} - n`
    return column === closedBy ? `'${value}'` : column
  })
  const numbers = `numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies})`
  const copied = `select ${values.join(', ')} from (${one}) as one cross join numbers`
  await sql
    .raw(`with recursive ${numbers} insert into ${table} (${columns.join(', ')}) ${copied}`)
    .execute(db)
}
