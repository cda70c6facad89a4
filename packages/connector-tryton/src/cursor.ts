/**
 * The cursor of a feed of hints: the time of the last poll, the time of the last poll with a long overlap, an epoch, and
 * the newest write that was seen. The epoch changes when the connector starts and when Tryton no longer knows its session,
 * which a restored backup causes. A cursor of another epoch is understood as long as Tryton still has its newest write: a
 * backup that was restored lacks it. A checksum tells a cursor of this connector, with the same settings, from any other.
 */
import { createHash } from 'node:crypto'

export interface Cursor {
  readonly feed: string
  readonly epoch: string
  /** Milliseconds since 1970 by Tryton's clock. */
  readonly polledAt: number
  readonly longPolledAt: number
  /** Different for each cursor of a start: what was hinted up to it is remembered under its text. */
  readonly serial: number
  readonly newest: SeenWrite | undefined
}

/** A write of a row of one of the feed's sources, by the source's place among them. */
export interface SeenWrite {
  readonly source: number
  readonly id: number
  /** Milliseconds since 1970 by Tryton's clock, whole ones in a cursor. */
  readonly at: number
}

/** Writes a cursor. `settings` names what the connector serves, and is only in the checksum. */
export function formatCursor(cursor: Cursor, settings: string): string {
  const { feed, epoch, polledAt, longPolledAt, serial, newest } = cursor
  const seen = newest ? `${newest.source}-${newest.id}-${Math.floor(newest.at)}` : ''
  const text = `${feed}.${epoch}.${Math.floor(polledAt)}.${Math.floor(longPolledAt)}.${serial}.${seen}`
  return `${text}.${sum(text, settings)}`
}

const form =
  /^([a-z]+)\.([a-z0-9]+)\.(\d{1,16})\.(\d{1,16})\.(\d{1,15})\.(?:(\d{1,3})-(\d{1,15})-(\d{1,16}))?\.([0-9a-f]{8})$/

/** Parses a cursor of this feed and these settings. Anything else is undefined. */
export function parseCursor(text: string, feed: string, settings: string): Cursor | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const [, itsFeed, epoch = '', polledAt, longPolledAt, serial, source, id, at, checksum] = match
  if (itsFeed !== feed || sum(text.slice(0, -9), settings) !== checksum) return undefined
  return {
    ...{ feed, epoch },
    polledAt: Number(polledAt),
    longPolledAt: Number(longPolledAt),
    serial: Number(serial),
    newest: source === undefined ? undefined : { source: Number(source), id: Number(id), at: Number(at) },
  }
}

function sum(text: string, settings: string): string {
  return createHash('sha256').update(`${settings} ${text}`).digest('hex').slice(0, 8)
}
