import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listColumns, toCsv } from './csv.ts'

const formatCell = (value: unknown) => toCsv(['a'], [{ a: value }]).slice('a\r\n'.length, -'\r\n'.length)

describe('a CSV', () => {
  it('has a header row, CRLF, and quotes only where they are needed', () => {
    const rows = [
      { b: 'x, "y"', a: 1 },
      { a: -12.5, b: 'line\nbreak' },
      { a: null, b: ' padded ' },
      { a: true },
    ]
    expect(toCsv(['a', 'b'], rows)).toBe(
      'a,b\r\n1,"x, ""y"""\r\n-12.5,"line\nbreak"\r\n," padded "\r\ntrue,\r\n',
    )
  })

  it('has its header row alone where there is nothing', () => {
    expect(toCsv(['a', 'b'], [])).toBe('a,b\r\n')
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x'])(
    'keeps a spreadsheet from running the text %s',
    (text) => {
      expect(formatCell(text)).toBe(`'${text}`)
    },
  )

  it.each(['=1', "'=1", "''＠x", "'", "'tis", "''", "a'=1"])(
    'gives %j back to a reader that removes one apostrophe before a formula',
    (text) => {
      const cell = formatCell(text)
      expect(/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell).toBe(text)
    },
  )

  it('keeps a spreadsheet from running what is quoted too, and leaves numbers numbers', () => {
    expect(formatCell('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`)
    expect(formatCell('\t=1')).toBe(`'\t=1`)
    expect(formatCell('\r=1')).toBe(`"'\r=1"`)
    expect(formatCell(-1)).toBe('-1')
    expect(formatCell('a=1')).toBe('a=1')
  })
})

describe('the columns of a list', () => {
  it('are the fields of its rows, and those of anything else are a mistake', () => {
    const rows = z.object({ data: z.array(z.object({ b: z.string(), a: z.string() })) })
    expect(listColumns({ id: 'x', result: rows })).toEqual(['b', 'a'])
    expect(() => listColumns({ id: 'x', result: z.object({ data: z.string() }) })).toThrow(
      'x is not a list of rows.',
    )
  })
})
