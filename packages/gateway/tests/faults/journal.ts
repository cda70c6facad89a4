/**
 * Determines, independently of the gateway, what the feed must have contained. One trigger records every version that
 * any transaction wrote; another one delays some commits, so that transactions end in another sequence than they began.
 */

import { sql } from 'kysely'
import type { Db } from '../../src/store/store.ts'

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

export async function createJournal(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

interface Entry {
  readonly version: number
  readonly sku: string
}

/** Reads the journal of one warehouse, in ascending order of version. */
export async function readJournal(db: Db, warehouse: string): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select version, sku from stock_journal where warehouse_code = ${warehouse} order by version`.execute(db)
  return rows
}

/** A page of the feed that a client received: from which version to which, and the versions of its rows (`told`). */
export interface Page {
  readonly since: number
  readonly version: number
  readonly latest: number
  readonly told: readonly number[]
}

export interface Account {
  /** The number of versions in the range that nobody wrote. */
  readonly gaps: number
  /**
   * The number of versions that no page contained, although they were the newest of their SKU when the page that covers
   * their number was sent.
   */
  readonly missed: number
  /** The number of rows that were on a page to which they do not belong. */
  readonly surplus: number
}

/**
 * Compares the pages of one follower with the journal. A page from `since` to `version`, sent at `latest`, must contain
 * exactly the versions above `since`, up to and including `version`, that were not yet superseded at `latest`.
 */
export function compareWithJournal(journal: readonly Entry[], pages: readonly Page[]): Account {
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
