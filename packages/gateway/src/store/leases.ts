/**
 * A lease names the process that does a job for all, such as reading the ERP's changes. Its holder counts up `beats` in
 * its row. Another process takes the lease if it is free, or if its beats have stood still for `maxSilenceMs` on that
 * process's own monotonic clock. So the clocks of the machines need not agree, and the lease of a process that was
 * killed or frozen is taken within seconds.
 *
 * A holder that was frozen may continue in the middle of its job. Each new holder therefore begins a new term, and a
 * transaction of the job verifies its term as its last statement (fencing token). It then has the locks of its rows. So
 * a holder that read the ERP later also writes later.
 */

import { sql } from 'kysely'
import { systemClock } from '../kernel/clock.ts'
import { type Ids, randomIds } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { type Db, type Lease, LeaseLost, type Store, type Tx } from './store.ts'

/** How often a holder renews its leases, and how often every process looks at those of others. */
const beatMs = 400
/** The time without a beat after which another process takes a lease, and its holder begins nothing more. */
const maxSilenceMs = 2_000

interface Held {
  readonly term: number
  /** When the last renewal was sent, by the monotonic clock. */
  beatAt: number
}

/** A lease of another process, as this process has seen it. */
interface Seen {
  readonly holder: string | null
  readonly beats: number
  /** When this process first saw these beats, by the monotonic clock. */
  readonly since: number
}

export class Leases {
  readonly #store: Pick<Store, 'db' | 'locking'>
  readonly #log: Log
  readonly #holder: string
  readonly #held = new Map<string, Held>()
  readonly #seen = new Map<string, Seen>()
  #timer: NodeJS.Timeout | undefined
  /** The turn that is running. */
  #beating: Promise<void> | undefined

  constructor(store: Pick<Store, 'db' | 'locking'>, log: Log, ids: Ids = randomIds) {
    this.#store = store
    this.#log = log
    this.#holder = ids.next('prc')
  }

  /** Runs `work` if this process has the lease or can take it. Returns undefined if another process has it. */
  async hold<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const term = await this.#acquire(name)
    if (term === undefined) return undefined
    try {
      return await work({ requireHeld: (tx) => this.#requireHeld(tx, name, term) })
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
      this.#held.delete(name)
      this.#log.info({ subject: name }, 'another process has taken over this job')
      return undefined
    }
  }

  /** Gives all leases back, so that another process takes them at once. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    if (this.#held.size === 0) return
    const { db } = this.#store
    await db
      .updateTable('leases')
      .set({ holder: null })
      .where('name', 'in', buildLeaseLock(db, this.#store).where('holder', '=', this.#holder))
      .execute()
      .catch(() => {})
  }

  async #acquire(name: string): Promise<number | undefined> {
    this.#timer ??= setInterval(() => this.#beat(), beatMs).unref()
    if (this.#isOverdue(name)) await this.#beat()
    const held = this.#held.get(name)
    if (held) return this.#isOverdue(name) ? undefined : held.term
    const seen = this.#seen.get(name)
    const isFree = !seen || seen.holder === null || systemClock.monotonic() - seen.since >= maxSilenceMs
    return isFree ? this.#take(name, seen) : undefined
  }

  /** Whether this process holds the lease as far as it knows, but another one may have taken it since. */
  #isOverdue(name: string): boolean {
    const held = this.#held.get(name)
    return held !== undefined && systemClock.monotonic() - held.beatAt >= maxSilenceMs
  }

  /** Takes a lease that is free, or whose holder is silent. Returns its new term, or undefined if it came too late. */
  async #take(name: string, seen: Seen | undefined): Promise<number | undefined> {
    const beatAt = systemClock.monotonic()
    const taken = await this.#store.db
      .insertInto('leases')
      .values({ name, holder: this.#holder, term: 1, beats: 0 })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ holder: this.#holder, term: sql`leases.term + 1`, beats: sql`leases.beats + 1` })
          .where(({ eb, or, and, ref }) =>
            or([
              eb(ref('leases.holder'), 'is', null),
              and([
                eb(ref('leases.holder'), '=', seen?.holder ?? ''),
                eb(ref('leases.beats'), '=', seen?.beats ?? -1),
              ]),
            ]),
          ),
      )
      .returning('term')
      .executeTakeFirst()
    if (!taken) {
      await this.#look()
      return undefined
    }
    if (seen?.holder) this.#log.info({ subject: name }, 'this process takes over a job of a silent process')
    this.#seen.delete(name)
    this.#held.set(name, { term: taken.term, beatAt })
    return taken.term
  }

  /** Renews this process's leases and looks at those of others; calls during a turn share it. */
  #beat(): Promise<void> {
    this.#beating ??= this.#renew()
      .then(() => this.#look())
      .catch((error: unknown) => this.#log.debug({ error }, 'leases could not be renewed'))
      .finally(() => {
        this.#beating = undefined
      })
    return this.#beating
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return
    const beatAt = systemClock.monotonic()
    const before = [...this.#held]
    // By name: a lease whose taking lost its answer must stand still, so that it is taken again.
    const names = before.map(([name]) => name)
    const { db } = this.#store
    const own = buildLeaseLock(db, this.#store).where('holder', '=', this.#holder).where('name', 'in', names)
    const renewed = await db
      .updateTable('leases')
      .set((eb) => ({ beats: eb('beats', '+', 1) }))
      .where('name', 'in', own)
      .returning(['name', 'term'])
      .execute()
    const terms = new Map(renewed.map(({ name, term }) => [name, term]))
    for (const [name, held] of before) {
      if (terms.get(name) === held.term) held.beatAt = beatAt
      // It may have been taken anew since.
      else if (this.#held.get(name) === held) this.#held.delete(name)
    }
  }

  /** Notes which leases of others have stood still, and since when. */
  async #look(): Promise<void> {
    const rows = await this.#store.db.selectFrom('leases').select(['name', 'holder', 'beats']).execute()
    const now = systemClock.monotonic()
    for (const { name, holder, beats } of rows) {
      const seen = this.#seen.get(name)
      if (this.#held.has(name)) this.#seen.delete(name)
      else if (!seen || seen.holder !== holder || seen.beats !== beats)
        this.#seen.set(name, { holder, beats, since: now })
    }
  }

  async #requireHeld(tx: Tx, name: string, term: number): Promise<void> {
    const held = await tx
      .selectFrom('leases')
      .select('term')
      .where('name', '=', name)
      .where('holder', '=', this.#holder)
      .where('term', '=', term)
      .executeTakeFirst()
    if (!held) throw new LeaseLost(`Another process has taken over: ${name}.`)
  }
}

/**
 * Builds the query that locks leases in the order of their names and returns these, so that transactions that lock several
 * never deadlock. The caller adds which ones.
 */
export function buildLeaseLock(db: Db, { locking }: Pick<Store, 'locking'>) {
  return db.selectFrom('leases').select('name').orderBy('name').modifyEnd(locking.forUpdate)
}
