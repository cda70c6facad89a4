/** The events of a mirror, for logs and for what depends on the stock. */
export interface MirrorEvents {
  /** Rows of the live copy have changed. */
  readonly change: { readonly warehouse: string; readonly skus: readonly string[]; readonly version: number }
  /** A full sync begins, or has made its copy live, in which every row may differ. */
  readonly fullsync: { readonly warehouse: string; readonly phase: 'begin' | 'end'; readonly reason: string }
  /** A page of a full sync is written. */
  readonly progress: { readonly warehouse: string; readonly page: number; readonly rows: number }
  /** A turn failed. The mirror goes on after `intervalMs`. */
  readonly error: { readonly warehouse: string; readonly error: unknown }
  /** The stock of a copy is older than `staleAfterMs`. */
  readonly stale: { readonly warehouse: string; readonly stalenessMs: number }
}
