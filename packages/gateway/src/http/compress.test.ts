import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Compressor, toBytes } from './compress.ts'

const chunks = Array.from({ length: 40 }, (_, at) => Buffer.from(`row ${at} `.repeat(2_000)))
const size = chunks.reduce((sum, { length }) => sum + length, 0)
const plain = Buffer.concat(chunks).toString()

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = []
  for await (const piece of pieces) read.push(piece)
  return Buffer.concat(read)
}

it('sends a short text as it is, with the number of its bytes', () => {
  const text = '{"name":"상품 é"}'
  const size = Buffer.byteLength(text)
  expect(size).toBeGreaterThan(text.length)
  expect(new Compressor().compressBody(text, ['gzip'])).toEqual({ chunks: [text], size })
})

it.each([[], ['gzip'], ['zstd']])(
  'lists the pieces of a large body while it is sent, in %s',
  async (...accepted) => {
    let listed = 0
    const rows = chunks.map((piece) => ({
      size: piece.length,
      get pieces() {
        listed += 1
        return [piece]
      },
    }))
    const body = await new Compressor().compressBody({ key: 'pull', chunks: rows, size }, accepted)
    expect(listed).toBe(0)
    for await (const _piece of 'pieces' in body ? body.pieces : body.chunks) break
    expect(listed).toBeLessThan(rows.length)
  },
)

describe.each([
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const)('a body with a key in %s', (coding, unpack) => {
  it('is whole for each of those that are sent it at once, and kept for the next one', async () => {
    const compressor = new Compressor()
    const open = async () => compressor.compressBody({ key: 'pull 1', chunks, size }, [coding])
    const both = [await open(), await open()]
    for (const each of both) {
      if (!('pieces' in each)) throw new Error('The body was not sent while it was compressed.')
      expect(unpack(await readAll(each.pieces)).toString()).toBe(plain)
    }
    const third = await open()
    if (!('chunks' in third)) throw new Error('The body was not kept.')
    const [kept = '', ...more] = third.chunks
    expect(more).toEqual([])
    expect(unpack(toBytes(kept)).toString()).toBe(plain)
    const fourth = await open()
    expect('chunks' in fourth && [...fourth.chunks][0] === kept, 'compressed only once').toBe(true)
    // A part of Node's pool would keep all of the pool.
    expect(toBytes(kept).buffer.byteLength).toBe(third.size)
  })

  it('is kept by the next client if the first one went away', async () => {
    const compressor = new Compressor()
    const open = async () => {
      const body = await compressor.compressBody({ key: 'pull 2', chunks, size }, [coding])
      if (!('pieces' in body)) throw new Error('The body was kept.')
      return body.pieces
    }
    for await (const _piece of await open()) break
    await readAll(await open())
    expect(await compressor.compressBody({ key: 'pull 2', chunks, size }, [coding])).toHaveProperty('chunks')
  })
})
