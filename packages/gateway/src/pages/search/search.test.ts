import { describe, expect, it } from 'vitest'
import { languages } from '../../contract/language.ts'
import { renderPage } from '../layout.ts'
import { findPage, listPagePaths } from '../site.ts'
import { findSections } from './search.ts'
import { listSections } from './sections.ts'
import { synonyms } from './synonyms.ts'

/** What readers type, and the address of the page or section that they should see first. */
const queries = {
  en: [
    ['authentication', '/docs/guides/two-grants'],
    ['authetication', '/docs/guides/two-grants'],
    ['pagination', '/reference#rules'],
    ['signature verification', '/docs/guides/receive-webhooks#verify-the-signature'],
    ['webhok signatur', '/docs/guides/receive-webhooks#verify-the-signature'],
    ['rate limit', '/docs/guides/points-and-limits'],
    ['RATE_LIM', '/errors/RATE_LIMITED'],
    ['idempotency key', '/docs/guides/retries-and-idempotency'],
    ['stock', '/docs/guides/keep-stock-in-sync'],
    ['out of stock', '/errors/UPSTREAM_REJECTED'],
    ['cancel order', '/docs/guides/cancel-and-release'],
    ['dropshipping', '/docs/guides/dropship-order'],
    ['purchase order', '/docs/guides/wholesale-order'],
    ['/api/v1/dropship-orders/submit', '/reference/dropship.submit'],
    ['dropship.submit', '/reference/dropship.submit'],
    ['SHIPPING_REQ', '/errors/SHIPPING_REQUIRED'],
    ['expired token', '/errors/AUTH_EXPIRED'],
    ['dead letter', '/docs/guides/receive-webhooks#when-your-receiver-is-down'],
    ['backup', '/docs/backup'],
    ['docker', '/docs/deploy'],
    ['mcp', '/docs/agents/connect-an-agent'],
    ['getting started', '/docs/quickstart'],
    ['tutorial', '/docs/tutorial'],
    ['privacy', '/docs/security#personal-data'],
    ['prometheus', '/docs/monitor'],
    ['changelog', '/changelog'],
  ],
  zh: [
    ['认证', '/docs/guides/two-grants'],
    ['登录', '/docs/cli#sign-in'],
    ['分页', '/reference#rules'],
    ['签名校验', '/docs/guides/receive-webhooks#verify-the-signature'],
    ['验签', '/docs/guides/receive-webhooks#verify-the-signature'],
    ['限流', '/docs/guides/points-and-limits'],
    ['点数已用完', '/errors/RATE_LIMITED'],
    ['RATE_LIM', '/errors/RATE_LIMITED'],
    ['幂等', '/docs/guides/retries-and-idempotency'],
    ['重试', '/docs/guides/retries-and-idempotency'],
    ['库存', '/docs/guides/keep-stock-in-sync'],
    ['库存同步', '/docs/guides/keep-stock-in-sync'],
    ['缺货', '/errors/UPSTREAM_REJECTED'],
    ['取消订单', '/docs/guides/cancel-and-release'],
    ['一件代发', '/docs/guides/dropship-order'],
    ['批发订单', '/docs/guides/wholesale-order'],
    ['dropship.submit', '/reference/dropship.submit'],
    ['令牌过期', '/errors/AUTH_EXPIRED'],
    ['死信', '/docs/guides/receive-webhooks#when-your-receiver-is-down'],
    ['对账', '/docs/guides/reconcile-a-month'],
    ['备份', '/docs/backup'],
    ['部署', '/docs/deploy'],
    ['智能体', '/docs/agents/connect-an-agent'],
    ['监控', '/docs/monitor'],
    ['更新日志', '/changelog'],
    ['教程', '/docs/tutorial'],
  ],
  ko: [
    ['인증', '/docs/guides/two-grants'],
    ['로그인', '/docs/guides/two-grants'],
    ['페이지네이션', '/reference#rules'],
    ['서명 검증', '/docs/guides/receive-webhooks#verify-the-signature'],
    ['호출 한도', '/docs/guides/points-and-limits'],
    ['RATE_LIM', '/errors/RATE_LIMITED'],
    ['멱등', '/docs/guides/retries-and-idempotency'],
    ['재시도', '/docs/guides/retries-and-idempotency'],
    ['재고', '/docs/guides/keep-stock-in-sync'],
    ['재고를', '/docs/guides/keep-stock-in-sync'],
    ['재고 동기화', '/docs/guides/keep-stock-in-sync'],
    ['튜토리얼', '/docs/tutorial'],
    ['재고 부족', '/errors/UPSTREAM_REJECTED'],
    ['주문 취소', '/docs/guides/cancel-and-release'],
    ['위탁배송', '/docs/guides/dropship-order'],
    ['도매 주문', '/docs/guides/wholesale-order'],
    ['SHIPPING_REQ', '/errors/SHIPPING_REQUIRED'],
    ['웹훅', '/docs/guides/receive-webhooks'],
    ['데드 레터', '/docs/guides/receive-webhooks#when-your-receiver-is-down'],
    ['정산', '/docs/guides/reconcile-a-month'],
    ['백업', '/docs/backup'],
    ['배포', '/docs/deploy'],
    ['에이전트', '/docs/agents/connect-an-agent'],
    ['환경 변수', '/docs/configuration'],
    ['모니터링', '/docs/monitor'],
    ['변경 이력', '/changelog'],
  ],
} as const

describe('the search', () => {
  it.each(languages)('puts the right section first for each of 26 queries in %s', async (language) => {
    expect(queries[language]).toHaveLength(26)
    const found: (readonly [string, string | undefined])[] = []
    for (const [query] of queries[language]) {
      const [first] = await findSections(query, language)
      found.push([query, first?.href])
    }
    expect(found).toEqual(queries[language])
  })

  it('shows at most three sections of one page', async () => {
    const paths = (await findSections('stock', 'en')).map(({ href }) => href.split('#')[0] ?? '')
    expect(paths.length).toBeGreaterThan(6)
    for (const path of paths) expect(paths.filter((each) => each === path).length).toBeLessThanOrEqual(3)
  })
})

describe('a section', () => {
  const pages = listPagePaths().flatMap((path) => findPage(path, 'en') ?? [])
  const sections = pages.flatMap(listSections)

  it('has the address of a heading that the page shows', () => {
    const shown = new Map(
      pages.map((page) => [
        page.path,
        renderPage(page, { language: 'en', query: '', assetPath: (name) => name, isSandbox: false }),
      ]),
    )
    const missing = sections.filter(({ href, path }) => {
      const id = href.split('#')[1]
      return id !== undefined && !shown.get(path)?.includes(` id="${id}"`)
    })
    expect(missing.map(({ href }) => href)).toEqual([])
  })

  it('is there for each synonym', () => {
    const known = new Set(sections.map(({ href }) => href))
    expect(Object.keys(synonyms).filter((href) => !known.has(href))).toEqual([])
  })
})
