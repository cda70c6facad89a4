import { describe, expect, it } from 'vitest'
import { listAllTexts } from '../../tests/all-texts.ts'
import { listComplaints, rules } from '../../tests/chinese.ts'
import { docsFolder, readSource } from '../pages/docs/library.ts'
import { isCode } from '../pages/docs/source.ts'
import { writtenDocs } from '../pages/docs/tree.ts'

/** An English term, and its translation in every text. */
const glossary: readonly (readonly [english: RegExp, chinese: RegExp])[] = [
  [/\bholds?\b/i, /预占/],
  [/\breservations?\b/i, /预留/],
  [/\bshipments?\b/i, /发货/],
  [/\bquotes?\b(?! (?:it|the request id))|\bquoted\b/i, /报价/],
  [/\bcompany views?\b/i, /汇总仓/],
  [/\bchange feed\b/i, /变更流/],
  [/\bchecksum\b/i, /校验和|checksum/],
  [/\bwithdrawn\b/i, /下架/],
  [/\btracking\b/i, /跟踪|物流/],
  [/\bquota\b/i, /配额/],
  [/\bcredit limit\b/i, /信用额度/],
  [/\boperator\b/i, /运维/],
  [/\blegacy\b/i, /旧版/],
  [/\bconsole\b/i, /管理后台/],
  [/\bembedded database\b/i, /内置数据库/],
  [/\bbuilt-in\b/i, /内置/],
  [/\bOMS account\b/i, /OMS 账号/],
  [/\berror codes?\b/i, /错误码/],
  [/\bfreight bill\b/i, /运费账单/],
  [/\boutcomes?\b/i, /结果/],
]

const english = listAllTexts('en')
const chinese = listAllTexts('zh')

/** Removes placeholders and code, which are the same in every language. */
const removeCode = (text: string) => text.replaceAll(/`[^`]*`|\{\w+\}/g, '`')

/** Returns the prose of a page, by paragraph, table row and list item, without code and link targets. */
function readPassages(path: string): string[] {
  const page = readSource(docsFolder, 'zh', path)
  if (!page) return []
  return [page.title, page.summary, ...page.blocks.filter((block) => !isCode(block))]
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replaceAll(/\]\([^)]*\)/g, ']'))
}

describe('Chinese', () => {
  it('uses the words of the glossary and the forms of the guide in every text', () => {
    const wrong = [...chinese].flatMap(([name, text]) => listComplaints(text).map((one) => `${name} ${one}`))
    expect(wrong).toEqual([])
  })

  it.each(writtenDocs)('does so in %s', (path) => {
    const wrong = readPassages(path).flatMap((text) => listComplaints(text).map((one) => `${one}: ${text}`))
    expect(wrong).toEqual([])
  })

  it('has one word for each term of the English texts', () => {
    const wrong = [...english].flatMap(([name, text]) =>
      glossary
        .filter(([term, word]) => term.test(removeCode(text)) && !word.test(chinese.get(name) ?? ''))
        .map(([term, word]) => `${name}: ${term} is ${word}: ${chinese.get(name)}`),
    )
    expect(wrong).toEqual([])
  })

  it('says 限流 where developers look for it', () => {
    const page = readSource(docsFolder, 'zh', 'guides/points-and-limits')
    expect(page?.title).toContain('限流')
    expect(chinese.get('errors.RATE_LIMITED.title')).toContain('限流')
  })
})

describe('a wrong form is reported', () => {
  it.each(rules)('$example', ({ wrong, example }) => {
    expect(example.match(wrong)).not.toBeNull()
  })

  it.each([
    '端口或数据目录已被占用',
    '数据目录或端口已被另一个进程占用',
    '信用额度',
    'SAP 的客户参考号',
    '机密绝不写入日志',
    '请使用仓库代码',
    '克隆代码库',
    '其他渠道、其中一页、其余各页',
    '以下 3 个订单',
    '提交一个订单，然后查看收件箱',
    '1 至 255 个',
    '**恰好一次**',
    '`quote_*` 和 `place_*`',
    '网关不跟随重定向',
    '请释放一个有效的预览，或等待到期',
    '每分钟模拟大约 60 次',
    '请发送 `page` 和 `page_size`。',
  ])('and a right one is not: %s', (text) => {
    expect(listComplaints(text)).toEqual([])
  })
})
