import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { acceptsGzip } from '../contract/accept.ts'
import type { ApiResponse } from '../contract/call.ts'

/** Bodies below this size are not compressed, because they gain nothing. */
const minBytes = 1_024
/** Up to this size, copying the chunks into one buffer is faster than writing several chunks. */
const maxWholeBytes = 8 * 1024
/** Up to this size, copying is faster than writing `manyChunks` or more. */
const maxJoinedBytes = 256 * 1024
const manyChunks = 16
const maxCachedBytes = 256 * 1024 * 1024
const gzipBuffer = promisify(gzip)

export interface Encoded {
  readonly chunks: readonly Uint8Array[]
  readonly size: number
  readonly encoding?: 'gzip'
}

/** Compresses bodies outside the event loop. A body with a cache key is compressed only once. */
export class Compressor {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  })
  readonly #underWay = new Map<string, Promise<Buffer>>()

  /** Returns the body as it is sent. Returns a promise only if the body is compressed. */
  compressBody(body: ApiResponse['body'], accepted: readonly string[]): Encoded | Promise<Encoded> {
    const plain = toPlainChunks(body)
    return plain.size < minBytes || !acceptsGzip(accepted) ? plain : this.#compressChunks(body, plain)
  }

  async #compressChunks(body: ApiResponse['body'], plain: Encoded): Promise<Encoded> {
    const key = typeof body === 'object' && 'key' in body ? body.key : undefined
    const bytes = await (key === undefined ? gzipChunks(plain.chunks) : this.#compressOnce(key, plain.chunks))
    return { chunks: [bytes], size: bytes.length, encoding: 'gzip' }
  }

  async #compressOnce(key: string, chunks: readonly Uint8Array[]): Promise<Buffer> {
    const known = this.#cache.get(key)
    if (known) return known
    const running = this.#underWay.get(key)
    if (running) return running
    const work = gzipChunks(chunks)
    this.#underWay.set(key, work)
    try {
      const bytes = await work
      this.#cache.set(key, bytes)
      return bytes
    } finally {
      this.#underWay.delete(key)
    }
  }
}

const level = constants.Z_BEST_SPEED

async function gzipChunks(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const [only] = chunks
  if (chunks.length === 1 && only) return gzipBuffer(only, { level })
  const stream = createGzip({ level, chunkSize: 64 * 1024 })
  const result: Buffer[] = []
  stream.on('data', (piece: Buffer) => result.push(piece))
  const ended = new Promise<void>((resolve, reject) => stream.once('end', resolve).once('error', reject))
  for (const chunk of chunks) {
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve))
  }
  stream.end()
  await ended
  return Buffer.concat(result)
}

function toPlainChunks(body: ApiResponse['body']): Encoded {
  if (body === undefined) return { chunks: [], size: 0 }
  if (typeof body === 'object' && 'chunks' in body) {
    const { chunks, size } = body
    const isJoined = size <= (chunks.length < manyChunks ? maxWholeBytes : maxJoinedBytes)
    return { chunks: isJoined ? [Buffer.concat(chunks, size)] : chunks, size }
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { chunks: [bytes], size: bytes.length }
}
