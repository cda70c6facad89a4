import { describe, expect, it } from 'vitest'
import { en } from '../contract/texts/en.ts'
import { ko } from '../contract/texts/ko.ts'
import { flattenTexts } from '../contract/texts/table-texts.ts'
import { docsFolder, readSource } from '../pages/docs/library.ts'
import { writtenDocs } from '../pages/docs/tree.ts'
import { declaredTexts } from '../translations/declared.ts'

/**
 * Rules for Korean alone, for texts and guides. texts.test.ts has the rules for all translations. Each check returns
 * the problems of one text.
 */
type Check = (text: string) => string[]

/** Refuses 은(는) and similar double particles. A noun before the particle decides which one is right. */
const checkParticles: Check = (text) =>
  listMatches(/은\(는\)|이\(가\)|을\(를\)|[과와]\([와과]\)|\(으\)로|\(이\)[가-힣]/g, text).map(
    (part) => `has both particles: ${part}`,
  )

/**
 * Requires a noun between a placeholder and its particle, because the particle depends on the last sound of an unknown
 * value: “{setting} 설정으로”, not “{setting}로”.
 */
const checkNounAfterPlaceholder: Check = (text) => [
  ...listMatches(
    /\{\w+\}(?:은|는|이|가|을|를|과|와|으로|로|의|에|에서|에는|부터|까지|까지만)(?![가-힣])/g,
    text,
  ).map((part) => `has a particle on a placeholder: ${part}`),
  ...listMatches(/\{\w+\}[`”](?:은|는|이|가|을|를|과|와|으로|로)(?![가-힣])/g, text).map(
    (part) => `has a particle on a placeholder: ${part}`,
  ),
]

const checkQuotes: Check = (text) =>
  listMatches(/["'‘’]/g, removeCode(text)).map((part) => `has ${part} where “ ” belong`)

/** Words to avoid, and the word to use instead. */
const otherWords: readonly { readonly wrong: RegExp; readonly right: string }[] = [
  { wrong: /계약/, right: 'API 명세' },
  { wrong: /할당량/, right: '포인트 한도' },
  { wrong: /회수/, right: '배송 중지' },
  { wrong: /종류/, right: '유형' },
  { wrong: /공개 (?:주소|URL|`https`)/, right: '공인 주소' },
  { wrong: /합계/, right: '총액' },
  { wrong: /기장/, right: '장부 반영' },
  { wrong: /신용 한도/, right: '여신 한도' },
  { wrong: /다시 시도/, right: '재시도' },
  { wrong: /지원팀/, right: '고객 지원' },
  { wrong: /관리자(?! 토큰| 콘솔)/, right: '운영자' },
  { wrong: /계정 담당자/, right: '담당 매니저' },
  { wrong: /합산/, right: '통합 창고' },
  { wrong: /이전 게이트웨이/, right: '구 게이트웨이' },
  { wrong: /멱등성 키/, right: '멱등키' },
  { wrong: /(?<!운)송장 번호/, right: '운송장 번호' },
  { wrong: /판매 가능 목록/, right: '주문 가능 상품' },
  { wrong: /철회/, right: '판매 중단' },
  { wrong: /따라가/, right: '이어서 조회' },
  { wrong: /(?<!자격 )증명/, right: '검증' },
  { wrong: /(?<!코드 )저장소(?= 디렉터리)/, right: '코드 저장소' },
  { wrong: /이번 1분/, right: '최근 60초' },
  { wrong: /포인트[가도]? ?(?:들|듭|든)/, right: '포인트 차감' },
  { wrong: /예외를 던/, right: '예외를 발생시키다' },
  { wrong: /묻습니다/, right: '조회합니다' },
  { wrong: /주문이 들어/, right: '주문이 접수되다' },
  { wrong: /(?:`[\w-]+`[가이]|날짜가) 없으면/, right: '지정하지 않으면' },
  { wrong: /여기에 필요/, right: '필수 항목' },
]

const checkWords: Check = (text) =>
  otherWords.flatMap(({ wrong, right }) => {
    const [part] = wrong.exec(text) ?? []
    return part === undefined ? [] : [`says “${part}” and not “${right}”`]
  })

/** Statements end in -습니다 and instructions in -하세요, also within a paragraph. */
const checkRegister: Check = (text) =>
  listMatches(/\S*(?<!니다|세요|나요|아니요)(?<=[다라요까])[.?](?=\s|$)/gm, removeCode(text)).map(
    (part) => `has a sentence in another register: ${part}`,
  )

/** A heading is a noun phrase or ends in -기. It is not a sentence, a question or a dependent clause. */
const checkHeading: Check = (text) =>
  /(?:[다까나면]|(?<!필)요|때|하라)[.?]?$/.test(removeCode(text)) ? [`is a heading and no noun: ${text}`] : []

/** An English term, and the Korean word that its translation must have. */
const terms: readonly { readonly english: RegExp; readonly korean: string }[] = [
  { english: /\breservations?\b/i, korean: '재고 예약' },
  { english: /\bquota\b/i, korean: '포인트 한도' },
  { english: /\bcredit limit\b/i, korean: '여신 한도' },
  { english: /\btracking number\b/i, korean: '운송장 번호' },
  { english: /\boperator\b/i, korean: '운영자' },
  { english: /\blegacy gateway\b/i, korean: '구 게이트웨이' },
  { english: /\bwithdrawn\b/i, korean: '판매 중단' },
  { english: /\bcompany views?\b/i, korean: '통합 창고' },
  { english: /\b(?:contact|to) support\b/i, korean: '고객 지원' },
]

const checks = [checkParticles, checkQuotes, checkWords, checkRegister]
const texts = new Map([...flattenTexts(ko), ...collectDeclaredTexts('ko')])
const guides = writtenDocs.flatMap((path) => {
  const page = readSource(docsFolder, 'ko', path)
  return page ? [{ path, page }] : []
})

describe('the Korean texts', () => {
  it('read as if they had been written in Korean', () => {
    expect(
      [...texts].flatMap(([name, text]) =>
        [...listProblems(text), ...checkNounAfterPlaceholder(text)].map((problem) => `${name} ${problem}`),
      ),
    ).toEqual([])
  })

  it('have one word for each term', () => {
    const wrong = [...flattenTexts(en), ...collectDeclaredTexts('en')].flatMap(([name, english]) =>
      terms
        .filter((term) => term.english.test(removeCode(english)) && !texts.get(name)?.includes(term.korean))
        .map((term) => `${name} does not say ${term.korean}`),
    )
    expect(wrong).toEqual([])
  })

  it('have nouns for headings', () => {
    const headings = [...texts].filter(
      ([name]) => /\.title$|^site\.(?:group_|errors_of_)/.test(name) && !name.startsWith('fields'),
    )
    expect(headings.length).toBeGreaterThan(28)
    expect(
      headings.flatMap(([name, text]) => checkHeading(text).map((problem) => `${name} ${problem}`)),
    ).toEqual([])
  })

  it('speak of 호출 한도 where a developer looks for rate limiting', () => {
    expect(ko.errors.RATE_LIMITED.title).toContain('호출 한도')
    expect(readSource(docsFolder, 'ko', 'guides/points-and-limits')?.title).toContain('호출 한도')
  })
})

describe('the Korean guides', () => {
  it('are all there', () => {
    expect(guides.map(({ path }) => path)).toEqual(writtenDocs)
  })

  it.each(guides)('$path reads as if it had been written in Korean', ({ page }) => {
    const prose = [page.title, page.summary, ...page.blocks.filter((block) => !block.startsWith('```'))]
    expect(prose.flatMap(listProblems)).toEqual([])
  })

  it.each(guides)('$path has nouns for headings', ({ page }) => {
    const headings = page.blocks.flatMap((block) => listMatches(/(?<=^#+ ).*$/gm, block))
    expect([page.title, ...headings].flatMap(checkHeading)).toEqual([])
  })
})

describe('a broken Korean text is reported', () => {
  it.each([
    ['“a”은(는) 없습니다.', 'has both particles: 은(는)'],
    ['ERP(으)로 보냅니다.', 'has both particles: (으)로'],
    ['{id}의 상태입니다.', 'has a particle on a placeholder: {id}의'],
    ['먼저 `{setting}`로 시작하세요.', 'has a particle on a placeholder: {setting}`로'],
    ['"a"입니다.', 'has " where “ ” belong'],
    ['‘a’입니다.', 'has ‘ where “ ” belong'],
    ['OpenAPI로 된 계약입니다.', 'says “계약” and not “API 명세”'],
    ['운송사의 송장 번호', 'says “송장 번호” and not “운송장 번호”'],
    ['사본을 증명합니다.', 'says “증명” and not “검증”'],
    ['관리자에게 문의하세요.', 'says “관리자” and not “운영자”'],
    ['`since`가 없으면 처음부터입니다.', 'says “`since`가 없으면” and not “지정하지 않으면”'],
    ['기다려라. 끝났습니다.', 'has a sentence in another register: 기다려라.'],
  ])('%s', (text, problem) => {
    expect([...listProblems(text), ...checkNounAfterPlaceholder(text)]).toContain(problem)
  })

  it.each(['어디까지 보장하나', '포인트를 모두 썼을 때', '채널 토큰으로 주문하면', '없는 페이지입니다'])(
    '%s',
    (heading) => {
      expect(checkHeading(heading)).toHaveLength(1)
    },
  )

  it.each([
    '운송장 번호',
    '자격 증명',
    '관리자 토큰',
    '코드 저장소 디렉터리',
    '{count}개',
    '{n} 이상이어야 합니다',
  ])('but not %s', (text) => {
    expect(listProblems(text)).toEqual([])
  })
})

function listProblems(text: string): string[] {
  return checks.flatMap((check) => check(text))
}

/** Removes code in backticks and the targets of links. */
function removeCode(text: string): string {
  return text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']')
}

function listMatches(pattern: RegExp, text: string): string[] {
  return Array.from(text.matchAll(pattern), ([part]) => part)
}

/** Returns the texts of declarations by name, such as `declared.orders.list.summary`. */
function collectDeclaredTexts(language: 'en' | 'ko'): Map<string, string> {
  const all = declaredTexts.map((text) => {
    const { source: _source, ...prose }: { source?: string } = {
      ...(language === 'en' ? text.english : text.ko),
    }
    return [text.name, prose]
  })
  return flattenTexts({ declared: Object.fromEntries(all) })
}
