/**
 * Gzip of a body whose chunks outlive it. A change of the stock replaces the chunk of one block, so the next body shares
 * all other chunks with the one before. Each chunk is deflated once. Its piece ends at a byte and refers to no other
 * piece (`Z_FULL_FLUSH`). So pieces can follow each other in any body (RFC 1951 §3.2), and a body begins as soon as its
 * first piece is ready. That costs about a twentieth more bytes than one stream.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { constants, crc32, createDeflateRaw } from 'node:zlib'
import { type Chunk, listPieces } from '../contract/call.ts'

/** The level of all compressed bodies: the fastest. */
export const level = constants.Z_BEST_SPEED
/** Enough to keep the thread that deflates busy, and a bound on what a client that stops reading leaves undone. */
const maxUnderWay = 8
/** The event loop runs after this number of chunks: a body whose pieces are all known would otherwise block it. */
const chunksPerPause = 16
/** RFC 1952 §2.3: deflate, no name and no time, the fastest level, an unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
/** An empty last block, behind which come the checksum and the size. */
const lastBlock = [3, 0]
const trailerBytes = 8

export class ChunkGzip {
  /** The pieces of the chunks that are still in use somewhere. */
  readonly #pieces = new WeakMap<Chunk, Promise<Buffer>>()
  /** One stream for all chunks: a new one for each would cost more than deflating it. */
  readonly #stream = createDeflateRaw({ level, flush: constants.Z_FULL_FLUSH })
  /** What the stream has written of the present piece. */
  #parts: Buffer[] = []

  constructor() {
    this.#stream.on('data', (part: Buffer) => this.#parts.push(part))
  }

  /** Yields the compressed body piece by piece. Deflates outside the event loop. */
  async *compress(chunks: readonly Chunk[]): AsyncGenerator<Uint8Array, void> {
    yield header
    let checksum = 0
    let size = 0
    for (const [at, chunk] of chunks.entries()) {
      for (const next of chunks.slice(at, at + maxUnderWay)) this.#deflate(next)
      yield await this.#deflate(chunk)
      for (const piece of listPieces([chunk])) {
        checksum = crc32(piece, checksum)
        size += piece.length
      }
      if (at % chunksPerPause === chunksPerPause - 1) await yieldToLoop()
    }
    yield buildTrailer(checksum, size)
  }

  #deflate(chunk: Chunk): Promise<Buffer> {
    const known = this.#pieces.get(chunk)
    if (known) return known
    // The stream takes its chunks one after another, and calls back after the last part of each.
    const piece = new Promise<Buffer>((resolve) => {
      this.#stream.write(chunk instanceof Uint8Array ? chunk : Buffer.concat(chunk.pieces), () =>
        resolve(Buffer.concat(this.#parts.splice(0))),
      )
    })
    this.#pieces.set(chunk, piece)
    return piece
  }
}

function buildTrailer(checksum: number, size: number): Buffer {
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUInt32LE(checksum, 0)
  // The size modulo 2^32.
  trailer.writeUInt32LE(size % 2 ** 32, 4)
  return Buffer.concat([Buffer.from(lastBlock), trailer])
}
