import { ask } from '../ask.ts'
import { type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { skuOf } from '../goods.ts'
import { reading, refusal } from '../parity.ts'

const connections = 32

/** Who is refused must pay more than we do: refusals against the read that they asked for, in CPU time. */
export const rejections: Subject = async (bench) => {
  const stock = await bench.stock('middle')
  await withGateway(stock, async (gateway) => {
    const { headers, stockUrl, process: server } = gateway
    const url = `${stockUrl}?sku=${skuOf.number(stock.rows >> 1)}`
    const poor = { authorization: `Bearer ${await gateway.token(stock.channels.poor)}` }
    const spend = () => ask(stockUrl, { headers: poor })
    const row = { name: '1 row', url, headers }
    const refused = [
      { name: '401, no token', url, headers: {} },
      { name: '401, not a token', url, headers: { authorization: 'Bearer not-a-token' } },
      { name: '401, forged token', url, headers: forged(headers) },
    ]
    const spent = { name: '429, points used', url, headers: poor }
    await reading(row)
    for (const each of refused) await refusal(each, 401)
    await spend()
    await refusal(spent, 429)
    const found = await contest(
      'Refusals',
      [
        { ...row, connections, server, isReference: true },
        ...refused.map((each) => ({ ...each, connections, server, refuses: true })),
        { ...spent, connections, server, refuses: true, prepare: spend },
      ],
      bench.options,
    )
    bench.report.add(found)
    for (const { name } of [...refused, spent]) {
      bench.report.judge({
        subject: 'rejections',
        target: `CPU of ${name} / 1 row`,
        unit: '×',
        values: found.cpuRatios(name, row.name),
        bound: { is: 'at most', must: 0.6 },
      })
    }
  })
}

/** The same token with another signature, so that nothing but the signature refuses it. */
function forged({ authorization = '' }: Readonly<Record<string, string>>) {
  const at = authorization.lastIndexOf('.') + 10
  const other = authorization[at] === 'A' ? 'B' : 'A'
  return { authorization: authorization.slice(0, at) + other + authorization.slice(at + 1) }
}
