/**
 * Rules for Korean alone, for the texts of the gateway and of the console, and for guides. texts.test.ts has the rules for
 * all translations.
 */

/** Returns the problems of one text. */
export type Check = (text: string) => string[]

/** Refuses 은(는) and similar double particles. A noun before the particle decides which one is right. */
const checkParticles: Check = (text) =>
  listMatches(/은\(는\)|이\(가\)|을\(를\)|[과와]\([와과]\)|\(으\)로|\(이\)[가-힣]/g, text).map(
    (part) => `has both particles: ${part}`,
  )

/**
 * Requires a noun between a placeholder and its particle, because the particle depends on the last sound of an unknown
 * value: “{setting} 설정으로”, not “{setting}로”.
 */
export const checkNounAfterPlaceholder: Check = (text) => [
  ...listMatches(
    /\{\w+\}(?:은|는|이|가|을|를|과|와|으로|로|의|에|에서|에는|부터|까지|까지만)(?![가-힣])/g,
    text,
  ).map((part) => `has a particle on a placeholder: ${part}`),
  ...listMatches(/\{\w+\}[`”](?:은|는|이|가|을|를|과|와|으로|로)(?![가-힣])/g, text).map(
    (part) => `has a particle on a placeholder: ${part}`,
  ),
]

/** The consonant with which a syllable ends, as its number in Unicode; 0 for none. */
const findFinal = (syllable = '') => ((syllable.codePointAt(0) ?? 0) - 0xac00) % 28
const isOpen = (syllable?: string) => findFinal(syllable) === 0
/** ㄹ takes 로 as a vowel does. */
const rieul = 8

/** The particles whose form depends on the syllable before them, and the words that only look like them. */
const forms: readonly {
  readonly particle: string
  readonly isWrongAfter: (syllable?: string) => boolean
  readonly noParticle: RegExp
}[] = [
  { particle: '를', isWrongAfter: (syllable) => !isOpen(syllable), noParticle: /들를$/ },
  { particle: '을', isWrongAfter: isOpen, noParticle: /(?:마|가|나|이|지|부)을$/ },
  { particle: '와', isWrongAfter: (syllable) => !isOpen(syllable), noParticle: /찾아와$/ },
  { particle: '과', isWrongAfter: isOpen, noParticle: /(?:초|효|부)과$/ },
  {
    particle: '가',
    isWrongAfter: (syllable) => !isOpen(syllable),
    noParticle: /(?:국|불|단|증|평|정|원)가$|[인은는]가$/,
  },
  { particle: '이', isWrongAfter: isOpen, noParticle: /(?:웨|사|차|가까|깊|높)이$/ },
  {
    particle: '는',
    isWrongAfter: (syllable) => !isOpen(syllable),
    noParticle: /[있없않읽받붙적맞찾잡닫넣넘남놓믿]는$/,
  },
  { particle: '은', isWrongAfter: isOpen, noParticle: /이은$/ },
  {
    particle: '로',
    isWrongAfter: (syllable) => ![0, rieul].includes(findFinal(syllable)) && syllable !== '으',
    noParticle: /경로$/,
  },
]

/** Requires the form of a particle that follows from the last sound of the Korean word before it. */
const checkForms: Check = (text) =>
  listMatches(/[가-힣]{2,}(?![가-힣])/g, removeCode(text)).flatMap((word) => {
    const wrong = forms.find(
      ({ particle, isWrongAfter, noParticle }) =>
        word.endsWith(particle) && isWrongAfter(word.at(-2)) && !noParticle.test(word),
    )
    return wrong ? [`has a particle in the wrong form: ${word}`] : []
  })

const checkQuotes: Check = (text) =>
  listMatches(/["'‘’]/g, removeCode(text)).map((part) => `has ${part} where “ ” belong`)

/** Words to avoid, and the word to use instead. */
const otherWords: readonly { readonly wrong: RegExp; readonly right: string }[] = [
  { wrong: /계약/, right: 'API 명세' },
  { wrong: /할당량/, right: '포인트 한도' },
  { wrong: /회수/, right: '배송 중지' },
  { wrong: /종류/, right: '유형' },
  { wrong: /공인(?! IP)/, right: '공개 URL, 공인 IP 주소' },
  { wrong: /공개 (?:IP |`https` )?주소/, right: '공인 IP 주소' },
  { wrong: /합계/, right: '총액' },
  { wrong: /기장/, right: '장부 반영' },
  { wrong: /신용 한도/, right: '여신 한도' },
  { wrong: /다시 시도/, right: '재시도' },
  { wrong: /지원팀/, right: '고객 지원' },
  { wrong: /관리자(?! 토큰| 콘솔)/, right: '운영자' },
  { wrong: /운영자 토큰/, right: '관리자 토큰' },
  { wrong: /재생[되됨]/, right: '재응답' },
  { wrong: /계정 담당자/, right: '담당 매니저' },
  { wrong: /합산 (?:보기|창고|재고)/, right: '통합 창고' },
  { wrong: /이전 게이트웨이/, right: '구 게이트웨이' },
  { wrong: /멱등성 키/, right: '멱등키' },
  { wrong: /(?<!운)송장 번호/, right: '운송장 번호' },
  { wrong: /판매 가능 목록/, right: '주문 가능 상품' },
  { wrong: /철회/, right: '판매 중단' },
  { wrong: /따라[가갑]/, right: '이어서 조회' },
  { wrong: /(?<!자격 )증명/, right: '검증' },
  { wrong: /(?<!코드 )저장소(?= 디렉터리|를? 복제)|리포지토리|체크아웃/, right: '코드 저장소' },
  { wrong: /이번 1분|그 1분이|분당 포인트/, right: '최근 60초, 60초당 포인트' },
  { wrong: /포인트[가도]? ?(?:들|듭|든)/, right: '포인트 차감' },
  { wrong: /던(?:집니다|지[며는고세])/, right: '발생시키다' },
  { wrong: /묻[습고]|물을 수/, right: '조회합니다' },
  { wrong: /주문이 들어/, right: '주문이 접수되다' },
  { wrong: /(?:`[\w-]+`[가이]|날짜가) 없으면/, right: '지정하지 않으면' },
  { wrong: /여기에 필요/, right: '필수 항목' },
  { wrong: /십시오/, right: '-하세요' },
  { wrong: /인증 정보/, right: '자격 증명' },
]

const checkWords: Check = (text) =>
  otherWords.flatMap(({ wrong, right }) => {
    const [part] = wrong.exec(text) ?? []
    return part === undefined ? [] : [`says “${part}” and not “${right}”`]
  })

/** Statements end in -습니다, questions in -습니까 and instructions in -하세요, also within a paragraph. */
const checkRegister: Check = (text) =>
  listMatches(/\S*(?<!니다|니까(?=\?)|세요|나요|아니요)(?<=[다라요까])[.?](?=\s|$)/gm, removeCode(text)).map(
    (part) => `has a sentence in another register: ${part}`,
  )

const checks = [checkParticles, checkForms, checkQuotes, checkWords, checkRegister]

/** Lists the problems of a text or of a paragraph of a page. */
export function listProblems(text: string): string[] {
  return checks.flatMap((check) => check(text))
}

/** Removes code in backticks and the targets of links. */
export function removeCode(text: string): string {
  return text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']')
}

export function listMatches(pattern: RegExp, text: string): string[] {
  return Array.from(text.matchAll(pattern), ([part]) => part)
}
