import type { Gateway } from '../gateway.ts'

/** The key of the document sync's row in `document_sync`. */
export const documentSync = 'documents'

/**
 * Returns the `X-Data-Age` header: how many seconds ago the gateway last read the ERP's documents. Empty if it has
 * never read them.
 */
export async function readDataAgeHeader(gateway: Gateway): Promise<string[]> {
  const row = await gateway.store.db
    .selectFrom('document_sync')
    .select('synced_at')
    .where('name', '=', documentSync)
    .executeTakeFirst()
  // The documents were never read, so they have no age.
  if (row?.synced_at == null) return []
  const ms = gateway.clock.now() - row.synced_at
  return ['X-Data-Age', String(Math.max(0, Math.floor(ms / 1000)))]
}
