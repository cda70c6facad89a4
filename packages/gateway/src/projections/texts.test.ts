/**
 * Checks of translations that the compiler cannot make. The last suite runs every check on a broken text, which shows
 * that each check can fail.
 */

import { describe, expect, it } from 'vitest'
import { listAllTexts } from '../../tests/all-texts.ts'

/** Returns the problems of one translation. */
type Check = (english: string, translation: string) => string[]

/** Texts whose translation may equal the English, such as a product name. */
const sameEverywhere = [
  'diagrams.architecture.arrows.admin',
  'diagrams.architecture.arrows.mcp',
  'diagrams.architecture.arrows.rest',
  'diagrams.webhook.arrows.delay',
]
const sameOnPurpose: Readonly<Record<'zh' | 'ko', readonly string[]>> = {
  zh: sameEverywhere,
  ko: sameEverywhere,
}

/** An English term outside code, and its only translation. */
const glossary: readonly { readonly english: RegExp; readonly zh: string; readonly ko: string }[] = [
  { english: /\bwarehouses?\b/i, zh: '仓库', ko: '창고' },
  { english: /\bstock\b/i, zh: '库存', ko: '재고' },
  { english: /\bdrop-ship\b/i, zh: '一件代发', ko: '위탁배송' },
  { english: /\bwholesale orders?\b/i, zh: '批发订单', ko: '도매 주문' },
  { english: /\btokens?\b/i, zh: '令牌', ko: '토큰' },
  { english: /\bchannels?\b/i, zh: '渠道', ko: '채널' },
  { english: /\bpoints\b/i, zh: '点', ko: '포인트' },
  { english: /\baccount manager\b/i, zh: '客户经理', ko: '담당 매니저' },
  { english: /\bcapability\b/i, zh: '权限', ko: '권한' },
  { english: /\ballowlist\b/i, zh: '白名单', ko: '허용 목록' },
  { english: /\bplans?\b/i, zh: '套餐', ko: '플랜' },
  { english: /\bstatements?\b/i, zh: '对账', ko: '정산' },
]

const placeholder = /\{\w+\}/g

/** English: a number that may be 1 followed by a plural, as in “1 points”. Limits (`{most}`) are never 1. */
const countedPlural =
  /\{(?:n|count|cost|remaining|limit|seconds|expected|size|rows)\} (?:more |further |other )?[a-z]+s\b/

/** Texts whose number is never 1. */
const neverOne = [
  'sentences.request_timeout',
  'sentences.answer_too_large',
  'site.points_many',
  'site.many_endpoints',
]

/** Identifiers that are not translated: paths, `error.param`, `client_id`, `Retry-After`, `ADMIN_TOKEN`, `SKU`. */
const codeWords = [
  /(?<![\w<])\/[A-Za-z][\w-]*(?:\/[\w*-]+)*/g,
  /\b[a-z][a-z_]*(?:\.[a-z_]+)+\b/g,
  /\b[a-z]+(?:_[a-z]+)+\b/g,
  /\b[A-Z][a-z]+(?:-[A-Z][a-z]+)+\b/g,
  /\bx(?:-[a-z]+)+\b/g,
  /\b[A-Z][A-Z0-9_]+\b/g,
  /<\w+>/g,
]

/** English words in capitals for emphasis. */
const emphasis = new Set(['SAME'])

const checkNotEmpty: Check = (_english, translation) => (translation.trim() === '' ? ['is empty'] : [])

const checkPlaceholders: Check = (english, translation) => {
  const wanted = listMatches(placeholder, english).sort().join(' ')
  const present = listMatches(placeholder, translation).sort().join(' ')
  return wanted === present ? [] : [`has the placeholders [${present}] and not [${wanted}]`]
}

const checkCodeWords: Check = (english, translation) => {
  const present = new Set(listCodeWords(translation))
  return listCodeWords(english)
    .filter((word) => !present.has(word))
    .map((word) => `lacks ${word}`)
}

const checkSpaces: Check = (_english, translation) => [
  ...listComplaints(/\u3000/g, translation, 'has a full-width space'),
  ...listComplaints(/^\s|\s$| {2}/g, translation, 'has a space too many'),
]

/** Chinese: full-width punctuation, and one half-width space between Han and Latin, digits or placeholders. */
const checkChineseTypography: Check = (_english, translation) => [
  ...listComplaints(/\p{sc=Han}[,.;:!?'"()]/gu, translation, 'has half-width punctuation after Han'),
  ...listComplaints(/[,.;:!?'"()]\p{sc=Han}/gu, translation, 'has half-width punctuation before Han'),
  ...listComplaints(/\p{sc=Han}[A-Za-z0-9{<]/gu, translation, 'has no space between Han and Latin'),
  ...listComplaints(/[A-Za-z0-9}>]\p{sc=Han}/gu, translation, 'has no space between Latin and Han'),
  ...listComplaints(/\p{sc=Han} +\p{sc=Han}/gu, translation, 'has a space between Han and Han'),
  ...listComplaints(
    / [，。：；！？、（）“”]|[，。：；！？、（）“”] /g,
    translation,
    'has a space beside full-width',
  ),
]

/**
 * Korean: half-width punctuation, and one register: -습니다 for statements, -하세요 for instructions. A noun phrase may end
 * with a full stop before the sentence that explains it. texts-ko.test.ts has further rules for Korean.
 */
const checkKoreanStyle: Check = (_english, translation) => [
  ...listComplaints(/[，。：；！？、（）]/g, translation, 'has full-width punctuation'),
  ...listComplaints(/\p{sc=Han}/gu, translation, 'has a Chinese character'),
  ...listComplaints(
    /(?<!니다|세요|나요|^아니요)(?<=[다라요까])[.?](?=\s|$)/gu,
    translation,
    'has a sentence in another register',
  ),
]

const createGlossaryCheck =
  (language: 'zh' | 'ko'): Check =>
  (english, translation) => {
    const prose = [placeholder, ...codeWords].reduce((rest, pattern) => rest.replace(pattern, ' '), english)
    return glossary
      .filter((term) => term.english.test(prose) && !translation.includes(term[language]))
      .map((term) => `does not say ${term[language]}`)
  }

const checksOfEveryLanguage = [checkNotEmpty, checkPlaceholders, checkCodeWords, checkSpaces]
const checks: Readonly<Record<'zh' | 'ko', readonly Check[]>> = {
  zh: [...checksOfEveryLanguage, checkChineseTypography, createGlossaryCheck('zh')],
  ko: [...checksOfEveryLanguage, checkKoreanStyle, createGlossaryCheck('ko')],
}

describe.each(['zh', 'ko'] as const)('the texts in %s', (language) => {
  const english = listAllTexts('en')
  const translation = listAllTexts(language)

  it('are those of English, no more and no fewer', () => {
    expect([...translation.keys()].sort()).toEqual([...english.keys()].sort())
  })

  it('say what the English texts say to programs, in the typography and the words of the language', () => {
    const wrong = [...english].flatMap(([name, text]) =>
      listProblems(language, text, translation.get(name) ?? '').map((problem) => `${name} ${problem}`),
    )
    expect(wrong).toEqual([])
  })

  it('are translated, but for those that are the same on purpose', () => {
    const same = [...english].filter(([name, text]) => translation.get(name) === text).map(([name]) => name)
    expect(same.sort()).toEqual(sameOnPurpose[language])
  })
})

describe('the texts in en', () => {
  it('are right for every number: none has a plural after a number that may be 1', () => {
    const plural = [...listAllTexts('en')].filter(([, text]) => countedPlural.test(text))
    expect(plural.map(([name]) => name).filter((name) => !neverOne.includes(name))).toEqual([])
    expect('Wait {seconds} seconds.').toMatch(countedPlural)
  })

  it('are not empty and have no odd spaces', () => {
    const wrong = [...listAllTexts('en')].flatMap(([name, text]) =>
      [checkNotEmpty, checkSpaces]
        .flatMap((check) => check(text, text))
        .map((problem) => `${name} ${problem}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('a broken text is reported', () => {
  it.each([
    ['zh', 'Gone.', ' ', 'is empty'],
    ['zh', 'Wait {seconds}.', '请等待。', 'has the placeholders [] and not [{seconds}]'],
    ['ko', 'From {a}.', '{a}부터 {b}까지입니다.', 'has the placeholders [{a} {b}] and not [{a}]'],
    ['ko', 'It has {n}.', '{m}개입니다.', 'has the placeholders [{m}] and not [{n}]'],
    ['zh', 'Set ADMIN_TOKEN.', '请设置 ADMIN_TOKE。', 'lacks ADMIN_TOKEN'],
    ['zh', 'See GET /api/v1/plan-requests.', '见 GET /api/v1/plan。', 'lacks /api/v1/plan-requests'],
    ['zh', 'See error.param.', '见 error.params。', 'lacks error.param'],
    ['ko', 'Send client_id.', 'clientId를 보내세요.', 'lacks client_id'],
    ['ko', 'See Retry-After.', 'Retry After를 보세요.', 'lacks Retry-After'],
    ['ko', 'Send x-admin-token.', 'X-Admin-Token을 보내세요.', 'lacks x-admin-token'],
    ['ko', 'An unknown SKU.', '알 수 없는 품목입니다.', 'lacks SKU'],
    ['ko', 'Legacy (/Api/*).', '이전 경로(/api/*)입니다.', 'lacks /Api/*'],
    ['zh', 'Yes.', '是的。\u3000好。', 'has a full-width space: “\u3000”'],
    ['zh', 'Yes.', '是的,好。', 'has half-width punctuation after Han: “的,”'],
    ['zh', 'Yes.', '是的.', 'has half-width punctuation after Han: “的.”'],
    ['zh', 'Yes.', '是 (好)', 'has half-width punctuation before Han: “(好”'],
    ['zh', 'An ERP.', '一个ERP。', 'has no space between Han and Latin: “个E”'],
    ['zh', '{n} seconds', '{n}秒', 'has no space between Latin and Han: “}秒”'],
    ['zh', 'Yes.', '是 的。', 'has a space between Han and Han: “是 的”'],
    ['zh', 'An ERP.', '一个 ERP 。', 'has a space beside full-width: “ 。”'],
    ['ko', 'Yes.', '맞습니다。', 'has full-width punctuation: “。”'],
    ['ko', 'Stock.', '在庫 재고입니다.', 'has a Chinese character: “在”'],
    ['ko', 'Wait.', '기다려라. 끝났습니다.', 'has a sentence in another register: “.”'],
    ['ko', 'A list.', '목록을 조회합니다. 끝났어요.', 'has a sentence in another register: “.”'],
    ['zh', 'The allowlist.', '允许列表。', 'does not say 白名单'],
    ['ko', 'The plan.', '요금제입니다.', 'does not say 플랜'],
  ] as const)('%s: %s → %s', (language, english, translation, problem) => {
    expect(listProblems(language, english, translation)).toContain(problem)
  })
})

function listProblems(language: 'zh' | 'ko', english: string, translation: string): string[] {
  return checks[language].flatMap((check) => check(english, translation))
}

function listComplaints(pattern: RegExp, text: string, problem: string): string[] {
  return listMatches(pattern, text).map((part) => `${problem}: “${part}”`)
}

function listCodeWords(text: string): string[] {
  const prose = text.replace(placeholder, ' ')
  return codeWords.flatMap((pattern) => listMatches(pattern, prose)).filter((word) => !emphasis.has(word))
}

function listMatches(pattern: RegExp, text: string): string[] {
  return Array.from(text.matchAll(pattern), ([part]) => part)
}
