import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { type ContentCoding, chooseCoding } from '../contract/accept.ts'
import { type ApiResponse, type Chunk, listPieces, type Prebuilt } from '../contract/call.ts'
import { systemClock } from '../kernel/clock.ts'
import { joinAlone } from '../kernel/join-alone.ts'
import { measureBody } from '../pipeline/in-process.ts'
import { ChunkGzip, level } from './gzip-chunks.ts'
import { compressToZstd, zstdOptions } from './zstd-stream.ts'

/** Bodies below this size are not compressed, because they gain nothing. */
const minBytes = 1_024
/** Up to this size, copying the chunks into one buffer is faster than writing several chunks. */
const maxWholeBytes = 8 * 1024
/** Up to this size, copying is faster than writing `manyChunks` or more. */
const maxJoinedBytes = 256 * 1024
const manyChunks = 16
const maxCachedBytes = 256 * 1024 * 1024
/** What an entry takes besides its bytes and its key. */
const entryBytes = 1024
/** The longest time for which a body that is being sent is kept for the next client. */
const maxKeepMs = 10_000
const [gzipBuffer, zstdBuffer] = [promisify(gzip), promisify(zstdCompress)]

/** A body as it is sent. */
export type Encoded = Whole | Arriving

interface Whole {
  /** They are listed once. */
  readonly chunks: Iterable<Uint8Array | string>
  /** The number of bytes. */
  readonly size: number
  readonly encoding?: ContentCoding
}

/** A body that is still being compressed, so that its size is not known yet. */
interface Arriving {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly encoding: ContentCoding
}

/**
 * Compresses bodies outside the event loop. A body with a cache key is sent while it is compressed, and kept whole for
 * the next client.
 */
export class Compressor {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: (bytes, key) => bytes.length + key.length + entryBytes,
  })
  readonly #gzip = new ChunkGzip()
  /** The keys of the bodies that are being kept while they are sent. */
  readonly #keeping = new Set<string>()

  /** Returns the body as it is sent. Returns a promise only if the body is compressed before it is sent. */
  compressBody(body: ApiResponse['body'], accepted: readonly string[]): Encoded | Promise<Encoded> {
    const size = measureBody({ body })
    const coding = size < minBytes ? undefined : chooseCoding(accepted)
    if (coding && isKeyed(body)) return this.#compressKeyed(body, coding)
    const plain = { chunks: listPlainChunks(body, size), size }
    return coding ? compressWhole(plain, coding) : plain
  }

  #compressKeyed({ key, chunks }: KeyedBody, encoding: ContentCoding): Encoded {
    const codedKey = `${encoding} ${key}`
    const known = this.#cache.get(codedKey)
    return known
      ? { chunks: [known], size: known.length, encoding }
      : { pieces: this.#compressAndKeep(codedKey, chunks, encoding), encoding }
  }

  async *#compressAndKeep(key: string, chunks: readonly Chunk[], coding: ContentCoding) {
    // One of those that are sent the same body at once keeps it, if its client reads fast.
    const began = systemClock.monotonic()
    let kept: Uint8Array[] | undefined = this.#keeping.has(key) ? undefined : []
    if (kept) this.#keeping.add(key)
    try {
      for await (const piece of coding === 'zstd'
        ? compressToZstd(listPieces(chunks))
        : this.#gzip.compress(chunks)) {
        if (kept && systemClock.monotonic() - began > maxKeepMs) {
          kept = undefined
          this.#keeping.delete(key)
        }
        kept?.push(piece)
        yield piece
      }
      if (kept) this.#cache.set(key, joinAlone(kept))
    } finally {
      if (kept) this.#keeping.delete(key)
    }
  }
}

type KeyedBody = Prebuilt & { readonly key: string }

function isKeyed(body: ApiResponse['body']): body is KeyedBody {
  return typeof body === 'object' && 'key' in body && body.key !== undefined
}

async function compressWhole({ chunks, size }: Whole, encoding: ContentCoding): Promise<Encoded> {
  const plain = Buffer.concat(Array.from(chunks, toBytes), size)
  const bytes =
    encoding === 'zstd' ? await zstdBuffer(plain, zstdOptions) : await gzipBuffer(plain, { level })
  return { chunks: [bytes], size: bytes.length, encoding }
}

function listPlainChunks(body: ApiResponse['body'], size: number): Whole['chunks'] {
  if (body === undefined) return []
  if (typeof body === 'string' || !('chunks' in body)) return [body]
  // To list all pieces of a large body at once would block the event loop.
  if (size > maxJoinedBytes) return listPieces(body.chunks)
  const pieces = [...listPieces(body.chunks)]
  const isJoined = pieces.length > 1 && (size <= maxWholeBytes || pieces.length >= manyChunks)
  return isJoined ? [Buffer.concat(pieces, size)] : pieces
}

/** Returns the bytes of a piece of a body. */
export function toBytes(piece: Uint8Array | string): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece
}
