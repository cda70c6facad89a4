/**
 * Pages of stock and of its changes, kept as they are sent. Clients read the first pages, and the changes after the same
 * versions, again and again; to collect the rows, seal the cursor and join everything takes longer than the rest of the
 * read. A page is of one version of the stock, so it is never out of date. Pages of former versions make room for others.
 *
 * A page is kept when it is requested a second time. Most pages are read only once, and to keep their bytes would cost
 * V8 more than to build them.
 */

import { type Chunk, listPieces, measureChunks, type Prebuilt } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { joinAlone } from '../kernel/join-alone.ts'
import { type KeptPage, requestedOnce } from '../memory.ts'

/**
 * Returns the page that was kept under a name, or builds it, and keeps it at its second request. The name contains the
 * version of the stock, and is also the key of the compressed page.
 */
export function keepPage({ memory: { pages } }: Gateway, name: string, build: () => KeptPage): KeptPage {
  const known = pages.get(name)
  if (known) return known
  const built = build()
  if (known === undefined) {
    pages.set(name, requestedOnce)
    return built
  }
  const page = { ...built, body: joinBody(built.body, name) }
  pages.set(name, page)
  return page
}

const opening = Buffer.from('{"data":[')

/** Builds a body of rows, which are separated by commas, and of the members after `data`. */
export function buildListBody(rows: readonly Chunk[], members: string, key?: string): Prebuilt {
  const chunks = [opening, ...rows, Buffer.from(`],${members}}`)]
  return { chunks, size: measureChunks(chunks), key }
}

/** Joins a body to one chunk, which takes one write. */
function joinBody({ chunks, size }: Prebuilt, key: string): Prebuilt {
  return { chunks: [joinAlone([...listPieces(chunks)])], size, key }
}
