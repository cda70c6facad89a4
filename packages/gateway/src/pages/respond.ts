import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { acceptsGzip } from '../contract/accept.ts'
import { matchesETag } from '../contract/etag.ts'
import type { Language } from '../contract/language.ts'
import { sha256 } from '../kernel/crypto.ts'

/** What the handlers of pages know of a request. */
export interface PageVariables {
  Variables: {
    requestId: string
    language: Language
    /** `?lang=zh` if the address specified the language, so that links keep it; otherwise empty. */
    query: string
    /** The nonce of the response's content policy, if the page adds style elements. */
    styleNonce: string | undefined
  }
}

/** The cache rule of files whose address contains the hash of their content. */
export const immutableCache = 'public, max-age=31536000, immutable'

/** A prepared document: its bytes, plain and compressed, and their ETag. */
export interface PreparedDocument {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly zipped: Uint8Array<ArrayBuffer> | undefined
  readonly tag: string
}

const maxKeptBytes = 24 * 1024 * 1024
const minZipped = 1_024
const tagDigits = 20
const gzipped = promisify(gzip)

const preparedDocuments = new LRUCache<string, PreparedDocument>({
  maxSize: maxKeptBytes,
  sizeCalculation: ({ plain, zipped }) => plain.length + (zipped?.length ?? 0) + 1,
})

/**
 * Returns the prepared document for a key. `make` is called only if it is not cached, and returns undefined if the
 * document does not exist. Documents never change within a release. Compression runs outside the event loop.
 */
export async function prepareDocument(
  key: string,
  type: string,
  make: () => string | Uint8Array | undefined,
): Promise<PreparedDocument | undefined> {
  const known = preparedDocuments.get(key) ?? underWay.get(key)
  if (known) return known
  const preparing = makeDocument(key, type, make).finally(() => underWay.delete(key))
  underWay.set(key, preparing)
  return preparing
}

/** The documents that are being prepared, each once for all who ask for it meanwhile. */
const underWay = new Map<string, Promise<PreparedDocument | undefined>>()

async function makeDocument(
  key: string,
  type: string,
  make: () => string | Uint8Array | undefined,
): Promise<PreparedDocument | undefined> {
  const made = make()
  if (made === undefined) return undefined
  const plain = Uint8Array.from(typeof made === 'string' ? Buffer.from(made) : made)
  const zipped = plain.length < minZipped ? undefined : Uint8Array.from(await gzipped(plain))
  const tag = `W/"${sha256(plain).toString('hex').slice(0, tagDigits)}"`
  const document = { type, plain, zipped, tag }
  preparedDocuments.set(key, document)
  return document
}

/** Converts a document to a response, which is 304 if the reader's copy is current. */
export function toDocumentResponse(
  document: PreparedDocument,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = new Headers({ ...headers, ETag: document.tag })
  if (matchesETag(readHeaderValues(request, 'if-none-match'), document.tag))
    return new Response(null, { status: 304, headers: all })
  all.set('Content-Type', document.type)
  const zip = acceptsGzip(readHeaderValues(request, 'accept-encoding')) ? document.zipped : undefined
  if (zip) all.set('Content-Encoding', 'gzip')
  return new Response(zip ?? document.plain, { status: 200, headers: all })
}

/** Reads the values of a header; none if it was not sent. */
export function readHeaderValues(request: Request, name: string): readonly string[] {
  const value = request.headers.get(name)
  return value === null ? [] : [value]
}
