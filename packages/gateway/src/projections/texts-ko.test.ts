import { describe, expect, it } from 'vitest'
import {
  type Check,
  checkNounAfterPlaceholder,
  listMatches,
  listProblems,
  removeCode,
} from '../../tests/korean.ts'
import { en } from '../contract/texts/en.ts'
import { ko } from '../contract/texts/ko.ts'
import { flattenTexts } from '../contract/texts/table-texts.ts'
import { docsFolder, readSource } from '../pages/docs/library.ts'
import { writtenDocs } from '../pages/docs/tree.ts'
import { declaredTexts } from '../translations/declared.ts'

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
    ['공인 URL이 필요합니다.', 'says “공인” and not “공개 URL, 공인 IP 주소”'],
    ['재고 선점를 해제합니다.', 'has a particle in the wrong form: 선점를'],
    ['주소은 필요 없습니다.', 'has a particle in the wrong form: 주소은'],
    ['토큰가 만료되었습니다.', 'has a particle in the wrong form: 토큰가'],
    ['채널는 하나입니다.', 'has a particle in the wrong form: 채널는'],
    ['창고과 상품', 'has a particle in the wrong form: 창고과'],
    ['`url`의 값로 보냅니다.', 'has a particle in the wrong form: 값로'],
    ['사본을 증명합니다.', 'says “증명” and not “검증”'],
    ['관리자에게 문의하세요.', 'says “관리자” and not “운영자”'],
    ['`since`가 없으면 처음부터입니다.', 'says “`since`가 없으면” and not “지정하지 않으면”'],
    ['다시 복사하십시오.', 'says “십시오” and not “-하세요”'],
    ['인증 정보를 전달하세요.', 'says “인증 정보” and not “자격 증명”'],
    ['운영자 토큰', 'says “운영자 토큰” and not “관리자 토큰”'],
    ['저장소 복제부터', 'says “저장소” and not “코드 저장소”'],
    ['체크아웃에서 실행합니다.', 'says “체크아웃” and not “코드 저장소”'],
    ['변경 피드를 따라갑니다.', 'says “따라갑” and not “이어서 조회”'],
    ['`WebhookError`를 던지며', 'says “던지며” and not “발생시키다”'],
    ['ERP에 결과를 물을 수 있습니다.', 'says “물을 수” and not “조회합니다”'],
    ['처음 실행됨, 재생됨', 'says “재생됨” and not “재응답”'],
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
    '게이트웨이 자체 저장소',
    '요청을 거절하시겠습니까? 되돌릴 수 없습니다.',
    '금액을 통화별로 합산합니다.',
    '공개 URL과 공인 IP 주소',
    '국가와 단가가 있는 경로로 게이트웨이가 보냅니다.',
    '두 값의 차이가 없는 채널로 초과 주문은 받지 않습니다.',
    '{count}개',
    '{n} 이상이어야 합니다',
  ])('but not %s', (text) => {
    expect(listProblems(text)).toEqual([])
  })
})

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
