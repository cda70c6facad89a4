/** Functions that read text of a request, each against an independent reading of the same text. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { catalogue } from '../../src/catalogue.ts'
import { findMediaTypeWeight, parseWeights, prefersCsv } from '../../src/contract/accept.ts'
import { toCsv } from '../../src/contract/csv.ts'
import { GatewayError } from '../../src/contract/errors.ts'
import { matchesETag, readNumberTags } from '../../src/contract/etag.ts'
import { chooseSupportedLanguage, isLanguage } from '../../src/contract/language.ts'
import { JsonError, maxDepth, parseJson, toCanonicalJson } from '../../src/kernel/json.ts'
import { Router } from '../../src/pipeline/router.ts'
import { parseQuery } from '../../src/pipeline/stages/parse.ts'
import { type FuzzTarget, pureTarget, requireThat, soupOf } from './target.ts'

const jsonWords = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"b"',
  '"\\u0061"',
  '"__proto__"',
  '"\\\\"',
  '"',
  '1',
  '1e309',
]
/** Whole objects whose keys are few and spelled differently, so that some of them are the same key. */
const { value: objectText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('1', '"a"', '"\\""', 'null', '[]'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc
      .array(
        fc.tuple(
          fc.constantFrom('"a"', '"\\u0061"', '"b"', '"a\\""', '"\\u005f_proto__"', '""'),
          tie('value'),
        ),
        {
          maxLength: 3,
        },
      )
      .map((fields) => `{${fields.map(([key, value]) => `${key} :${value}`).join()}}`),
  ),
}))
const jsonText = fc.oneof(
  soupOf([...jsonWords, '-0', 'null', 'true', ' ', '\n', '\\', '\ud800', '\ufeff', '"\\ud800"']),
  objectText,
  fc.json(),
  fc.integer({ min: 30, max: 35 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
)

/** Counts keys by reading the text as a row of strings, without the parser. */
function countKeys(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gs)].filter(([, colon]) => colon !== undefined).length
}

function countOwnKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce((sum: number, each) => sum + countOwnKeys(each), 0)
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

/** Returns what `JSON.parse` reads; undefined if it reads nothing. */
function readAnyJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const forbiddenKey = /"(?:__proto__|constructor|prototype)"\s*:/

/** Whether a text is JSON without the flaws for which the gateway refuses more than `JSON.parse` does. */
function isPlainJson(written: string): boolean {
  const any = readAnyJson(written)
  if (!any) return false
  const isSpelledOnce = !written.includes('\\u')
  const hasPlainKeys = countKeys(written) === countOwnKeys(any.value) && !forbiddenKey.test(written)
  return isSpelledOnce && hasPlainKeys && measureDepth(any.value) <= maxDepth
}

function measureDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(measureDepth))
}

function checkJson(text: string): void {
  const bytes = Buffer.from(text)
  const written = bytes.toString()
  let value: unknown
  try {
    value = parseJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    requireThat(!isPlainJson(written), `a text without a flaw was refused: ${error.fault}`)
    return
  }
  requireThat(
    JSON.stringify(value) === JSON.stringify(readAnyJson(written)?.value),
    'another parser reads another value',
  )
  requireThat(countKeys(written) === countOwnKeys(value), 'a duplicate key was accepted')
  const canonical = toCanonicalJson(value)
  requireThat(toCanonicalJson(JSON.parse(canonical)) === canonical, 'the canonical text is not canonical')
  // As `JSON.stringify` formats numbers: `-0` as 0, and what is too large for a double as null.
  const sent: unknown = JSON.parse(JSON.stringify(value))
  requireThat(isDeepStrictEqual(JSON.parse(canonical), sent), 'the canonical text has another value')
  requireThat(!forbiddenKey.test(written), 'a forbidden key was accepted')
}

const router = new Router<string>()
for (const endpoint of catalogue) router.add(endpoint, endpoint.id)
/** The paths of the endpoints, whose parameters are plain words. */
const patterns = catalogue.map(({ id, method, path }) => ({
  ...{ id, method },
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[A-Za-z0-9]+')}$`),
}))
const segments = [
  '/',
  'api',
  'v1',
  'orders',
  'warehouses',
  'AUSYD1',
  'stock',
  'me',
  '%2f',
  '%2e',
  '..',
  '.',
  '%00',
  '%',
  '%c0%af',
  '\\',
]

function checkRoute({ method, path }: { readonly method: string; readonly path: string }): void {
  const find = () => {
    try {
      return JSON.stringify(router.match(method, path))
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
  }
  const found = find()
  requireThat(find() === found, 'the second match of a path differs')
  if (!found.startsWith('{')) {
    const known = patterns.find((each) => each.method === method && each.pattern.test(path))
    requireThat(known === undefined, `a path of ${known?.id} was refused`)
    return
  }
  for (const value of Object.values(router.match(method, path).params))
    requireThat(
      value !== '' && value !== '.' && value !== '..' && !/[/\\\0]/.test(value),
      `a parameter is ${value}`,
    )
}

function checkQuery(rawQuery: string): void {
  let query: Record<string, string>
  try {
    query = parseQuery({ rawQuery })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const parts = rawQuery.split('&').filter((part) => part !== '')
    const names = parts.map((part) => part.split('=', 1)[0])
    const isPlain = /^[a-z&=+]*$/.test(rawQuery) && new Set(names).size === names.length
    requireThat(!isPlain, 'a query without a flaw was refused')
    return
  }
  const other = JSON.stringify([...new URLSearchParams(`&${rawQuery}`)].sort())
  requireThat(JSON.stringify(Object.entries(query).sort()) === other, 'another parser reads another query')
}

const acceptWords = [
  'text/csv',
  'application/json',
  '*/*',
  'text/*',
  ';q=',
  '0',
  '1',
  '0.5',
  '1e3',
  '-1',
  'NaN',
  ',',
  ';',
  ' ',
  '=',
  '"',
]

function checkAccept(header: string): void {
  for (const weight of parseWeights([header]).values())
    requireThat(weight >= 0 && weight <= 1, `a weight is ${weight}`)
  const [csv, json] = ['text/csv', 'application/json'].map((type) => findMediaTypeWeight([header], type))
  requireThat(prefersCsv([header]) === (csv ?? 0) > (json ?? 0), 'CSV is preferred without a higher weight')
}

function checkETag(header: string): void {
  for (const numbers of readNumberTags([header]))
    for (const number of numbers.filter((each) => each !== undefined))
      requireThat(Number.isFinite(number) && number >= 0, `a tag has the number ${number}`)
  requireThat(matchesETag([`${header.replaceAll('"', '')},"x.1"`], 'W/"x.1"'), 'a tag in a list is not found')
  const hasTag = header.includes('"never.1"') || header.trim() === '*'
  requireThat(hasTag || !matchesETag([header], '"never.1"'), 'a tag is found that is not there')
}

/** Reads CSV by RFC 4180. */
function readCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)]
  requireThat(cells.map(([whole]) => whole).join('') === text, 'the CSV cannot be read')
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') rows.push([])
  }
  return rows.slice(0, -1)
}

function checkCsv(rows: readonly (readonly [string, string])[]): void {
  const [, ...read] = readCsv(
    toCsv(
      ['a', 'b'],
      rows.map(([a, b]) => ({ a, b })),
    ),
  )
  requireThat(read.length === rows.length, 'the CSV has another number of rows')
  for (const [at, row] of read.entries())
    for (const [column, cell] of row.entries()) {
      const sent = rows[at]?.[column]
      requireThat(cell === sent || cell === `'${sent}`, 'a cell has another value')
      requireThat(!/^[=+\-@\t\r\n＝＋－＠]/.test(cell), 'a cell is a formula')
    }
}

const cell = soupOf(['=', '+', '-', '@', '"', ',', '\r\n', '\n', '\t', "'", '＝', 'a', ' '])

/** Well-formed preferences, whose weights differ. */
const preferences = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom('zh', 'ko-KR', 'en', 'fr', 'zh-Hant', 'ko'), fc.integer({ min: 0, max: 9 })),
    {
      maxLength: 4,
      selector: ([, weight]) => weight,
    },
  )
  .map((wanted) => wanted.map(([tag, weight]) => `${tag};q=0.${weight}`).join(', '))

function checkLanguage(header: string): void {
  const chosen = chooseSupportedLanguage(header)
  requireThat(isLanguage(chosen), 'the language is none')
  if (!/^(?:[A-Za-z-]+;q=0\.\d(?:, |$))+$/.test(header)) return
  const wanted = header
    .split(', ')
    .map((each) => ({ tag: each.split(/[-;]/)[0], weight: Number(each.split('q=')[1]) }))
    .filter(({ tag, weight }) => isLanguage(tag) && weight > 0)
  const weights = wanted.map(({ weight }) => weight)
  if (new Set(weights).size < weights.length) return
  const best = wanted.find(({ weight }) => weight === Math.max(...weights))?.tag ?? 'en'
  requireThat(chosen === best, `${chosen} was chosen, and ${best} weighs most`)
}

export const textTargets: readonly FuzzTarget[] = [
  pureTarget('json', jsonText, checkJson),
  pureTarget(
    'router',
    fc.record({ method: fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE', 'TRACE'), path: soupOf(segments) }),
    checkRoute,
  ),
  pureTarget(
    'query',
    soupOf(
      ['a', 'b', '=', '&', '+', '%20', '%', '%ff', '%00', '__proto__', 'page', '[]', ';'],
      'binary-ascii',
    ),
    checkQuery,
  ),
  pureTarget('accept', soupOf(acceptWords), checkAccept),
  pureTarget(
    'accept-language',
    fc.oneof(soupOf(['zh', 'ko', 'en', '-CN', ';q=', '0.3', '9', ',', ' ', '*']), preferences),
    checkLanguage,
  ),
  pureTarget(
    'if-none-match',
    soupOf(['W/', '"', '"x.1"', '1', '.', '9'.repeat(16), '*', ',', ' ']),
    checkETag,
  ),
  pureTarget('csv', fc.array(fc.tuple(cell, cell), { maxLength: 5 }), checkCsv),
]
