/**
 * The catalogue that a file gives the sandbox ERP: files that were written from rows in some spelling of CSV, and
 * rubbish.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Catalogue } from '../../../sandbox-erp/src/catalogue/catalogue.ts'
import { CatalogueError, readCatalogueFile } from '../../../sandbox-erp/src/catalogue/file.ts'
import { type FuzzTarget, requireThat, soupOf } from './target.ts'

const optionalColumns = ['quantity', 'brand', 'color', 'barcode', 'weight_g', 'name_zh'] as const
const columns = ['sku', 'name', 'price_wholesale', ...optionalColumns] as const
type Column = (typeof columns)[number]

/** Why a row cannot be used. */
const flaws = [
  'line break',
  'no name',
  'free',
  'negative',
  'too short',
  'too long',
  'same SKU',
  'code',
] as const

interface Row {
  /** The name in the file. Its line breaks make the row unusable. */
  readonly name: string
  /** In minor units. */
  readonly price: number
  readonly quantity: number
  readonly text: string
  readonly weight: number | null
  readonly flaw: (typeof flaws)[number] | null
  /** The number of empty lines before the row. */
  readonly gap: number
}

/** A file that is written from rows. */
interface Written {
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
  /** How the header spells its names. */
  readonly spelling: 'plain' | 'capital' | 'spaced'
  readonly lineEnd: '\n' | '\r\n'
  readonly quotes: 'all' | 'needed'
  readonly hasMark: boolean
  readonly endsWithLineEnd: boolean
  readonly isPacked: boolean
}

/** A file that nobody wrote as a catalogue. */
interface Rubbish {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1' | 'utf16le'
  /** Whether it is packed, and whether its end is missing. */
  readonly packing: 'none' | 'whole' | 'cut'
}

type Input = Written | Rubbish

const words = ['Cap', 'a', ' ', ',', '"', "'", ';', '字', 'é', '😀', '=1', '\\', '""', '/', '‮', '0', '-']
const word = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))

const row: fc.Arbitrary<Row> = fc.record({
  // A name of blanks is none.
  name: word.map((text) => `N${text}`),
  price: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(99_999_999_999_999)),
  quantity: fc.oneof(fc.nat({ max: 50 }), fc.constant(999_999_999_999_999)),
  text: fc.oneof(fc.constant(''), word),
  weight: fc.option(fc.nat({ max: 9_999 })),
  flaw: fc.option(fc.constantFrom(...flaws), { freq: 1 }),
  gap: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) }),
})

const written: fc.Arbitrary<Written> = fc.record({
  rows: fc.array(row, { maxLength: 8 }),
  columns: fc
    .subarray([...optionalColumns])
    .chain((some) => fc.shuffledSubarray([...columns.slice(0, 3), ...some], { minLength: some.length + 3 })),
  spelling: fc.constantFrom('plain', 'capital', 'spaced'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  quotes: fc.constantFrom('all', 'needed'),
  hasMark: fc.boolean(),
  endsWithLineEnd: fc.boolean(),
  isPacked: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
})

const rubbishText = soupOf([
  ...[
    'sku,name,price_wholesale\n',
    'SKU,Name,Price-Wholesale\r\n',
    'sku,sku\n',
    'A,Name,1\n',
    'B,"x",2.50\r\n',
  ],
  ...[',', '"', '""', '\n', '\r\n', '\r', ';', '\t', '\ufeff', '\0', '\ud800', '1e3', '-1', ' ', '\x1b[31m'],
  ...['"never closed', '5" ruler', `${'9'.repeat(20)}`, 'x'.repeat(300), '"a\nb"', '__proto__', '\u2028'],
])

const rubbish: fc.Arbitrary<Rubbish> = fc.record({
  text: rubbishText,
  encoding: fc.constantFrom('utf8', 'utf8', 'utf8', 'latin1', 'utf16le'),
  packing: fc.constantFrom('none', 'none', 'none', 'none', 'whole', 'cut'),
})

/** Spells a name of a column differently. */
const spellings: Readonly<Record<Written['spelling'], (name: string) => string>> = {
  plain: (name) => name,
  capital: (name) => name.toUpperCase(),
  spaced: (name) => ` ${name.replaceAll('_', ' ')} `,
}

/** Codes of SKUs, of which each row has its own. */
const toCode = (at: number) => `SKU-${at}`

function listFields({ name, price, quantity, text, weight, flaw }: Row, sku: string): Record<Column, string> {
  const amount = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`
  const sign = flaw === 'negative' ? '-' : ''
  return {
    sku: flaw === 'code' ? ` ${sku}` : sku,
    name: flaw === 'no name' ? ' ' : flaw === 'line break' ? `${name}\n${name}` : name,
    price_wholesale: flaw === 'free' ? '0.00' : `${sign}${amount}`,
    quantity: String(quantity),
    ...{ brand: text, color: text, barcode: text, name_zh: text },
    weight_g: weight === null ? '' : String(weight),
  }
}

function writeField(value: string, { quotes, lineEnd }: Written): string {
  const isPlain = quotes === 'needed' && !/[",\r\n]/.test(value)
  return isPlain ? value : `"${value.replaceAll('"', '""').replaceAll('\n', lineEnd)}"`
}

/** A row as it was written, and the line on which it begins. */
interface Line {
  readonly at: number
  readonly row: Row
  readonly line: number
}

/** Writes a file, and notes on which line each row begins. */
function writeCatalogue(file: Written): { readonly text: string; readonly lines: readonly Line[] } {
  const writeLine = (fields: readonly string[]) => fields.map((each) => writeField(each, file)).join()
  const parts = [writeLine(file.columns.map(spellings[file.spelling]))]
  const lines: Line[] = []
  for (const [at, each] of file.rows.entries()) {
    parts.push(...Array<string>(each.gap).fill(''))
    lines.push({ at, row: each, line: parts.join('\n').split('\n').length + 1 })
    const known = lines.find(({ row: { flaw } }) => flaw === null)
    // A SKU that no row before has is repeated as one without a price.
    const repeated = each.flaw === 'same SKU' && !known ? ({ ...each, flaw: 'free' } as const) : each
    const values = listFields(repeated, toCode(repeated.flaw === 'same SKU' && known ? known.at : at))
    const fields = file.columns.map((column) => values[column])
    if (each.flaw === 'too short') fields.pop()
    if (each.flaw === 'too long') fields.push('more')
    parts.push(writeLine(fields))
  }
  const end = file.endsWithLineEnd ? file.lineEnd : ''
  return { text: `${file.hasMark ? '\ufeff' : ''}${parts.join(file.lineEnd)}${end}`, lines }
}

/** What must be read of a row, besides what all rows have in common. */
function toExpected(
  { at, row: { name, price, quantity, text, weight } }: Line,
  has: (column: Column) => boolean,
) {
  const optional = (column: Column) => (has(column) && text !== '' ? text : null)
  const names = { en: name, ...(optional('name_zh') === null ? {} : { zh: text }) }
  const prices = { price_wholesale: price, price_retail: price * 2 }
  const sku = toCode(at)
  return {
    product: {
      ...{ product_code: sku, names, brand: optional('brand'), category: null, season: null },
      ...{ status: 'active', images: [], ...prices, currency: 'AUD' },
    },
    sku: {
      ...{ sku, barcode: optional('barcode'), color: optional('color'), size: null, ...prices },
      weight_g: has('weight_g') ? weight : null,
    },
    stock: {
      warehouse_code: 'AUSYD1',
      sku,
      quantity: has('quantity') ? quantity : 0,
      ...prices,
      incoming: [],
    },
  }
}

/** The outcome of reading a file. Throws what is neither a catalogue nor a sentence. */
async function readOutcome(path: string): Promise<Catalogue | string> {
  try {
    return await readCatalogueFile(path, { today: '2026-11-21' })
  } catch (error) {
    if (error instanceof CatalogueError) return error.message.replaceAll(path, 'FILE')
    throw error
  }
}

function checkWritten(lines: readonly Line[], columnsOfFile: readonly Column[], outcome: Catalogue | string) {
  const good = lines.filter(({ row: { flaw } }) => flaw === null)
  if (good.length === 0) {
    requireThat(typeof outcome === 'string', 'a file without a good line is a catalogue')
    const [first] = lines
    const place = first === undefined ? 'no line below the header' : `line ${first.line}: `
    requireThat(outcome.includes(place), `the sentence does not say where: ${outcome}`)
    return
  }
  requireThat(typeof outcome !== 'string', `a file with good lines is refused: ${outcome}`)
  const read = outcome.products.map(({ skus, updated_at: _time, ...product }) => ({ product, skus }))
  const expected = good.map((each) => toExpected(each, (column) => columnsOfFile.includes(column)))
  const products = expected.map(({ product, sku }) => ({ product, skus: [sku] }))
  requireThat(isDeepStrictEqual(read, products), 'the products differ')
  const stock = expected.map((each) => each.stock)
  requireThat(isDeepStrictEqual(outcome.stock, stock), 'the stock differs')
  const leftOut = outcome.left_out.map(({ line }) => line).join()
  const bad = lines.filter((each) => !good.includes(each)).map(({ line }) => line)
  requireThat(leftOut === bad.join(), `the lines ${leftOut} are left out, not ${bad.join()}`)
}

const maxSentenceCharacters = 1_000

/** A sentence for an operator: one line, and for a mistake below the header with the number of its line. */
function requireSentence(sentence: string, countOfLines: number): void {
  const story = JSON.stringify(sentence)
  requireThat(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+\.$/u.test(sentence), `it is no sentence of one line: ${story}`)
  requireThat(sentence.length <= maxSentenceCharacters, `the sentence is too long: ${story.slice(0, 300)}`)
  if (!/well-formed|can be used/.test(sentence) || sentence.includes('no line below')) return
  const [, line = ''] = /\bline (\d+)/.exec(sentence) ?? []
  requireThat(Number(line) >= 1 && Number(line) <= countOfLines, `the sentence does not say where: ${story}`)
}

function requireReasons(outcome: Catalogue, countOfLines: number): void {
  for (const { line, reason } of outcome.left_out) {
    requireThat(line >= 1 && line <= countOfLines, `line ${line} is left out of ${countOfLines}`)
    requireThat(
      /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u.test(reason),
      `a reason is no line: ${JSON.stringify(reason)}`,
    )
  }
}

/** Counts lines as editors do that count the most: a carriage return alone ends one, too. */
const countLines = (bytes: Buffer) => bytes.toString().split(/\r\n|[\r\n]/).length

function packRubbish({ text, encoding, packing }: Rubbish): Buffer {
  const bytes = Buffer.from(text, encoding)
  const packed = packing === 'none' ? bytes : gzipSync(bytes)
  return packing === 'cut' ? packed.subarray(0, packed.length / 2) : packed
}

export const catalogueFile: FuzzTarget<Input> = {
  name: 'catalogue-csv',
  inputs: fc.oneof(written, rubbish),
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-catalogue-'))
    const readBytes = async (bytes: Buffer, isPacked: boolean) => {
      const path = join(folder, isPacked ? 'catalogue.csv.gz' : 'catalogue.csv')
      await writeFile(path, bytes)
      return readOutcome(path)
    }
    return {
      async check(input) {
        if ('encoding' in input) {
          const outcome = await readBytes(packRubbish(input), input.packing !== 'none')
          const count = countLines(Buffer.from(input.text, input.encoding))
          if (typeof outcome === 'string') requireSentence(outcome, count)
          else requireReasons(outcome, count)
          return
        }
        const { text, lines } = writeCatalogue(input)
        const bytes = input.isPacked ? gzipSync(text) : Buffer.from(text)
        const outcome = await readBytes(bytes, input.isPacked)
        if (typeof outcome === 'string') requireSentence(outcome, countLines(Buffer.from(text)))
        checkWritten(lines, input.columns, outcome)
      },
      close: () => rm(folder, { recursive: true }),
    }
  },
}
