/**
 * Describes the columns with sealed (encrypted) values, so that `reseal.ts` can encrypt all of them with another key.
 * The folder that writes a column declares it.
 */

import { sql } from 'kysely'
import type { Secrets } from '../kernel/secrets.ts'
import type { Db, Locking, Tx } from './store.ts'
import type { Tables } from './tables.ts'

/** A stored text that holds sealed values. */
export interface SealedRow {
  readonly key: string
  readonly stored: string
  readonly purpose: string
}

/** A row whose values have been sealed again. */
export interface Resealed extends SealedRow {
  readonly text: string
}

export interface SealedColumn {
  readonly name: string
  /** Reads the rows whose key is greater than `after`, in the order of the keys. */
  read(db: Db, after: string, maxRows: number): Promise<SealedRow[]>
  /** Applies `each` to every sealed value of a stored text. */
  mapValues(stored: string, each: (sealed: string) => string): string
  /**
   * Locks the rows of these keys, without waiting for rows that others have locked, and returns the keys of the locked
   * rows. This transaction never waits for a lock, so it cannot be part of a deadlock.
   */
  lock(tx: Tx, keys: readonly string[], locking: Locking): Promise<string[]>
  /** Replaces a stored text unless it has changed since it was read; returns whether it was replaced. */
  replace(tx: Tx, row: Resealed, secrets: Secrets): Promise<boolean>
}

interface Declared<Table extends keyof Tables & string> {
  readonly table: Table
  /** The table's single-column primary key. */
  readonly key: string & keyof Tables[Table]
  readonly column: string & keyof Tables[Table]
  /** Another column whose value is part of the purpose, the text that binds a sealed value to its row. */
  readonly owner?: string & keyof Tables[Table]
  readonly purposeOf: (key: string, owner: string) => string
  /**
   * Applies a function to each sealed value, for a text that contains several; without it the text is one sealed value.
   */
  readonly mapValues?: SealedColumn['mapValues']
  /** Derives values of other columns from the new text, which are written with it. */
  readonly derive?: (secrets: Secrets, text: string, purpose: string) => Readonly<Record<string, string>>
}

export function describeSealedColumn<Table extends keyof Tables & string>(
  declared: Declared<Table>,
): SealedColumn {
  const { table, purposeOf, mapValues = (stored, each) => each(stored), derive = () => ({}) } = declared
  const [tableRef, keyRef, columnRef] = [sql.table(table), sql.ref(declared.key), sql.ref(declared.column)]
  const ownerRef = sql.ref(declared.owner ?? declared.key)
  return {
    name: `${table}.${declared.column}`,
    mapValues,
    async read(db, after, maxRows) {
      const { rows } = await sql<{ key: string; owner: string; stored: string }>`
        select ${keyRef} as key, ${ownerRef} as owner, ${columnRef} as stored from ${tableRef}
        where ${keyRef} > ${after} and ${columnRef} is not null order by ${keyRef} limit ${maxRows}`.execute(
        db,
      )
      return rows.map(({ key, owner, stored }) => ({ key, stored, purpose: purposeOf(key, owner) }))
    },
    async lock(tx, keys, { skipLocked }) {
      const { rows } = await sql<{ key: string }>`
        select ${keyRef} as key from ${tableRef} where ${keyRef} in (${sql.join(keys)})
        order by ${keyRef} ${skipLocked}`.execute(tx)
      return rows.map(({ key }) => key)
    },
    async replace(tx, { key, stored, purpose, text }, secrets) {
      const values = { [declared.column]: text, ...derive(secrets, text, purpose) }
      const changes = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
      const { numAffectedRows } = await sql`
        update ${tableRef} set ${sql.join(changes)} where ${keyRef} = ${key} and ${columnRef} = ${stored}`.execute(
        tx,
      )
      return numAffectedRows === 1n
    },
  }
}
