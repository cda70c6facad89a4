/**
 * The hints of an ERP that cannot report what changed (`changes: 'none'`): without a cursor a first one, and for every
 * cursor `everything: true`, so that the gateway compares the whole list. An ERP with a log of changes, or with times of
 * changes, can do better: see "stock.changed" in the guide.
 */
export function withoutHints(cursor: string | null) {
  return { cursor: 'none', everything: cursor !== null, more: false }
}
