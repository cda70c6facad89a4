import { type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { latestOf } from '../gateway.ts'
import { type Asked, checkRows, reading, sameBytes } from '../parity.ts'
import { startBareNode, startNginx } from '../references.ts'
import type { Bound } from '../report.ts'

const connections = 32
const pageRows = 100
const manyChanges = 1_000

/** Pages of stock against the same bytes from a file, and pages of changes against pages of stock. */
export const page: Subject = async (bench) => {
  const stock = await bench.stock('middle')
  await withGateway(stock, async (gateway) => {
    const { headers, stockUrl, process: server } = gateway
    const pages = Math.ceil(stock.rows / pageRows)
    const latest = await latestOf(gateway)
    const pageAt = (name: string, at: number) => ({
      name,
      url: `${stockUrl}?page=${at}&page_size=${pageRows}`,
      headers,
    })
    const changes = (rows: number) => ({
      name: `feed, ${rows} changes`,
      url: `${stockUrl}/changes?since=${latest - rows}`,
      headers,
    })
    const first = pageAt('first page of 100', 1)
    const middle = pageAt('page of 100 rows', pages >> 1)
    const last = pageAt('last page of 100', pages)
    const few = changes(pageRows)
    const many = changes(manyChanges)
    const seen = await reading(middle)
    for (const each of [first, middle, last, few]) checkRows(each.name, await reading(each), pageRows)
    checkRows(many.name, await reading(many), manyChanges)

    const nginx = await startNginx(bench.folder, seen.body)
    const bare = await startBareNode(bench.folder, seen.body)
    const file = { name: 'nginx, file', url: nginx.url, headers: {} }
    const memory = { name: 'bare node:http', url: bare.url, headers: {} }
    await sameBytes(seen.body, [file, memory, middle])
    const found = await contest(
      `A page of ${pageRows} rows (${seen.body.length.toLocaleString('en')} bytes)`,
      [
        { ...file, connections, server: nginx.process, isReference: true },
        { ...memory, connections, server: bare.process, isReference: true },
        ...[middle, first, last, few, many].map((each) => ({ ...each, connections, server })),
      ],
      bench.options,
    )
    await nginx.process.end()
    await bare.process.end()
    bench.report.add(found)
    const judge = (target: string, of: Asked, over: Asked, bound: Bound) =>
      bench.report.compare(found, { subject: 'page', target, of: of.name, over: over.name, bound })
    judge('page of 100 / nginx', middle, file, { is: 'at least', must: 0.4, stretch: 0.55 })
    judge('page of 100 / bare node', middle, memory, { is: 'at least', must: 0.8 })
    judge('time of the last page / first page', first, last, { is: 'at most', must: 1.1 })
    judge('feed of 100 changes / page of 100', few, middle, { is: 'at least', must: 0.8 })
    judge('time of 1,000 changes / 100 changes', few, many, { is: 'at most', must: 12 })
  })
}
