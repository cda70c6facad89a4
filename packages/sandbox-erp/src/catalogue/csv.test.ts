import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CsvLimits, type CsvRecord, readCsv, toCsvField } from './csv.ts'

const limits: CsvLimits = { max_bytes: 1_000_000, max_lines: 100_000 }
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-csv-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function readRecords(content: string | Buffer, name = 'x.csv', within = limits): Promise<CsvRecord[]> {
  const path = join(directory, name)
  await writeFile(path, content)
  const records: CsvRecord[] = []
  for await (const record of readCsv(path, within)) records.push(record)
  return records
}

describe('a CSV file', () => {
  it('is unpacked when its name ends in .gz', async () => {
    const records = await readRecords(gzipSync('a,b\n1,2\n'), 'x.csv.gz')
    expect(records).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1', '2'] },
    ])
  })

  it('keeps characters and line ends whole that fall between two pieces of the file', async () => {
    const text = '字é€😀,"x\r\ny"\r\n'.repeat(20_000)
    const records = await readRecords(text)
    expect(records).toHaveLength(20_000)
    expect(records.every(({ fields }) => fields.join('|') === '字é€😀|x\ny')).toBe(true)
    expect(records.at(-1)?.line).toBe(39_999)
  })

  it('has no more lines than allowed', async () => {
    await expect(readRecords('a\nb\nc\n', 'x.csv', { ...limits, max_lines: 2 })).rejects.toThrow(
      /has more than 2 lines\.$/,
    )
    expect(await readRecords('a\nb\n', 'x.csv', { ...limits, max_lines: 2 })).toHaveLength(2)
  })

  it('has no more bytes than allowed, counted after unpacking', async () => {
    const bomb = gzipSync(`${'a'.repeat(999)}\n`.repeat(2_000))
    await expect(readRecords(bomb, 'x.csv.gz')).rejects.toThrow(/has more than 1000000 bytes of text\.$/)
  })

  it('does not gather the rest of the file behind a quote that is never closed', async () => {
    await expect(readRecords(`"${'a\n'.repeat(100_000)}`)).rejects.toThrow(
      /is not well-formed CSV\. Max Record/,
    )
  })

  it('is refused if it is cut off or not compressed', async () => {
    await expect(readRecords(gzipSync('a,b\n1,2\n').subarray(0, 20), 'x.csv.gz')).rejects.toThrow(
      /cannot be unpacked: unexpected end of file\.$/,
    )
    await expect(readRecords('a,b\n', 'x.csv.gz')).rejects.toThrow(
      /cannot be unpacked: incorrect header check\.$/,
    )
  })

  it('can be left before its end', async () => {
    const path = join(directory, 'long.csv')
    await writeFile(path, 'a,b\n'.repeat(100_000))
    const records = readCsv(path, limits)
    expect((await records.next()).value).toEqual({ line: 1, fields: ['a', 'b'] })
    expect(await records.return(undefined)).toEqual({ done: true, value: undefined })
  })
})

describe('a field of CSV', () => {
  it.each(['plain', 'a,b', 'say "x"', 'two\nlines', ' spaced ', '', "it's"])(
    'reads back as it was written: %j',
    async (value) => {
      const [record] = await readRecords(`first,${toCsvField(value)}\n`)
      expect(record?.fields).toEqual(['first', value])
    },
  )
})
