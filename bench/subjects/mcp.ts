import { type Subject, withGateway } from '../bench.ts'
import { createWrkContender, runContest } from '../contest.ts'
import type { RunningGateway } from '../gateway.ts'
import { formatSku, warehouse } from '../goods.ts'
import { ParityError } from '../parity.ts'
import { startConstantTool } from '../references.ts'
import { type HttpExchange, sendRequest } from '../send-request.ts'

const connections = 32
const revision = '2026-07-28'

/** Creates a contender: an MCP client that looks up one SKU. */
export async function createMcpContenders({ headers: own, url, stock, process: server }: RunningGateway) {
  const body = JSON.stringify(createCallRequest(formatSku(stock.rows >> 1)))
  const headers = { ...own, ...protocolHeaders }
  const check = createWrkContender({
    name: 'check_stock, 1 SKU',
    url: `${url}/mcp`,
    headers,
    body,
    connections,
    server,
  })
  parseResult(await sendRequest(check.url, { method: 'POST', headers, body }))
  return { check }
}

/** Compares an MCP tool call with a tool that returns a constant result on the same SDK. */
export const measureMcp: Subject = async (bench) => {
  await withGateway(await bench.provideStock('middle'), async (gateway) => {
    const { check } = await createMcpContenders(gateway)
    const post = async (url: string) =>
      parseResult(await sendRequest(url, { method: 'POST', headers: check.headers, body: check.body }))
    const result = await post(check.url)
    const { process: server, url } = await startConstantTool(bench.folder, result)
    if (JSON.stringify(await post(url)) !== JSON.stringify(result))
      throw new ParityError('The two tools return different results.')
    const constant = createWrkContender({ ...check, name: 'a constant tool', url, server, isReference: true })
    const found = await runContest({ name: 'MCP tool call', contenders: [constant, check] }, bench.options)
    await server.end()
    bench.report.addContest(found)
    bench.report.judgeRatio(found, {
      subject: 'mcp',
      target: 'check_stock / a constant tool',
      by: 'rate',
      of: check.name,
      over: constant.name,
      bound: { is: 'at least', must: 0.8, stretch: 1 },
    })
  })
}

const protocolHeaders = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': 'check_stock',
}

function createCallRequest(sku: string) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'check_stock',
      arguments: { skus: [sku], warehouse_code: warehouse.warehouse_code },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
}

/** Parses the result of a successful call with one row. Throws `ParityError` for any other response. */
function parseResult({ status, body }: HttpExchange): Record<string, unknown> {
  const { result = {} } = JSON.parse(body.toString())
  const { content, structuredContent } = result
  if (status === 200 && structuredContent?.rows?.length === 1) return { content, structuredContent }
  throw new ParityError(`The action returned ${status}: ${body.toString('utf8', 0, 300)}`)
}
