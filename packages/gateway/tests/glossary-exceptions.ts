/** Where a translation has another word than the glossary, and why that is right. `glossary.test.ts` counts each. */

/** Terms that are not checked, because their English word has other meanings in the same pages. */
export const ambiguousTerms: Readonly<Record<string, string>> = {
  gateway: 'A sentence whose subject is clear leaves the word out.',
  customer: 'Also the end customer, who is a 消费者 or 최종 고객.',
  capability: 'Also what an ERP can do, which is a 功能 or 기능.',
  version: 'Also the version of a program, which is a 版本.',
  copy: 'Also the verb, and the copy of a file.',
  line: 'Also a line of text, and the command line.',
  hold: 'Also a verb: a page holds rows, a rule holds.',
  'release (a hold)': 'Also the release of a program.',
  delivery: 'Also the delivery of goods.',
  transaction: 'Also a transaction of the database.',
  document: 'Also a text to read, which is a 文档.',
  point: 'Also the verb.',
  quote: 'Also the verb: clients quote an id.',
  lock: 'Also a lock of the database.',
}

/** Shorter forms that stand for a term: its stem in verbs and compounds. */
export const stems: Readonly<Record<'zh' | 'ko', Readonly<Record<string, readonly string[]>>>> = {
  zh: {
    reservation: ['预留'],
    settle: ['确认'],
    statement: ['对账'],
    'audit log': ['审计'],
    withdrawn: ['下架'],
    warehouse: ['整仓'],
    shipment: ['发货'],
  },
  ko: {
    reservation: ['예약'],
    settle: ['확정'],
    statement: ['정산'],
    'audit log': ['감사'],
    intercept: ['배송을 중지'],
    withdrawn: ['판매가 중단'],
    shortage: ['부족'],
    'outcome unknown': ['결과를 알 수 없'],
  },
}

interface Exception {
  readonly term: string
  readonly because: string
  /** Pages and texts, once for each passage. */
  readonly zh: readonly string[]
  readonly ko: readonly string[]
}

const both = (...places: readonly string[]) => ({ zh: places, ko: places })

/** Passages that have none of the words for a term. */
export const exceptions: readonly Exception[] = [
  {
    term: 'plan',
    because: 'A plan of work, of capacity, or the plan of another vendor.',
    zh: ['guides/migrate-from-api', 'erp/capabilities-of-erps', 'operate', 'capacity'],
    ko: [
      'guides/migrate-from-api',
      'agents/connect-an-agent',
      'erp/capabilities-of-erps',
      'operate',
      'capacity',
    ],
  },
  { term: 'cursor', because: 'The name of an editor.', ...both('agents/connect-an-agent') },
  {
    term: 'draft',
    because: 'A draft of the IETF, and the state `draft` in a diagram.',
    zh: [
      'guides/points-and-limits',
      'fields.RateLimit-Policy',
      'fields.RateLimit',
      'diagrams.wholesale.boxes.draft',
    ],
    ko: ['diagrams.wholesale.boxes.draft'],
  },
  { term: 'withdrawn', because: 'Of a bill that is void.', ...both('guides/reconcile-a-month') },
  {
    term: 'idempotency key',
    because: 'The English title of another vendor’s page.',
    ...both('erp/capabilities-of-erps'),
  },
  {
    term: 'webhook',
    because: 'The English name of a standard, of its header or of another vendor’s page.',
    zh: ['erp/capabilities-of-erps'],
    ko: ['guides/receive-webhooks', 'erp/capabilities-of-erps', 'fields.webhook-id'],
  },
  {
    term: 'webhook',
    because: 'The inbox receives messages.',
    ...both('declared.sandbox.inbox.read.description', 'declared.sandbox.inbox.empty.description'),
  },
  {
    term: 'reservation',
    because: 'The title of another vendor’s page.',
    ...both('erp/capabilities-of-erps'),
  },
  {
    term: 'reservation',
    because: 'What another ERP reserves for a hold.',
    zh: ['erp/connect-an-erp-in-a-day', 'erp/capabilities-of-erps'],
    ko: ['erp/connect-an-erp-in-a-day'],
  },
  {
    term: 'shipment',
    because: 'An internal transfer between locations of Tryton.',
    ...both('erp/capabilities-of-erps'),
  },
  {
    term: 'quantity available',
    because: 'A field of another ERP.',
    zh: [],
    ko: ['erp/capabilities-of-erps'],
  },
  {
    term: 'replay',
    because: 'The attack, the repetition of a month of sales, and a stored response that returns.',
    zh: ['promises'],
    ko: ['guides/receive-webhooks', 'sandbox', 'promises'],
  },
  {
    term: 'caller',
    because: 'A client whose connection has ended.',
    ...both('sentences.reader_gone'),
  },
  {
    term: 'operator',
    because: 'Part of a compound: the console is 管理后台, the admin token 管理令牌.',
    zh: ['tutorial', 'runbooks', 'site.errors_of_operator'],
    ko: [],
  },
  {
    term: 'event',
    because: 'The sentence repeats its object or subject in English only.',
    zh: [
      'sentences.url_credentials',
      'fields.WebhookDelivery:finished_at',
      'declared.webhook_deliveries.redeliver.summary',
      'declared.webhook_deliveries.redeliver.description',
      'declared.webhook_response.description',
    ],
    ko: [
      'guides/receive-webhooks',
      'declared.webhook_deliveries.redeliver.summary',
      'declared.webhook_deliveries.redeliver.description',
      'declared.webhook_response.description',
    ],
  },
  {
    term: 'style',
    because: 'The subject is that of the record.',
    ...both('fields.Product:status'),
  },
  {
    term: 'reconciliation',
    because: 'The action returns the document, which is a 정산서.',
    zh: [],
    ko: ['declared.get_statement.title'],
  },
]
