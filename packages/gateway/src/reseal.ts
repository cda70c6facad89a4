/**
 * Encrypts again, with the present `SECRETS_KEY`, the values in the database that another key has encrypted (sealed).
 * The other keys are `SECRETS_KEY_PREVIOUS` and those of former versions. The gateways reseal while they run, because
 * only its own process can open the embedded database. A turn handles a bounded number of batches. A value is replaced
 * only if it has not changed, so a process can end at any point. Once a sweep, a pass through all columns, has found no
 * value of a key, that key counts as unused.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { sealedSessions } from './access/grants.ts'
import { gatewayActor, recordOwnChange } from './audit/audit.ts'
import { sealedChainKey } from './audit/chain.ts'
import { sealedIntents, sealedRecipients } from './dropship/sealed-recipient.ts'
import type { Gateway } from './gateway.ts'
import { sealedSigningKeys } from './identity/keys.ts'
import { isPresentKey } from './store/installation.ts'
import type { Resealed, SealedColumn, SealedRow } from './store/sealed-column.ts'
import { listSealingKeys, recordSealingKey, retireSealingKey } from './store/sealing-keys.ts'
import { sealedFormers, sealedSecrets } from './webhooks/sign.ts'
import { sealedFingerprints, sealedResponses } from './writes/sealed-keys.ts'

/** Every column with sealed values. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedSigningKeys,
  sealedChainKey,
  sealedSecrets,
  sealedFormers,
  sealedSessions,
  sealedResponses,
  sealedFingerprints,
  sealedRecipients,
  sealedIntents,
]

/** The number of rows that are locked at once, so low that a request hardly waits for a locked row. */
export const maxResealedRows = 100
const maxBatches = 200

/** A pass through all columns. */
interface Sweep {
  /** The keys that this sweep may find unused, with their marks at its beginning. */
  readonly marks: ReadonlyMap<string, string>
  column: number
  /** The key of the last row that was read in the column. */
  after: string
  /** The number of values that another key had sealed. */
  found: number
  /** The number of values that no given key can open. */
  unreadable: number
}

type Parts = Pick<Gateway, 'store' | 'secrets' | 'clock' | 'ids' | 'log'>

export class Resealer {
  readonly #gateway: Parts
  #sweep: Sweep | undefined

  constructor(gateway: Parts) {
    this.#gateway = gateway
  }

  /** Continues the sweep; one turn of the worker. Returns true if the sweep is not finished. */
  async turn(): Promise<boolean> {
    const { store, secrets, ids } = this.#gateway
    const keys = await listSealingKeys(store.db)
    // Another process may have marked this key as unused, but this process still seals with it.
    if (!keys.has(secrets.keyId)) await recordSealingKey(store.db, secrets.keyId, ids.next('mark'))
    const others = new Map([...keys].filter(([keyId]) => keyId !== secrets.keyId))
    // If another process has started with a newer key, this process still uses the old one and does not reseal.
    if (others.size === 0 || !(await isPresentKey(store.db, secrets))) {
      this.#sweep = undefined
      return false
    }
    const work = () => this.#continueSweep(others)
    return (await store.withLock('seal again', 0, work)) ?? false
  }

  async #continueSweep(others: ReadonlyMap<string, string>): Promise<boolean> {
    this.#sweep ??= { marks: others, column: 0, after: '', found: 0, unreadable: 0 }
    const sweep = this.#sweep
    for (let batch = 0; batch < maxBatches; batch++) {
      const column = sealedColumns[sweep.column]
      if (!column) {
        this.#sweep = undefined
        await this.#finishSweep(sweep)
        return false
      }
      await this.#resealBatch(sweep, column)
      await yieldToLoop()
    }
    return true
  }

  async #resealBatch(sweep: Sweep, column: SealedColumn): Promise<void> {
    const { store } = this.#gateway
    const rows = await column.read(store.db, sweep.after, maxResealedRows)
    const changed = rows.flatMap((row): Resealed[] => {
      const text = this.#resealValues(sweep, column, row)
      return text === row.stored ? [] : [{ ...row, text }]
    })
    if (changed.length > 0) await this.#replaceTexts(column, changed)
    const last = rows.at(-1)
    if (last && rows.length === maxResealedRows) sweep.after = last.key
    else Object.assign(sweep, { column: sweep.column + 1, after: '' })
  }

  #resealValues(sweep: Sweep, column: SealedColumn, { stored, purpose }: SealedRow): string {
    const { secrets } = this.#gateway
    return column.mapValues(stored, (sealed) => {
      try {
        const { text, keyId } = secrets.open(sealed, purpose)
        if (keyId === secrets.keyId) return sealed
        sweep.found += 1
        return secrets.seal(text, purpose)
      } catch {
        sweep.unreadable += 1
        return sealed
      }
    })
  }

  /** Replaces the texts. Rows that another transaction has locked or changed are left to the next sweep. */
  async #replaceTexts(column: SealedColumn, rows: readonly Resealed[]): Promise<void> {
    const { store, secrets } = this.#gateway
    const { db, locking } = store
    const keys = rows.map(({ key }) => key)
    await db.transaction().execute(async (tx) => {
      const locked = new Set(await column.lock(tx, keys, locking))
      for (const row of rows) if (locked.has(row.key)) await column.replace(tx, row, secrets)
    })
  }

  async #finishSweep({ marks, found, unreadable }: Sweep): Promise<void> {
    const { log } = this.#gateway
    if (unreadable > 0)
      log.warn({ rows: unreadable }, 'sealed values cannot be opened with any key that was given')
    if (found > 0) {
      log.info({ rows: found }, 'values of an earlier key or format are sealed again with SECRETS_KEY')
      return
    }
    await this.#retireKeys(marks)
    log.info({}, 'no value of an earlier key or format is left')
  }

  /** Marks the keys that a sweep found unused. With the row of the audit log, that is the end of a rotation. */
  async #retireKeys(marks: Sweep['marks']): Promise<void> {
    const { secrets, store } = this.#gateway
    await store.db.transaction().execute(async (tx) => {
      const retired: string[] = []
      for (const [keyId, mark] of marks) if (await retireSealingKey(tx, keyId, mark)) retired.push(keyId)
      if (retired.length === 0) return
      await recordOwnChange(this.#gateway, tx, {
        ...{ actor: gatewayActor, action: 'gateway.secrets_key.rotate', subject: 'secrets_key' },
        before: { key_ids: [...retired, secrets.keyId] },
        after: { key_ids: [secrets.keyId] },
      })
    })
  }
}
