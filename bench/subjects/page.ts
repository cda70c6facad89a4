import { type Subject, withGateway } from '../bench.ts'
import { createWrkContender, runContest } from '../contest.ts'
import { type RunningGateway, readLatestVersion } from '../gateway.ts'
import { variedPart } from '../load.ts'
import { type ComparedRequest, checkRead, checkRows, requireSameBytes } from '../parity.ts'
import { startBareNode, startNginx } from '../references.ts'
import type { Compared } from '../target.ts'

const connections = 32
/**
 * Of requests that take long: large pages, and pages that no cache has. With more connections, a saturated loop takes
 * longer for one turn over them than the gateway lets a request wait (`targetDelayMs`), so that it refuses some.
 */
const fewConnections = 8
const pageRows = 100
const manyChanges = 1_000

/** Creates contenders that request pages of stock and pages of changes. */
export async function createPageContenders(gateway: RunningGateway) {
  const { headers, stock, stockUrl, process: server } = gateway
  const pages = Math.ceil(stock.rows / pageRows)
  const latest = await readLatestVersion(gateway)
  const createContender = (
    name: string,
    query: string,
    more: { varied?: { from: number; to: number }; connections?: number } = {},
  ) => createWrkContender({ name, url: `${stockUrl}${query}`, headers, connections, server, ...more })
  const createStockPage = (name: string, at: number) =>
    createContender(name, `?page=${at}&page_size=${pageRows}`)
  const createChangesPage = (rows: number, more = {}) =>
    createContender(`feed, ${rows} changes`, `/changes?since=${latest - rows}`, more)
  const first = createStockPage('first page of 100', 1)
  const middle = createStockPage('page of 100 rows', pages >> 1)
  const last = createStockPage('last page of 100', pages)
  const few = createChangesPage(pageRows)
  const many = createChangesPage(manyChanges, { connections: fewConnections })
  // Each request has a cursor that has not been used recently, so that no cache helps.
  const cold = createContender(
    'feed, 100 changes, cold',
    `/changes?page_size=${pageRows}&since=${variedPart}`,
    {
      varied: { from: latest - stock.rows, to: latest - pageRows },
      connections: fewConnections,
    },
  )
  for (const each of [first, middle, last, few, cold]) checkRows(each.name, await checkRead(each), pageRows)
  checkRows(many.name, await checkRead(many), manyChanges)
  return { first, middle, last, few, many, cold }
}

/** Compares pages of stock with servers that send the same bytes, and pages of changes with pages of stock. */
export const measurePages: Subject = async (bench) => {
  await withGateway(await bench.provideStock('middle'), async (gateway) => {
    const { first, middle, last, few, many, cold } = await createPageContenders(gateway)
    const { body } = await checkRead(middle)
    const nginx = await startNginx(bench.folder, body)
    const bare = await startBareNode(bench.folder, body)
    const reference = { headers: {}, connections, isReference: true }
    const file = createWrkContender({
      ...reference,
      name: 'nginx, file',
      url: nginx.url,
      server: nginx.process,
    })
    const memory = createWrkContender({
      ...reference,
      name: 'bare node:http',
      url: bare.url,
      server: bare.process,
    })
    await requireSameBytes(body, [file, memory, middle])
    const found = await runContest(
      {
        name: `A page of ${pageRows} rows (${body.length.toLocaleString('en')} bytes)`,
        contenders: [file, memory, middle, first, last, few, cold, many],
      },
      bench.options,
    )
    await nginx.process.end()
    await bare.process.end()
    bench.report.addContest(found)
    for (const target of listTargets({ file, memory, first, middle, last, few, many, cold }))
      bench.report.judgeRatio(found, { subject: 'page', ...target })
  })
}

type PageContenders = Awaited<ReturnType<typeof createPageContenders>>
type References = Readonly<Record<'file' | 'memory', ComparedRequest>>

function listTargets(contenders: PageContenders & References): Omit<Compared, 'subject'>[] {
  const { file, memory, first, middle, last, few, many, cold } = contenders
  return [
    {
      target: 'page of 100 / bare node',
      by: 'rate',
      of: middle.name,
      over: memory.name,
      bound: { is: 'at least', must: 0.65, stretch: 0.75 },
    },
    { target: 'page of 100 / nginx', by: 'rate', of: middle.name, over: file.name },
    {
      target: 'feed of 100 changes, repeated cursor / page of 100',
      by: 'rate',
      of: few.name,
      over: middle.name,
      bound: { is: 'at least', must: 0.8, stretch: 0.95 },
    },
    {
      target: 'feed of 100 changes, cold / page of 100',
      by: 'rate',
      of: cold.name,
      over: middle.name,
      bound: { is: 'at least', must: 0.55 },
    },
    {
      target: 'cost of the last page / first page',
      by: 'cost',
      of: last.name,
      over: first.name,
      bound: { is: 'at most', must: 1.1 },
    },
    {
      target: 'cost of 1,000 changes / 100 changes',
      by: 'cost',
      of: many.name,
      over: few.name,
      bound: { is: 'at most', must: 12 },
    },
  ]
}
