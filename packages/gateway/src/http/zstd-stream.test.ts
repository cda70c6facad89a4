import { zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { compressToZstd } from './zstd-stream.ts'

it('is one frame with the bytes of all chunks, whose first piece comes before the last chunk is compressed', async () => {
  const chunks = Array.from({ length: 400 }, (_, at) =>
    Buffer.from(Uint8Array.from({ length: 10_000 }, (_, byte) => Math.imul(at + byte, 2_654_435_761) >>> 13)),
  )
  const pieces: Uint8Array[] = []
  for await (const piece of compressToZstd(chunks)) pieces.push(piece)
  // `zstdDecompressSync` reads the first frame only.
  expect(zstdDecompressSync(Buffer.concat(pieces))).toEqual(Buffer.concat(chunks))
  expect(pieces.length).toBeGreaterThan(1)
})
