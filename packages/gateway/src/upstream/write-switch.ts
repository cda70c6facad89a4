/**
 * Decides whether writes may reach the ERP. `WRITES_ENABLED=0` refuses them for good. An operator's pause refuses them
 * until its end, in every process: the pause is in the database, and each process reads it twice a second and on each
 * announcement. The pause ends by itself, by the gateway's clock.
 *
 * While the pause cannot be read, the last known one applies. No write can happen then anyway, because each one begins
 * with a commit.
 */

import { sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import { type Clock, formatInstant } from '../kernel/clock.ts'
import type { Db, Locking, Store, Tx } from '../store/store.ts'

/** A pause of writes. Times are epoch milliseconds. */
export interface WritePause {
  readonly paused_at: number
  readonly paused_until: number
  /** The operator's name as claimed; null if none was sent. */
  readonly paused_by: string | null
  readonly reason: string | null
}

const pauseName = 'erp'

interface SwitchParts {
  readonly store: Store
  readonly clock: Clock
  /** Whether the configuration allows writes. */
  readonly isEnabled: boolean
}

export class WriteSwitch {
  readonly #store: Store
  readonly #clock: Clock
  /** Whether the configuration allows writes. */
  readonly isEnabled: boolean
  #known: WritePause | undefined

  constructor({ store, clock, isEnabled }: SwitchParts) {
    this.#store = store
    this.#clock = clock
    this.isEnabled = isEnabled
  }

  /** The pause that lasts now. */
  get pause(): WritePause | undefined {
    return this.#known && this.#clock.now() < this.#known.paused_until ? this.#known : undefined
  }

  /** Whether writes may reach the ERP now. */
  get isOpen(): boolean {
    return this.isEnabled && this.pause === undefined
  }

  /** Throws `READ_ONLY_MODE` unless writes may reach the ERP now, during a pause with the seconds that are left of it. */
  requireOpen(): void {
    if (!this.isEnabled) throw new GatewayError('READ_ONLY_MODE')
    const { pause } = this
    if (!pause) return
    throw new GatewayError('READ_ONLY_MODE', {
      say: ['writes_paused', { until: formatInstant(pause.paused_until) }],
      hint: ['hint_writes_paused'],
      retryAfter: Math.ceil((pause.paused_until - this.#clock.now()) / 1000),
    })
  }

  /** Reads the pause from the database; one turn of the worker. */
  async follow(): Promise<void> {
    this.#known = await readWritePause(this.#store.db)
  }
}

/** Reads the stored pause, which may be over; undefined if none is stored. */
async function readWritePause(
  db: Db,
  { forUpdate }: Pick<Locking, 'forUpdate'> = { forUpdate: sql`` },
): Promise<WritePause | undefined> {
  const row = await db
    .selectFrom('write_pauses')
    .selectAll()
    .where('name', '=', pauseName)
    .modifyEnd(forUpdate)
    .executeTakeFirst()
  if (!row || row.paused_at === null || row.paused_until === null) return undefined
  const { paused_at, paused_until, paused_by, reason } = row
  return { paused_at, paused_until, paused_by, reason }
}

/**
 * Stores a pause, or with `undefined` ends the stored one, and returns the pause that was stored before. Until the
 * transaction ends, others who store one wait.
 */
export async function storeWritePause(
  tx: Tx,
  { locking }: Store,
  pause: WritePause | undefined,
): Promise<WritePause | undefined> {
  const before = await readWritePause(tx, locking)
  await tx
    .updateTable('write_pauses')
    .set(pause ?? { paused_at: null, paused_until: null, paused_by: null, reason: null })
    .where('name', '=', pauseName)
    .execute()
  return before
}
