import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { sha256 } from '../kernel/crypto.ts'

/** A document made once: its bytes, plain and compressed, and the tag of exactly them. */
export interface Prepared {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly zipped: Uint8Array<ArrayBuffer> | undefined
  readonly tag: string
}

const mostKeptBytes = 24 * 1024 * 1024
const leastZipped = 1_024
const tagDigits = 20
const gzipped = promisify(gzip)

const kept = new LRUCache<string, Prepared>({
  maxSize: mostKeptBytes,
  sizeCalculation: ({ plain, zipped }) => plain.length + (zipped?.length ?? 0) + 1,
})

/**
 * The document under a key; `make` is asked only where it is not there, and answers undefined where there is no such
 * document. Documents are a release's: they never change. Compressing is done beside the loop.
 */
export async function prepared(
  key: string,
  type: string,
  make: () => string | Uint8Array | undefined,
): Promise<Prepared | undefined> {
  const known = kept.get(key)
  if (known) return known
  const made = make()
  if (made === undefined) return undefined
  const plain = Uint8Array.from(typeof made === 'string' ? Buffer.from(made) : made)
  const zipped = plain.length < leastZipped ? undefined : Uint8Array.from(await gzipped(plain))
  const tag = `W/"${sha256(plain).toString('hex').slice(0, tagDigits)}"`
  const document = { type, plain, zipped, tag }
  kept.set(key, document)
  return document
}

/** The document as a response; 304 where the reader has it. */
export function respond(
  document: Prepared,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = new Headers({ ...headers, ETag: document.tag })
  if (matches(request.headers.get('if-none-match'), document.tag))
    return new Response(null, { status: 304, headers: all })
  all.set('Content-Type', document.type)
  const zip =
    document.zipped && acceptsGzip(request.headers.get('accept-encoding')) ? document.zipped : undefined
  if (zip) all.set('Content-Encoding', 'gzip')
  return new Response(zip ?? document.plain, { status: 200, headers: all })
}

/** RFC 9110 §13.1.2: weak comparison. */
function matches(sent: string | null, tag: string): boolean {
  if (sent === null) return false
  const opaque = (text: string) => text.trim().replace(/^W\//, '')
  return sent.trim() === '*' || sent.split(',').some((each) => opaque(each) === opaque(tag))
}

function acceptsGzip(sent: string | null): boolean {
  return (sent ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(
      ([coding, ...parameters]) => coding === 'gzip' && !parameters.some((each) => /^q=0(\.0*)?$/.test(each)),
    )
}
