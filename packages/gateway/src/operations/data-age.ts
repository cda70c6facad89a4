import type { Gateway } from '../gateway.ts'

/** The name under which the sync of documents notes how far it came. */
export const documentSync = 'documents'

/** How old the gateway's picture of the ERP's documents is, as a header: whole seconds. */
export async function dataAge(gateway: Gateway): Promise<string[]> {
  const row = await gateway.store.db
    .selectFrom('document_sync')
    .select('synced_at')
    .where('name', '=', documentSync)
    .executeTakeFirst()
  // Nobody knows how old what was never read is.
  if (row?.synced_at == null) return []
  const ms = gateway.clock.now() - row.synced_at
  return ['X-Data-Age', String(Math.max(0, Math.floor(ms / 1000)))]
}
