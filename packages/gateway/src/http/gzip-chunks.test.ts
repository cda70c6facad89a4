import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Chunk, measureChunks } from '../contract/call.ts'
import { ChunkGzip } from './gzip-chunks.ts'

/** Bytes that hardly compress, so that their piece comes in several parts. */
const noise = Buffer.from(
  Uint8Array.from({ length: 100_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 13),
)
const rows = Array.from({ length: 40 }, (_, at) => Buffer.from(`{"sku":"A-${at}"},`.repeat(50 + at)))
const chunks = rows.toSpliced(20, 0, noise)

async function compress(gzip: ChunkGzip, body: readonly Chunk[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of gzip.compress(body)) pieces.push(piece)
  return pieces
}

describe('gzip by chunks', () => {
  it('is one member with the bytes, the checksum and the size of the body', async () => {
    // `gunzipSync` verifies checksum and size.
    for (const body of [chunks, [], [Buffer.from('short')]]) {
      expect(gunzipSync(Buffer.concat(await compress(new ChunkGzip(), body)))).toEqual(Buffer.concat(body))
    }
  })

  it('deflates after a change only the chunk that changed', async () => {
    const gzip = new ChunkGzip()
    const before = await compress(gzip, chunks)
    const changed = chunks.with(7, Buffer.from('another row'))
    const after = await compress(gzip, changed)
    expect(gunzipSync(Buffer.concat(after))).toEqual(Buffer.concat(changed))
    const isOther = after.slice(0, -1).map((piece, at) => piece !== before[at])
    // The first piece is the header.
    expect(isOther.flatMap((other, at) => (other ? [at] : []))).toEqual([8])
  })

  it('deflates the pieces of a chunk together, and once', async () => {
    const gzip = new ChunkGzip()
    const pieces = chunks.slice(0, 30)
    const inPieces = [{ pieces, size: measureChunks(pieces) }, ...chunks.slice(30)]
    const first = await compress(gzip, inPieces)
    expect(gunzipSync(Buffer.concat(first))).toEqual(Buffer.concat(chunks))
    // A header, the pieces and the end.
    expect(first).toHaveLength(inPieces.length + 2)
    expect((await compress(gzip, inPieces)).slice(0, -1)).toEqual(first.slice(0, -1))
    expect((await compress(gzip, inPieces))[1]).toBe(first[1])
  })
})
