/**
 * What a feed has hinted up to each of its cursors. Cursors that continue each other are a line, which keeps each write
 * once, with the number of the cursor that hinted it first. A cursor that is continued a second time, because a response
 * was lost, begins a line of its own: what only the lost response hinted is hinted again. Nothing is shared between
 * lines: one may have looked further back than the other, and so know writes that the other has never hinted.
 */

/** Lines that are kept: that of the gateway, and those of responses that were lost. */
const maxLines = 8
const maxCursorsOfLine = 200
/** More than one poll reads at most. */
const maxWritesOfLine = 300_000

interface Hinted {
  readonly step: number
  readonly at: number
}

interface Line {
  /** By the key of the write. */
  readonly writes: Map<string, Hinted>
  /** The step of each cursor. */
  readonly cursors: Map<string, number>
  /** That of the newest cursor. */
  step: number
  /** The time before which no writes are kept, in milliseconds since 1970. */
  oldest: number
}

export interface HintedAt {
  readonly key: string
  readonly at: number
}

interface Poll {
  /** The cursor that was continued, and the one that was returned. */
  readonly former: string
  readonly next: string
  readonly writes: readonly HintedAt[]
  /** The time before which no later poll of this line looks, in milliseconds since 1970. */
  readonly oldest: number
}

export class HintedWrites {
  /** Used last comes last. */
  #lines: Line[] = []

  /** Returns those of some writes that were not hinted up to a cursor. Of an unknown cursor, that is all of them. */
  selectFresh<W extends HintedAt>(cursor: string, writes: readonly W[]): W[] {
    const line = this.#find(cursor)
    const step = line?.cursors.get(cursor) ?? 0
    return writes.filter(({ key }) => (line?.writes.get(key)?.step ?? Number.POSITIVE_INFINITY) > step)
  }

  /** Remembers what a poll has hinted, and what it found that was hinted before. */
  remember({ former, next, writes, oldest }: Poll): void {
    const line = this.#continue(former)
    line.step += 1
    for (const { key, at } of writes) if (!line.writes.has(key)) line.writes.set(key, { step: line.step, at })
    line.cursors.set(next, line.step)
    if (oldest > line.oldest) {
      for (const [key, { at }] of line.writes) if (at <= oldest) line.writes.delete(key)
      line.oldest = oldest
    }
    cutToNewest(line.writes, maxWritesOfLine)
    cutToNewest(line.cursors, maxCursorsOfLine)
    this.#lines = [...this.#lines.filter((other) => other !== line), line].slice(-maxLines)
  }

  /** The writes that are kept, for tests. */
  get size(): number {
    return this.#lines.reduce((sum, { writes }) => sum + writes.size, 0)
  }

  #find(cursor: string): Line | undefined {
    return this.#lines.find(({ cursors }) => cursors.has(cursor))
  }

  /** Returns the line of a cursor. If another poll has continued the cursor already, that is a new one. */
  #continue(cursor: string): Line {
    const line = this.#find(cursor)
    const step = line?.cursors.get(cursor) ?? 0
    if (line?.step === step) return line
    const writes = new Map([...(line?.writes ?? [])].filter(([, hinted]) => hinted.step <= step))
    return { writes, cursors: new Map(), step, oldest: line?.oldest ?? 0 }
  }
}

/** Deletes what was added first. */
function cutToNewest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
