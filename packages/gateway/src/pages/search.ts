import { errorTable, isErrorCode } from '../contract/error-table.ts'
import type { Language } from '../contract/language.ts'
import { extractText } from './docs/markdown.ts'
import { type Page, renderPageMarkdown } from './page.ts'
import { findPage, listPagePaths } from './site.ts'

/** An entry of the search index: a page's title, path, summary, keys, headings and words. */
interface SearchEntry {
  readonly t: string
  readonly p: string
  readonly s: string
  readonly k: string
  readonly h: string
  readonly w: string
}

const maxWords = 6_000

/** Words that readers may use for a topic that has another name here. */
const synonyms: Readonly<Record<string, string>> = {
  '/errors/RATE_LIMITED': 'throttled too many requests 限流 超限 频率限制 속도 제한 요청 한도 초과',
  '/errors/AUTH_INVALID_TOKEN': 'unauthorized 未授权 인증 실패',
  '/errors/AUTH_EXPIRED': 'unauthorized 过期 만료',
  '/errors/SCOPE_DENIED': 'forbidden 无权限 권한 없음',
  '/errors/READ_ONLY_MODE': 'forbidden maintenance 维护 점검',
  '/errors/UPSTREAM_REJECTED': 'out of stock insufficient 缺货 库存不足 재고 부족 품절',
  '/errors/UPSTREAM_TIMEOUT': 'gateway timeout 超时 시간 초과',
  '/errors/DUPLICATE_SUSPECTED': 'conflict 重复 중복',
  '/docs/guides/retries-and-idempotency': 'retry duplicate 重试 幂等 재시도 멱등',
  '/docs/guides/receive-webhooks': 'signature callback 签名 回调 서명 콜백',
  '/docs/guides/keep-stock-in-sync': 'delta incremental 增量 증분',
}

export function buildSearchIndex(language: Language): string {
  const pages = listPagePaths().flatMap((path) => findPage(path, language) ?? [])
  return JSON.stringify(pages.map((page) => toSearchEntry(page, language)))
}

function toSearchEntry(page: Page, language: Language): SearchEntry {
  const text = renderPageMarkdown(page, language, (all) => all)
  const headings = text.match(/^#{2,3} .*$/gm) ?? []
  const { operation } = page
  const own = operation
    ? `${operation.method} ${operation.path} ${page.path.slice('/reference/'.length)} ${page.trail.at(-1)?.text ?? ''}`
    : page.path
  const code = page.path.slice('/errors/'.length)
  const status = isErrorCode(code) ? errorTable[code].status : ''
  const keys = `${own} ${status} ${synonyms[page.path] ?? ''}`
  // The keys contain only the page's own error code and path, because those in its text belong to other pages.
  return {
    t: page.title,
    p: page.path,
    s: operation
      ? `${operation.method} ${operation.path}`
      : page.summary.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
    k: keys.toLowerCase(),
    h: headings.join(' ').replaceAll('#', '').toLowerCase(),
    w: listUniqueWords(extractText(text)).slice(0, maxWords),
  }
}

/** Lists each word once, in lower case; the search does not use their order. */
function listUniqueWords(text: string): string {
  return [...new Set(text.toLowerCase().split(/\s+/))].join(' ')
}
