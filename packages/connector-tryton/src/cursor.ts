/**
 * The cursor of a feed of hints: the time of the last poll, the time of the last poll with a long overlap, and an epoch.
 * The epoch changes when the connector starts and when Tryton no longer knows its session, which a restored backup
 * causes. A checksum tells a cursor of this connector from a damaged one.
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
}

export function formatCursor({ feed, epoch, polledAt, longPolledAt, serial }: Cursor): string {
  const text = `${feed}.${epoch}.${Math.floor(polledAt)}.${Math.floor(longPolledAt)}.${serial}`
  return `${text}.${sum(text)}`
}

/** Parses a cursor of this feed and epoch. Anything else is undefined. */
export function parseCursor(text: string, feed: string, epoch: string): Cursor | undefined {
  const match = /^([a-z]+)\.([a-z0-9]+)\.(\d{1,16})\.(\d{1,16})\.(\d{1,15})\.([0-9a-f]{8})$/.exec(text)
  if (!match) return undefined
  const [, itsFeed, itsEpoch, polledAt, longPolledAt, serial, checksum] = match
  const isOwn = itsFeed === feed && itsEpoch === epoch
  if (!isOwn || sum(text.slice(0, -9)) !== checksum) return undefined
  return {
    ...{ feed, epoch },
    polledAt: Number(polledAt),
    longPolledAt: Number(longPolledAt),
    serial: Number(serial),
  }
}

function sum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
