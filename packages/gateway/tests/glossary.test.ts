import { describe, expect, it } from 'vitest'
import { languages } from '../src/contract/language.ts'
import { lacksTerm, listPassages, type Passage, readTerms } from './glossary.ts'
import { ambiguousTerms, exceptions, stems } from './glossary-exceptions.ts'

const terms = readTerms('en')
const findWords = (english: string, language: 'zh' | 'ko') => {
  const own = terms.find((term) => term.english === english)?.[language] ?? []
  return [...own, ...(stems[language][english] ?? [])]
}

describe('the glossary', () => {
  it('has the same terms in each language, each once', () => {
    expect(terms.length).toBeGreaterThan(80)
    for (const language of languages) expect(readTerms(language), language).toEqual(terms)
    expect(new Set(terms.map(({ english }) => english)).size).toBe(terms.length)
  })

  it('has every term that an exception names', () => {
    const named = [
      ...Object.keys(ambiguousTerms),
      ...Object.values(stems).flatMap((each) => Object.keys(each)),
      ...exceptions.map(({ term }) => term),
    ]
    const known = new Set(terms.map(({ english }) => english))
    expect(named.filter((term) => !known.has(term))).toEqual([])
  })
})

describe.each(['zh', 'ko'] as const)('the pages and texts in %s', (language) => {
  const passages = listPassages(language)

  it('have the glossary’s word wherever the English has the term, but for the counted exceptions', () => {
    const checked = terms.filter(({ english }) => !Object.hasOwn(ambiguousTerms, english))
    const found = checked.flatMap((term) =>
      passages
        .filter((passage) => lacksTerm(term, passage, findWords(term.english, language)))
        .map(({ place }) => `${term.english}: ${place}`),
    )
    const excused = exceptions.flatMap(({ term, [language]: places }) =>
      places.map((place) => `${term}: ${place}`),
    )
    expect(found.toSorted()).toEqual(excused.toSorted())
  })

  it('have a passage for each page and text', () => {
    const places = new Set(passages.map(({ place }) => place))
    expect(places.size).toBeGreaterThan(1_500)
    for (const place of [
      'quickstart',
      'guides/wholesale-order',
      'errors.NOT_FOUND.hint',
      'declared.me.summary',
    ])
      expect(places).toContain(place)
  })
})

describe('a passage', () => {
  const lacks = (term: string, english: string, translation: string) => {
    const row = terms.find((each) => each.english === term)
    const passage: Passage = { place: 'page', english, translation }
    return row && lacksTerm(row, passage, findWords(term, 'ko'))
  }

  it.each([
    ['plan', 'The plan decides.', '요금제가 정합니다.', true],
    ['plan', 'The plan decides.', '플랜이 정합니다.', false],
    ['plan', 'Plans decide.', '요금제가 정합니다.', true],
    ['plan', 'The field `plan` decides.', '필드가 정합니다.', false],
    ['plan', 'The explanation decides.', '설명이 정합니다.', false],
    ['plan', 'See [the list](/docs/plan).', '목록을 보세요.', false],
    ['balance', 'The balances\nfollow.', '금액이 이어집니다.', true],
    ['access token', 'An access\ntoken.', '토큰.', true],
    ['ERP, upstream', 'The upstream waits.', '시스템이 기다립니다.', true],
    ['drop-ship order', 'A drop-ship order.', '위탁배송(드롭쉬핑) 주문.', false],
    ['intercept', 'It intercepts the parcel.', '배송을 중지합니다.', false],
  ] as const)('about “%s”, %j as %j: lacks it: %s', (term, english, translation, expected) => {
    expect(lacks(term, english, translation)).toBe(expected)
  })
})
