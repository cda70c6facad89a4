import { type Subject, withGateway } from '../bench.ts'
import { createWrkContender, runContest } from '../contest.ts'
import type { RunningGateway } from '../gateway.ts'
import { formatSku } from '../goods.ts'
import { variedPart } from '../load.ts'
import { type ComparedRequest, checkRead, checkRefusal } from '../parity.ts'
import { startBareNode } from '../references.ts'
import { sendRequest } from '../send-request.ts'
import type { Bound } from '../target.ts'

const connections = 32

/** Creates contenders: requests that the gateway refuses for different reasons, and a successful read. */
export async function createRejectionContenders(gateway: RunningGateway) {
  const { headers, stock, stockUrl, process: server } = gateway
  const url = `${stockUrl}?sku=${formatSku(stock.rows >> 1)}`
  const poor = { authorization: `Bearer ${await gateway.requestToken(stock.channels.poor)}` }
  const spendPoints = () => sendRequest(stockUrl, { headers: poor })
  const createRefused = (name: string, own: ComparedRequest['headers']) =>
    createWrkContender({ name, url, headers: own, connections, server, refuses: true })
  const row = createWrkContender({ name: '1 row', url, headers, connections, server })
  const none = createRefused('401, no token', {})
  const malformed = createRefused('401, not a token', { authorization: 'Bearer not-a-token' })
  const known = createRefused('401, forged token seen before', forgeSignature(headers, '12345678'))
  const always = createWrkContender({
    ...createRefused('401, forged token, always new', forgeSignature(headers, variedPart)),
    varied: signatures,
  })
  const spent = { ...createRefused('429, points used', poor), prepare: spendPoints }
  await checkRead(row)
  for (const each of [none, malformed, known, always]) await checkRefusal(each, 401)
  await spendPoints()
  await checkRefusal(spent, 429)
  return { row, none, malformed, known, always, spent }
}

/** Measures the CPU time of refusals, which must be low so that refused requests cannot overload the gateway. */
export const measureRejections: Subject = async (bench) => {
  await withGateway(await bench.provideStock('middle'), async (gateway) => {
    const { row, none, malformed, known, always, spent } = await createRejectionContenders(gateway)
    const { body } = await checkRefusal(none, 401)
    const server = await startBareNode(bench.folder, body)
    const bare = createWrkContender({
      name: 'bare node:http',
      url: server.url,
      headers: gateway.headers,
      connections,
      server: server.process,
      isReference: true,
    })
    const found = await runContest(
      { name: 'Refusals', contenders: [bare, row, none, malformed, known, always, spent] },
      bench.options,
    )
    await server.process.end()
    bench.report.addContest(found)
    const judge = (of: ComparedRequest, over: ComparedRequest, bound: Bound) =>
      bench.report.judgeRatio(found, {
        subject: 'rejections',
        target: `CPU of ${of.name} / ${over.name}`,
        by: 'cost',
        of: of.name,
        over: over.name,
        bound,
      })
    for (const each of [none, malformed, known]) judge(each, bare, { is: 'at most', must: 2, stretch: 1.6 })
    judge(spent, bare, { is: 'at most', must: 3, stretch: 2.2 })
    judge(always, row, { is: 'at most', must: 1, stretch: 0.6 })
  })
}

/** The numbers that replace a part of a signature. Their eight digits are valid base64url characters too. */
const signatures = { from: 10_000_000, to: 99_999_999 }

/** Replaces eight characters of a token's signature, so that only the signature is invalid. */
function forgeSignature(
  { authorization = '' }: ComparedRequest['headers'],
  eight: string,
): Record<string, string> {
  const at = authorization.lastIndexOf('.') + 10
  return { authorization: `${authorization.slice(0, at)}${eight}${authorization.slice(at + 8)}` }
}
