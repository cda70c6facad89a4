import { ask, type Seen } from '../ask.ts'
import { type Subject, withGateway } from '../bench.ts'
import { contest } from '../contest.ts'
import { skuOf, warehouse } from '../goods.ts'
import { BrokenParity } from '../parity.ts'
import { startConstantTool } from '../references.ts'

const connections = 32
const revision = '2026-07-28'

/** An agent looks up one SKU, against a tool that knows its answer on the same SDK. */
export const mcp: Subject = async (bench) => {
  const stock = await bench.stock('middle')
  await withGateway(stock, async ({ headers: own, url, process: server }) => {
    const body = JSON.stringify(requestFor(skuOf.number(stock.rows >> 1)))
    const headers = { ...own, ...protocolHeaders }
    const real = { name: 'check_stock, 1 SKU', url: `${url}/mcp`, headers, body }
    const found = resultOf(await ask(real.url, { method: 'POST', headers, body }))
    const { process: constantServer, url: constantUrl } = await startConstantTool(bench.folder, found)
    const constant = { name: 'a constant tool', url: constantUrl, headers, body }
    const told = resultOf(await ask(constantUrl, { method: 'POST', headers, body }))
    if (JSON.stringify(told) !== JSON.stringify(found))
      throw new BrokenParity('The two tools answer differently.')
    const seen = await contest(
      'An agent',
      [
        { ...constant, connections, server: constantServer, isReference: true },
        { ...real, connections, server },
      ],
      bench.options,
    )
    await constantServer.end()
    bench.report.add(seen)
    bench.report.compare(seen, {
      subject: 'mcp',
      target: 'check_stock / a constant tool',
      of: real.name,
      over: constant.name,
      bound: { is: 'at least', must: 0.8 },
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

function requestFor(sku: string) {
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

/** The result of a successful call, of one row. Throws `BrokenParity`. */
function resultOf({ status, body }: Seen): Record<string, unknown> {
  const { result = {} } = JSON.parse(body.toString())
  const { content, structuredContent } = result
  if (status === 200 && structuredContent?.rows?.length === 1) return { content, structuredContent }
  throw new BrokenParity(`The action answered ${status}: ${body.toString('utf8', 0, 300)}`)
}
