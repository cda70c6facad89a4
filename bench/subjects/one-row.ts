import { type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { latestOf } from '../gateway.ts'
import { skuOf } from '../goods.ts'
import { checkRows, reading, sameBytes } from '../parity.ts'
import { startBareNode } from '../references.ts'

const connections = 32

/** The hottest requests: one row by its SKU, and a feed that has nothing new. */
export const oneRow: Subject = async (bench) => {
  const stock = await bench.stock('middle')
  await withGateway(stock, async (gateway) => {
    const { headers, stockUrl, process: server } = gateway
    const row = { name: '1 row', url: `${stockUrl}?sku=${skuOf.number(stock.rows >> 1)}`, headers }
    const feed = {
      name: 'feed, up to date',
      url: `${stockUrl}/changes?since=${await latestOf(gateway)}`,
      headers,
    }
    const seen = await reading(row)
    checkRows(row.name, seen, 1)
    checkRows(feed.name, await reading(feed), 0)
    const bare = await startBareNode(bench.folder, seen.body)
    const bareRow = { name: 'bare node:http', url: bare.url, headers }
    await sameBytes(seen.body, [bareRow, row])
    const found = await contest(
      'One row',
      [
        { ...bareRow, connections, server: bare.process, isReference: true },
        { ...row, connections, server },
        { ...feed, connections, server },
      ],
      bench.options,
    )
    await bare.process.end()
    bench.report.add(found)
    bench.report.compare(found, {
      subject: 'one-row',
      target: '1 row by SKU / bare node',
      of: row.name,
      over: bareRow.name,
      bound: { is: 'at least', must: 0.5, stretch: 0.65 },
    })
    bench.report.compare(found, {
      subject: 'one-row',
      target: 'feed up to date / 1 row',
      of: feed.name,
      over: row.name,
      bound: { is: 'at least', must: 0.95 },
    })
  })
}
