import { sql } from 'kysely'
import type { Db } from '../../src/store/store.ts'

/**
 * What the feed must have told, known from outside of it: a trigger notes every version that any transaction wrote,
 * and another one delays some commits, so that transactions end in another order than they began.
 */
const slowCommits = { share: 0.01, most_seconds: 0.05 }

const statements = [
  'create table stock_journal (warehouse_code text not null, version bigint not null, sku text not null)',
  `create function note_stock() returns trigger language plpgsql as $$ begin
     insert into stock_journal values (new.warehouse_code, new.version, new.sku); return null; end $$`,
  'create trigger note_stock after insert or update on stock for each row execute function note_stock()',
  `create function slow_commit() returns trigger language plpgsql as $$ begin
     if random() < ${slowCommits.share} then perform pg_sleep(random() * ${slowCommits.most_seconds}); end if;
     return null; end $$`,
  `create constraint trigger slow_commit after update on warehouses deferrable initially deferred
     for each row when (old.version <> new.version) execute function slow_commit()`,
]

export async function keepJournal(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

interface Entry {
  readonly version: number
  readonly sku: string
}

/** The journal of one warehouse, ascending by version. */
export async function journalOf(db: Db, warehouse: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select version, sku from stock_journal where warehouse_code = ${warehouse} order by version`.execute(db)
  return rows
}

/** One page as a follower received it. */
export interface Page {
  readonly since: number
  readonly version: number
  readonly latest: number
  readonly told: readonly number[]
}

export interface Account {
  /** Versions between the first and the last that nobody wrote. */
  readonly gaps: number
  /** Versions that were the newest state of their SKU when a page passed over them, and were in no page. */
  readonly missed: number
  /** Rows in pages where they did not belong. */
  readonly surplus: number
}

/**
 * Holds the pages of one follower against the journal. A page from `since` to `version`, answered at `latest`, must
 * tell exactly those versions in between that were not superseded by `latest`.
 */
export function account(journal: readonly Entry[], pages: readonly Page[]): Account {
  const supersededAt = new Map<number, number>()
  const newest = new Map<string, number>()
  for (const { sku, version } of journal) {
    const before = newest.get(sku)
    if (before !== undefined) supersededAt.set(before, version)
    newest.set(sku, version)
  }
  const versions = journal.map(({ version }) => version)
  const told = new Set(pages.flatMap((page) => page.told))
  let missed = 0
  let surplus = 0
  let next = 0
  for (const page of pages) {
    while ((versions[next] ?? Infinity) <= page.since) next++
    const due = new Set<number>()
    for (; (versions[next] ?? Infinity) <= page.version; next++) {
      const version = versions[next] ?? 0
      if ((supersededAt.get(version) ?? Infinity) > page.latest) due.add(version)
    }
    surplus += page.told.filter((version) => !due.has(version)).length
    missed += [...due].filter((version) => !told.has(version)).length
  }
  const span = (versions.at(-1) ?? 0) - (versions[0] ?? 0) + 1
  return { gaps: versions.length === 0 ? 0 : span - new Set(versions).size, missed, surplus }
}
