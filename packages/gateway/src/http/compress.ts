import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Answer } from '../contract/call.ts'

/** Bodies below this size gain nothing. */
const leastBytes = 1_024
/** Up to here one copy is cheaper than a write of several chunks. */
const mostWholeBytes = 8 * 1024
/** And up to here it is cheaper than a write of many. */
const mostJoinedBytes = 256 * 1024
const manyChunks = 16
const mostCachedBytes = 256 * 1024 * 1024
const gzipped = promisify(gzip)

export interface Encoded {
  readonly chunks: readonly Uint8Array[]
  readonly size: number
  readonly encoding?: 'gzip'
}

/** Compresses off the loop; bodies that were made ahead once for all readers of one version. */
export class Compressor {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: mostCachedBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  })
  readonly #underWay = new Map<string, Promise<Buffer>>()

  /** The body as it is sent; a promise only where it is compressed. */
  encoded(body: Answer['body'], accepted: readonly string[]): Encoded | Promise<Encoded> {
    const plain = plainOf(body)
    return plain.size < leastBytes || !acceptsGzip(accepted) ? plain : this.#compressed(body, plain)
  }

  async #compressed(body: Answer['body'], plain: Encoded): Promise<Encoded> {
    const key = typeof body === 'object' && 'key' in body ? body.key : undefined
    const bytes = await (key === undefined ? compressed(plain.chunks) : this.#once(key, plain.chunks))
    return { chunks: [bytes], size: bytes.length, encoding: 'gzip' }
  }

  async #once(key: string, chunks: readonly Uint8Array[]): Promise<Buffer> {
    const known = this.#cache.get(key)
    if (known) return known
    const running = this.#underWay.get(key)
    if (running) return running
    const work = compressed(chunks)
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

async function compressed(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const [only] = chunks
  if (chunks.length === 1 && only) return gzipped(only, { level })
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

function plainOf(body: Answer['body']): Encoded {
  if (body === undefined) return { chunks: [], size: 0 }
  if (typeof body === 'object' && 'chunks' in body) {
    const { chunks, size } = body
    const isJoined = size <= (chunks.length < manyChunks ? mostWholeBytes : mostJoinedBytes)
    return { chunks: isJoined ? [Buffer.concat(chunks, size)] : chunks, size }
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { chunks: [bytes], size: bytes.length }
}

/** RFC 9110 §12.5.3: `gzip` or `*`, not with a weight of 0. */
function acceptsGzip(headers: readonly string[]): boolean {
  let star = false
  for (const range of headers.join(',').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = range.split(';').map((part) => part.trim())
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    if (coding === 'gzip' || coding === 'x-gzip') return !refused
    if (coding === '*' && !refused) star = true
  }
  return star
}
