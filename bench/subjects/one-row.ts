import { type Subject, withGateway } from '../bench.ts'
import { type Contender, createWrkContender, runContest } from '../contest.ts'
import { type RunningGateway, readLatestVersion } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import type { Target } from '../load.ts'
import { checkRead, checkRows, requireSameBytes } from '../parity.ts'
import { startBareNode } from '../references.ts'

const usualConnections = 32

/** Creates contenders for the most frequent requests: one row by its SKU, and the change feed without new changes. */
export async function createOneRowContenders(gateway: RunningGateway, connections = usualConnections) {
  const { headers, stock, stockUrl, process: server } = gateway
  const createContender = (name: string, url: string) =>
    createWrkContender({ name, url, headers, connections, server })
  const row = createContender('1 row', `${stockUrl}?sku=${formatSku(stock.rows >> 1)}`)
  const feed = createContender(
    'feed, up to date',
    `${stockUrl}/changes?since=${await readLatestVersion(gateway)}`,
  )
  checkRows(row.name, await checkRead(row), 1)
  checkRows(feed.name, await checkRead(feed), 0)
  return { row, feed }
}

/** Has the server close each connection after one response. */
function withFreshConnections(kept: Target & Contender) {
  return createWrkContender({
    ...kept,
    name: `${kept.name}, new connections`,
    headers: { ...kept.headers, connection: 'close' },
  })
}

export const measureOneRow: Subject = async (bench) => {
  await withGateway(await bench.provideStock('middle'), async (gateway) => {
    const { row, feed } = await createOneRowContenders(gateway)
    const { body } = await checkRead(row)
    const bare = await startBareNode(bench.folder, body)
    const { headers } = gateway
    const reference = {
      ...{ name: 'bare node:http', url: bare.url, headers },
      ...{ connections: usualConnections, server: bare.process },
    }
    const bareRow = createWrkContender({ ...reference, isReference: true })
    await requireSameBytes(body, [bareRow, row])
    const found = await runContest({ name: 'One row', contenders: [bareRow, row, feed] }, bench.options)
    const [bareFresh, rowFresh] = [withFreshConnections(bareRow), withFreshConnections(row)]
    const fresh = await runContest(
      { name: 'One row, each on a new connection', contenders: [bareFresh, rowFresh] },
      bench.options,
    )
    await bare.process.end()
    bench.report.addContest(found)
    bench.report.addContest(fresh)
    bench.report.judgeRatio(fresh, {
      subject: 'one-row',
      target: '1 row by SKU / bare node, new connections',
      by: 'rate',
      of: rowFresh.name,
      over: bareFresh.name,
    })
    bench.report.judgeRatio(found, {
      subject: 'one-row',
      target: '1 row by SKU / bare node',
      by: 'rate',
      of: row.name,
      over: bareRow.name,
      bound: { is: 'at least', must: 0.5, stretch: 0.65 },
    })
    bench.report.judgeRatio(found, {
      subject: 'one-row',
      target: 'feed up to date / 1 row',
      by: 'rate',
      of: feed.name,
      over: row.name,
      bound: { is: 'at least', must: 0.95, stretch: 1.05 },
    })
  })
}
