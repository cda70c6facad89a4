/**
 * Hints by `write_date` and `create_date`. Tryton stamps rows with the start of their transaction, so that a row can
 * become visible long after its stamp: a counted inventory of 2,000 lines after 85 s. Each poll therefore overlaps with
 * the time before it: by 15 s, and every ten seconds by 15 minutes. A connector's memory of what it hinted for a cursor
 * keeps the overlap from hinting the same write again and again; without that memory, hints only repeat.
 *
 * A connector that starts goes on with the cursors of the one before, so that its end costs no whole read.
 */
import { createHash } from 'node:crypto'
import { maxPerCall } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from './connector.ts'
import { type Cursor, formatCursor, parseCursor, type SeenWrite } from './cursor.ts'
import { HintedWrites } from './hinted.ts'
import type { Context, Domain } from './rpc.ts'
import { id, instant, toInstant } from './values.ts'

const shortOverlapMs = 15_000
const longOverlapMs = 15 * 60_000
const longEveryMs = 10_000
/** The time after which a change is hinted at the latest: the next long poll, and the poll's own time. */
export const hintLagMs = longEveryMs + 5_000
const maxCursorAgeMs = 24 * 60 * 60_000
/** How long the rows of one poll serve other feeds: a fraction of the lag of hints. */
const maxSharedMs = 1_000
/** How much further back than it must a poll reads, so that it serves feeds whose last one was a little earlier. */
const slackMs = { short: 2 * maxSharedMs, long: longEveryMs } as const
/** Tryton reads the fields of so many rows in one call. */
const maxDetailed = 1_000
/** More new writes of one source than this are hinted as everything, once, and their fields are not read. */
const maxFieldsRead = 20_000
/** Tryton reads the stamps of so many rows in one call. */
const maxPageRows = 50_000
/** While there are more writes than this, every poll that finds them hints everything. */
const maxRows = 100_000

/**
 * The context in which Tryton also finds what is deactivated. A clause about `active` finds it only beside the clauses of
 * the same list: Tryton adds `active = True` to each nested list without one.
 */
export const withInactive: Context = { active_test: false }

/** A kind of rows whose writes are polled, also of those that are deactivated. */
export interface Source {
  readonly model: string
  readonly domain: Domain
  readonly fields: readonly string[]
}

const writeRow = z.looseObject({ id, write_date: instant.nullish(), create_date: instant.nullish() })
export type WrittenRow = z.output<typeof writeRow>

/** A write of a row: the row and its newest stamp. */
export interface Write {
  readonly source: Source
  readonly row: WrittenRow
  readonly key: string
  readonly at: number
  /** Whether its fields were not read, because there were too many. */
  readonly isBare: boolean
}

/** What one read of a source returned. */
interface Reading {
  /** When it began, by the connector's clock, and in milliseconds since 1970 by Tryton's. */
  readonly began: number
  readonly at: number
  readonly since: number
  readonly writes: Promise<Write[]>
}

/** A look at a source: its writes since a time, as of a time by Tryton's clock. */
interface Look {
  readonly at: number
  readonly writes: readonly Write[]
}

type Length = keyof typeof slackMs

/**
 * Polls sources for their newest writes, once for several feeds that ask at about the same time. Most rows of a poll are
 * those of the one before: only the fields of the others are read, because Tryton spends most of a read on fields.
 */
export class RecentWrites {
  readonly #connector: Connector
  readonly #shared = { short: new Map<Source, Reading>(), long: new Map<Source, Reading>() }
  /** The writes whose fields were read, by their keys. */
  readonly #known = new Map<Source, ReadonlyMap<string, Write>>()

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Returns the writes since a time, in milliseconds since 1970 by Tryton's clock, as they were a second ago at most. */
  readShort(source: Source, since: number): Promise<Look> {
    return this.#read('short', source, since, maxSharedMs)
  }

  /** Returns the writes since a time, as they were at a time after `after`: when some feed has last read so many. */
  readLong(source: Source, since: number, after: number): Promise<Look> {
    const isLater = (this.#shared.long.get(source)?.at ?? 0) > after
    return this.#read('long', source, since, isLater ? longEveryMs : 0)
  }

  async #read(length: Length, source: Source, since: number, maxAgeMs: number): Promise<Look> {
    const { rpc, environment } = this.#connector
    const began = environment.elapsed()
    const shared = this.#shared[length]
    let reading = shared.get(source)
    if (!reading || began - reading.began >= maxAgeMs || reading.since > since) {
      const from = since - slackMs[length]
      reading = { began, at: rpc.readServerTime(), since: from, writes: this.#fetch(length, source, from) }
      shared.set(source, reading)
      // What failed serves nobody else.
      reading.writes.catch(() => shared.delete(source))
    }
    const all = await reading.writes
    // Of rows that were cut, it is not known which are missing.
    return { at: reading.at, writes: isCut(all) ? all : all.filter(({ at }) => at > since) }
  }

  async #fetch(length: Length, source: Source, since: number): Promise<Write[]> {
    const rows = await this.#readStamps(source, since)
    const writes = rows.map((row) => toWrite(source, row))
    if (source.fields.length === 0 || isCut(writes)) return writes
    const known = this.#known.get(source) ?? new Map<string, Write>()
    const unknown = writes.filter(({ key }) => !known.has(key))
    const detailed = writes.flatMap(({ key }) => known.get(key) ?? [])
    const all = detailed.concat(await this.#describe(source, unknown))
    const kept = length === 'long' || known.size > maxRows ? [] : known
    this.#known.set(source, new Map([...kept, ...all.map((write) => [write.key, write] as const)]))
    return all
  }

  /** Reads the rows that were written since a time. What one call does not take is read page by page, in a fixed order. */
  async #readStamps({ model, domain }: Source, since: number): Promise<WrittenRow[]> {
    const { rpc } = this.#connector
    const from = toInstant(since)
    const recent = ['OR', ['write_date', '>', from], ['create_date', '>', from]]
    const settings = { fields: stamps, limit: maxPageRows, context: withInactive }
    let page = await rpc.searchRead(model, [...domain, recent], writeRow, settings)
    if (page.length < maxPageRows) return page
    let rows: WrittenRow[] = []
    do {
      const rest = [...domain, ['id', '>', rows.at(-1)?.id ?? 0], recent]
      page = await rpc.searchRead(model, rest, writeRow, { ...settings, order: [['id', 'ASC']] })
      rows = rows.concat(page)
    } while (page.length === maxPageRows && rows.length < maxRows)
    return rows
  }

  /** Reads the fields of writes, unless there are too many. */
  async #describe(source: Source, writes: readonly Write[]): Promise<readonly Write[]> {
    if (writes.length > maxFieldsRead) return writes.map((write) => ({ ...write, isBare: true }))
    const rows = writes.map(({ row }) => row.id)
    const detailed: Write[] = []
    for (let at = 0; at < rows.length; at += maxDetailed)
      detailed.push(...(await this.#readFields(source, rows.slice(at, at + maxDetailed))))
    return detailed
  }

  /** Reads rows with their fields. Their stamps may be newer by now, and rows that were deleted meanwhile are left out. */
  async #readFields(source: Source, rows: readonly number[]): Promise<Write[]> {
    const { model, domain, fields } = source
    const found = await this.#connector.rpc.searchRead(model, [...domain, ['id', 'in', rows]], writeRow, {
      fields: [...fields, ...stamps],
      context: withInactive,
    })
    return found.map((row) => toWrite(source, row))
  }

  /** Whether Tryton still has a write, or a later one of the same row. A restored backup may have lost it. */
  async has({ model, domain }: Source, { id: row, at }: SeenWrite): Promise<boolean> {
    const found = await this.#connector.rpc.searchRead(model, [...domain, ['id', '=', row]], writeRow, {
      fields: stamps,
      context: withInactive,
    })
    return found.some((each) => readStamp(each) >= at)
  }
}

const stamps = ['write_date', 'create_date']

function toWrite(source: Source, row: WrittenRow): Write {
  const at = readStamp(row)
  return { source, row, at, key: `${source.model} ${row.id} ${at}`, isBare: false }
}

/** Whether there are more writes than a poll reads. */
const isCut = (writes: readonly Write[]) => writes.length >= maxRows
const readStamp = ({ write_date, create_date }: WrittenRow) => Math.max(write_date ?? 0, create_date ?? 0)

interface Hinted {
  readonly cursor: string
  readonly everything: boolean
  readonly keys: readonly string[]
  readonly more: false
}

type Keys = readonly string[] | 'everything'

/** One feed of hints, such as the SKUs of one warehouse. */
export class Feed {
  readonly #connector: Connector
  readonly #recent: RecentWrites
  readonly #name: string
  readonly #sources: readonly Source[]
  readonly #toKeys: (writes: readonly Write[]) => Promise<Keys>
  readonly #settings: string
  #serial = 0
  readonly #hinted = new HintedWrites()

  constructor(
    { connector, recent }: { connector: Connector; recent: RecentWrites },
    name: string,
    { sources, toKeys }: { sources: readonly Source[]; toKeys: (writes: readonly Write[]) => Promise<Keys> },
  ) {
    this.#connector = connector
    this.#recent = recent
    this.#name = name
    this.#sources = sources
    this.#toKeys = toKeys
    this.#settings = describeServed(connector)
  }

  /** The writes that are remembered, for tests. */
  get remembered(): number {
    return this.#hinted.size
  }

  /** Returns the keys that were written since a cursor. */
  async poll(text: string | null): Promise<Hinted> {
    const { rpc } = this.#connector
    const epoch = await rpc.readEpoch()
    const now = rpc.readServerTime()
    this.#serial += 1
    const serial = this.#serial
    const base = { feed: this.#name, epoch, polledAt: now, serial }
    const cursor = text === null ? undefined : parseCursor(text, this.#name, this.#settings)
    if (!cursor || now - cursor.polledAt > maxCursorAgeMs || !(await this.#isOfThisHistory(cursor, epoch))) {
      const first = formatCursor({ ...base, longPolledAt: now, newest: undefined }, this.#settings)
      return { cursor: first, everything: text !== null, keys: [], more: false }
    }
    const { looks, longPolledAt } = await this.#look(cursor, now)
    const found = looks.map((look) => look.writes)
    const writes = [...new Map(found.flat().map((write) => [write.key, write])).values()]
    const former = text ?? ''
    const fresh = this.#hinted.selectFresh(former, writes)
    const areTooMany = found.some(isCut) || fresh.some(({ isBare }) => isBare)
    const keys = areTooMany ? 'everything' : await this.#toKeys(fresh)
    const newest = this.#findNewest(writes, cursor.newest)
    const next = formatCursor({ ...base, longPolledAt, newest }, this.#settings)
    // Also after `everything`: what this poll has found is in the rows that the caller reads next.
    this.#hinted.remember({ former, next, writes, oldest: longPolledAt - longOverlapMs - longEveryMs })
    const distinct = keys === 'everything' ? [] : [...new Set(keys)]
    const isTooMany = keys === 'everything' || distinct.length > maxPerCall
    return { cursor: next, everything: isTooMany, keys: isTooMany ? [] : distinct, more: false }
  }

  /** Reads what was written lately, and every ten seconds also what was committed long after its stamp. */
  async #look({ polledAt, longPolledAt }: Cursor, now: number) {
    const since = polledAt - shortOverlapMs
    const short = Promise.all(this.#sources.map((source) => this.#recent.readShort(source, since)))
    if (now - longPolledAt < longEveryMs) return { looks: await short, longPolledAt }
    const longSince = longPolledAt - longOverlapMs
    const [recent, far] = await Promise.all([
      short,
      Promise.all(this.#sources.map((source) => this.#recent.readLong(source, longSince, longPolledAt))),
    ])
    return { looks: [...recent, ...far], longPolledAt: Math.min(...far.map(({ at }) => at)) }
  }

  /** Whether nothing was taken back since a cursor. This session of this start would have noticed. */
  async #isOfThisHistory({ epoch: its, newest }: Cursor, epoch: string): Promise<boolean> {
    if (its === epoch || !newest) return its === epoch
    const source = this.#sources[newest.source]
    return source !== undefined && this.#recent.has(source, newest)
  }

  #findNewest(writes: readonly Write[], former: SeenWrite | undefined): SeenWrite | undefined {
    let newest = former
    for (const { source, row, at } of writes)
      if (at > (newest?.at ?? 0)) newest = { source: this.#sources.indexOf(source), id: row.id, at }
    return newest
  }
}

/** Names what a connector serves. With other settings, the same rows may have other figures. */
function describeServed({ config, places }: Connector): string {
  const { url, database } = config
  const served = JSON.stringify([url, database, { ...places, modules: [...places.modules].sort() }])
  return createHash('sha256').update(served).digest('hex')
}
