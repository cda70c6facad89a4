import { describe, expect, it } from 'vitest'
import { acceptsGzip, chooseCoding, findMediaTypeWeight, prefersCsv, prefersMarkdown } from './accept.ts'
import { chooseSupportedLanguage } from './language.ts'

describe('an Accept header', () => {
  it.each([
    [[], false],
    [['*/*'], false],
    [['application/json'], false],
    [['text/csv'], true],
    [['TEXT/CSV; charset=utf-8'], true],
    [['text/*'], true],
    [['text/csv, */*;q=0.1'], true],
    [['application/json;q=0.9, text/csv'], true],
    [['text/csv;q=0.2, application/json;q=0.3'], false],
    [['text/csv, application/json'], false],
    [['text/csv;q=0'], false],
    [['text/csv;q=0, */*'], false],
    [['application/json;q=0, */*'], true],
    [['text/csv;q=0.001'], true],
    [['text/csv;q=2'], false],
    [['text/csv;q=nonsense'], false],
    [['application/json;q=0.5', 'text/csv;q=0.6'], true],
    [['text/html, application/xhtml+xml, */*;q=0.8'], false],
  ])('%j wants CSV: %s', (headers, isWanted) => {
    expect(prefersCsv(headers)).toBe(isWanted)
  })

  it('weighs a type by the most specific range that names it', () => {
    expect(findMediaTypeWeight(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'text/csv')).toBe(0.7)
    expect(findMediaTypeWeight(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'text/plain')).toBe(0.3)
    expect(findMediaTypeWeight(['text/*;q=0.3, text/csv;q=0.7, */*;q=0.5'], 'image/png')).toBe(0.5)
    expect(findMediaTypeWeight(['text/csv'], 'image/png')).toBe(0)
  })

  it.each([
    [[], false],
    [['*/*'], false],
    [['text/*'], false],
    [['text/markdown'], true],
    [['text/markdown, text/html'], true],
    [['text/markdown;q=0.5, text/html;q=0.6'], false],
    [['text/html', 'text/markdown;q=0.9'], false],
    [['text/markdown;q=0'], false],
    [['text/markdown;q=nonsense'], false],
    [['text/markdown;q=-1'], false],
  ])('%j wants Markdown: %s', (headers, isWanted) => {
    expect(prefersMarkdown(headers)).toBe(isWanted)
  })

  it('is read up to a bound', () => {
    expect(prefersMarkdown([`${'text/plain,'.repeat(200)}text/markdown`])).toBe(false)
  })

  it('is read past what is no element of it', () => {
    expect(
      findMediaTypeWeight([',, ;q=1, "text/csv", text/csv;q=0.4;x="a,b;q=1", */*;q=0'], 'text/csv'),
    ).toBe(0.4)
  })
})

describe('an Accept-Encoding header', () => {
  it.each([
    [[], false],
    [[''], false],
    [['gzip'], true],
    [['GZIP;q=0.001'], true],
    [['x-gzip'], true],
    [['br, gzip'], true],
    [['br', 'gzip'], true],
    [['gzip;q=0'], false],
    [['gzip;q=0.000, *'], false],
    [['gzip;q=nonsense'], false],
    [['*'], true],
    [['*;q=0'], false],
    [['identity'], false],
  ])('%j allows gzip: %s', (headers, isAllowed) => {
    expect(acceptsGzip(headers)).toBe(isAllowed)
    expect(chooseCoding(headers)).toBe(isAllowed ? 'gzip' : undefined)
  })

  it.each([
    [['gzip, deflate, br, zstd'], 'zstd'],
    [['zstd, gzip;q=0.5'], 'zstd'],
    [['zstd;q=0.5, gzip'], 'gzip'],
    [['zstd;q=0, gzip'], 'gzip'],
    [['zstd;q=0.5, *'], 'gzip'],
    [['zstd'], 'zstd'],
    [['zstd;q=0'], undefined],
  ])('%j asks for %s', (headers, coding) => {
    expect(chooseCoding(headers)).toBe(coding)
  })
})

describe('an Accept-Language header', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['zh', 'zh'],
    ['ZH-Hant-TW', 'zh'],
    ['zhx', 'en'],
    ['fr, ko;q=0.5, zh;q=0.4', 'ko'],
    ['ko;q=0.5, zh;q=0.5', 'ko'],
    ['ko;q=0, zh;q=0.001', 'zh'],
    ['ko;q=0', 'en'],
    ['ko;q=2, zh;q=0.1', 'zh'],
    ['ko;q=nonsense', 'en'],
    ['ko ; q=0.2 , en;q=0.1', 'ko'],
  ])('%j is in %s', (header, language) => {
    expect(chooseSupportedLanguage(header)).toBe(language)
  })
})
