import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import { type Resource, storeResponse } from './keys.ts'

interface Unchanged<Data> {
  readonly resource: Resource
  readonly data: Data
  /** The HTTP status; 200 by default. */
  readonly status?: number
}

/**
 * Replies with a document that a repeated call leaves as it is. The response is kept together with the document's id, so
 * that the key's status names the document, and an erasure of its recipient finds the response.
 */
export async function replyUnchanged<Data>(
  { gateway, call: { key: keyed } }: CallContext,
  { resource, data, status = 200 }: Unchanged<Data>,
): Promise<Reply<{ data: Data }>> {
  const reply = new Reply({ data })
  if (keyed) {
    await gateway.store.db
      .transaction()
      .execute((tx) => storeResponse({ gateway, tx, keyed }, { reply, status, resource }))
  }
  return reply
}
