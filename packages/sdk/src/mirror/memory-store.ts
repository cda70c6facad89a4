import type { CopyName, MirrorStore, PageWrite, Place, Places, StockRow } from './store.ts'

interface Copy {
  place: Place
  readonly rows: Map<string, StockRow>
}

/** Keeps the copies in the memory of the process. The next process starts with a full sync. */
export class MemoryStore implements MirrorStore {
  readonly #copies = new Map<string, Partial<Record<CopyName, Copy>>>()

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  async readPlaces(warehouse: string): Promise<Places> {
    const { live, shadow } = this.#of(warehouse)
    return { ...(live && { live: live.place }), ...(shadow && { shadow: shadow.place }) }
  }

  async beginShadow(warehouse: string, version: number): Promise<void> {
    this.#of(warehouse).shadow = { place: { version, nextPage: 1 }, rows: new Map() }
  }

  async writePage(warehouse: string, { copy: name, from, to, rows, removed }: PageWrite): Promise<boolean> {
    const copy = this.#of(warehouse)[name]
    if (!copy || !areSame(copy.place, from)) return false
    for (const row of rows)
      if ((copy.rows.get(row.sku)?.version ?? 0) <= row.version) copy.rows.set(row.sku, row)
    for (const sku of removed) copy.rows.delete(sku)
    copy.place = to
    return true
  }

  async swap(warehouse: string, version: number): Promise<boolean> {
    const copies = this.#of(warehouse)
    const { live, shadow } = copies
    if (!shadow || !areSame(shadow.place, { version, nextPage: null })) return false
    if (live && live.place.version > version) return false
    copies.live = shadow
    delete copies.shadow
    return true
  }

  async get(warehouse: string, sku: string): Promise<StockRow | undefined> {
    return structuredClone(this.#of(warehouse).live?.rows.get(sku))
  }

  async list(warehouse: string, copy: CopyName = 'live'): Promise<StockRow[]> {
    const rows = this.#of(warehouse)[copy]?.rows.values() ?? []
    return structuredClone([...rows]).sort((one, other) => (one.sku < other.sku ? -1 : 1))
  }

  async count(warehouse: string): Promise<number> {
    return this.#of(warehouse).live?.rows.size ?? 0
  }

  #of(warehouse: string): Partial<Record<CopyName, Copy>> {
    const known = this.#copies.get(warehouse) ?? {}
    this.#copies.set(warehouse, known)
    return known
  }
}

function areSame(one: Place, other: Place): boolean {
  return one.version === other.version && one.nextPage === other.nextPage
}
