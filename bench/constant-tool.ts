import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createMcpHandler, type Server, Server as ToolServer } from '@modelcontextprotocol/server'

/**
 * A tool that knows its answer, on the SDK of the gateway, with nothing around it: no identity, no permissions, no
 * quota, no stock. Arguments: port, file with the result.
 */
const [, , port, file = ''] = process.argv
const result = JSON.parse(readFileSync(file, 'utf8'))
const identity = { name: 'constant', version: '1' }
const options = {
  capabilities: { tools: {} },
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('Nothing is elicited here.')
    },
  },
}

function constantServer(): Server {
  const server = new ToolServer(identity, options)
  server.setRequestHandler('tools/list', () => ({ tools: [] }))
  server.setRequestHandler('tools/call', () => result)
  return server
}

const handler = createMcpHandler(constantServer)

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const server = createServer(async (request, response) => {
  const parsedBody = await bodyOf(request)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const asked = new Request('http://localhost/mcp', { method: 'POST', headers })
  const answer = await handler.fetch(asked, { parsedBody })
  const text = await answer.text()
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
})
server.keepAliveTimeout = 65_000
server.listen(Number(port), '127.0.0.1')
