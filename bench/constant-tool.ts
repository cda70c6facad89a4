import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createMcpHandler, type Server, Server as ToolServer } from '@modelcontextprotocol/server'

/**
 * The baseline for MCP: a tool on the gateway's MCP SDK that always returns the same result. There is no
 * authentication, permission check, quota or stock. Arguments: port, file with the result.
 */

const [, , port, file = ''] = process.argv
const result = JSON.parse(readFileSync(file, 'utf8'))
const identity = { name: 'constant', version: '1' }
const options = {
  capabilities: { tools: {} },
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('This server never sends an elicitation.')
    },
  },
}

function createConstantServer(): Server {
  const server = new ToolServer(identity, options)
  server.setRequestHandler('tools/list', () => ({ tools: [] }))
  server.setRequestHandler('tools/call', () => result)
  return server
}

const handler = createMcpHandler(createConstantServer)

async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const server = createServer(async (request, response) => {
  const parsedBody = await readJsonBody(request)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const mcpRequest = new Request('http://localhost/mcp', { method: 'POST', headers })
  const mcpResponse = await handler.fetch(mcpRequest, { parsedBody })
  const text = await mcpResponse.text()
  response.writeHead(mcpResponse.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
})
server.keepAliveTimeout = 65_000
server.listen(Number(port), '127.0.0.1')
