/**
 * A table in memory: rows sorted by key, each with the number of its last change. This is enough for pages, reads and
 * reports of changes.
 */
export class Table<Value> {
  readonly #rows = new Map<string, { key: string; value: Value; seq: number }>()
  seq = 0

  put(key: string, value: Value) {
    this.seq += 1
    this.#rows.set(key, { key, value, seq: this.seq })
  }

  get(key: string): Value | undefined {
    return this.#rows.get(key)?.value
  }

  listRows() {
    return [...this.#rows.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  readPage(after: string | null, limit: number) {
    const following = this.listRows().filter(({ key }) => key > (after ?? ''))
    const rows = following.slice(0, limit)
    return { rows, next: following.length > limit ? (rows.at(-1)?.key ?? null) : null }
  }

  read(keys: readonly string[]) {
    return this.listRows().filter(({ key }) => keys.includes(key))
  }

  readHints(cursor: string | null) {
    const since = cursor === null ? this.seq : this.#parseCursor(cursor)
    const keys = this.listRows().flatMap(({ key, seq }) => (since !== undefined && seq > since ? [key] : []))
    return { keys, hints: { cursor: `at-${this.seq}`, everything: since === undefined, more: false } }
  }

  #parseCursor(cursor: string): number | undefined {
    const digits = /^at-(\d{1,9})$/.exec(cursor)?.[1]
    return digits === undefined || Number(digits) > this.seq ? undefined : Number(digits)
  }
}
