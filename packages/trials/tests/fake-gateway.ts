import { createServer, type IncomingMessage } from 'node:http'

/** A response of the fake gateway: status, body, and headers besides the content type. */
export interface FakeResponse {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}

/** Starts a server that issues tokens and responds to every other request with the next of the given responses. */
export async function openFakeGateway(answers: FakeResponse[]) {
  const asked: string[] = []
  const createResponse = (request: IncomingMessage): FakeResponse => {
    if (request.url === '/api/v1/auth/token')
      return { body: { data: { access_token: 'a token', expires_in: 3600 } } }
    asked.push(request.url ?? '')
    return answers.shift() ?? { status: 500, body: 'nothing more was expected' }
  }
  const server = createServer((request, response) => {
    const { status = 200, body, headers } = createResponse(request)
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    base_url: `http://127.0.0.1:${port}`,
    asked,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
