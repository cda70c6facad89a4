import { type Bench, listStoreKinds, type Subject, withGateway } from '../bench.ts'
import type { FilledStock } from '../gateway.ts'
import { type Gateway, openInternals } from '../internals.ts'
import { sendRequest } from '../send-request.ts'
import { adminToken } from '../stock.ts'
import type { Judged } from '../target.ts'
import { type Filled, fillings, fillOperatorTables } from './operator-tables.ts'

const pageBound = { is: 'at most', must: 300 } as const
const countBound = { is: 'at most', must: 1_000 } as const
const repeatsOfPage = 10
const repeatsOfCount = 4

/** Measures the operator's lists among a million rows of each: the pages of each list, and the counts of a redelivery. */
export const measureOperatorLists: Subject = async (bench) => {
  for (const kind of listStoreKinds(bench.options)) {
    const stock = await bench.provideStock('small', kind)
    const filled = await fill(bench, stock)
    await withGateway(stock, async ({ url }) => {
      const place = { bench, origin: `${url}/admin/api`, kind: stock.kind }
      for (const [name, path] of listPages(filled)) await measurePage(place, name, path)
      for (const [name, body] of listCounts(filled)) await measureCount(place, name, body)
    })
  }
}

async function fill({ report, options }: Bench, stock: FilledStock): Promise<Filled> {
  const internals: Gateway = await openInternals(stock.settings)
  try {
    const rows = options.sizes.large
    for (const { table } of fillings) report.printProgress(`${rows.toLocaleString('en')} rows of ${table}`)
    return await fillOperatorTables(internals, rows)
  } finally {
    await internals.store.close()
  }
}

/** The pages that operators open: the first ones, one by a time in the middle, and each filter, also with few or no matches. */
function listPages({ middle, first }: Filled): readonly (readonly [string, string])[] {
  const until = `until=${new Date(middle).toISOString()}`
  const since = `since=${new Date(first).toISOString()}&until=${new Date(first + 3_600_000).toISOString()}`
  const of = (list: string, filters: readonly string[]) =>
    [until, ...filters].map((query) => [`${list}?${query}`, `/${list}?page_size=50&${query}`] as const)
  return [
    ...of('requests', [
      '',
      since,
      'request_id=req_77',
      'channel_code=channel-7',
      'channel_code=none',
      'code=NOT_FOUND',
      `channel_code=channel-7&code=NOT_FOUND&${until}`,
      'route=/api/v1/orders',
      'failed=true',
      'channel_code=channel-7&failed=true',
      'channel_code=channel-7&route=/api/v1/rare',
      'code=UPSTREAM_TIMEOUT',
    ]),
    ...of('orders', [
      '',
      since,
      'channel_code=channel-7',
      'channel_code=none',
      'status=shipped',
      'status=cancelled',
      'client_order_number=WEB-77',
      'in_doubt=true',
      'kind=dropship',
      'channel_code=channel-7&status=cancelled',
    ]),
    ...of('webhook-deliveries', [
      '',
      since,
      'channel_code=channel-7',
      'status=dead_letter',
      'status=pending',
      'type=stock.changed',
      'event_id=evt_list_77',
      'endpoint_id=whe_full',
      'endpoint_id=whe_empty',
      'channel_code=channel-7&status=dead_letter',
    ]),
    ...of('audit', [
      '',
      since,
      'changes=true',
      'actor=Kim',
      'actor=Nobody',
      'action=admin.channels.change',
      'subject=/admin/api/channels/channel-7',
      'subject=/admin/api/',
      'subject=/nowhere',
      'changes=true&actor=Kim',
      'changes=true&subject=/admin/api/channels/channel-7',
      'changes=true&actor=Nobody',
      'actor=Kim&subject=/nowhere',
    ]),
    ...of('holds', [
      '',
      since,
      'channel_code=channel-7',
      'status=reserved',
      'source=reservation',
      'sku=SKU-77',
      'sku=none',
    ]),
  ]
}

function listCounts({ firstEvent }: Filled): readonly (readonly [string, object])[] {
  const endpoints = ['whe_full', 'whe_empty']
  const since = new Date(firstEvent).toISOString()
  return ['missing', 'all', 'dead'].flatMap((which) =>
    endpoints.map((endpoint_id) => [`${which} of ${endpoint_id}`, { which, endpoint_id, since }] as const),
  )
}

interface Place {
  readonly bench: Bench
  readonly origin: string
  readonly kind: string
}

async function measurePage({ bench, origin, kind }: Place, name: string, path: string) {
  const values: number[] = []
  for (let at = 0; at <= repeatsOfPage; at++) values.push(await readMs(`${origin}${path}`))
  // The first read fills the database's cache.
  const [cold = 0, ...warm] = values
  judge(bench, {
    name: `${name} (${kind})`,
    values: warm,
    bound: pageBound,
    detail: `the first ${cold.toFixed(0)} ms`,
  })
}

async function measureCount({ bench, origin, kind }: Place, name: string, body: object) {
  const values: number[] = []
  let answer = ''
  for (let at = 0; at < repeatsOfCount; at++) {
    const began = performance.now()
    answer = await send(`${origin}/webhook-redeliveries/count`, JSON.stringify(body))
    values.push(performance.now() - began)
  }
  judge(bench, { name: `count of ${name} (${kind})`, values, bound: countBound, detail: answer })
}

interface Figure extends Pick<Judged, 'values' | 'bound' | 'detail'> {
  readonly name: string
}

/** Judges the slowest of the calls. The calls do not repeat each other within 10 %: most are far below the bound. */
function judge({ report }: Bench, { name, values, ...figure }: Figure) {
  const slowest = Math.max(...values)
  report.judge({
    subject: 'operator lists',
    target: name,
    unit: 'ms',
    values: [slowest],
    repeat: 0,
    ...figure,
  })
}

async function readMs(url: string): Promise<number> {
  const began = performance.now()
  await send(url)
  return performance.now() - began
}

/** Sends a call of the operator's API and returns its body. Throws unless the status is 200. */
async function send(url: string, body?: string): Promise<string> {
  const headers = { 'x-admin-token': adminToken, 'content-type': 'application/json' }
  const { status, body: answer } = await sendRequest(
    url,
    body === undefined ? { headers } : { headers, body, method: 'POST' },
  )
  if (status !== 200) throw new Error(`${url}: ${status} ${answer.toString()}`)
  return answer.toString()
}
