import { Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'

/** The level of all bodies in zstd: the fastest of the usual ones. */
export const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Yields the body in zstd as one frame, compressed outside the event loop. Pieces that are kept for each chunk, as with
 * gzip, would be frames of their own. A sequence of frames is allowed (RFC 8878 §3), but Node's decoder silently drops
 * what follows the first one in a buffer. All of a body takes half of what gzip takes.
 */
export async function* compressToZstd(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* Readable.from(chunks).pipe(createZstdCompress(zstdOptions))
}
