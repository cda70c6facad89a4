import { createServer, type IncomingMessage } from 'node:http'

/** An answer of the fake: status, body, and headers beside the content type. */
export interface FakeAnswer {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}

/** A server that gives out tokens and answers every other request with the next of the answers it was given. */
export async function fakeGateway(answers: FakeAnswer[]) {
  const asked: string[] = []
  const answerTo = (request: IncomingMessage): FakeAnswer => {
    if (request.url === '/api/v1/auth/token') return { body: { access_token: 'a token' } }
    asked.push(request.url ?? '')
    return answers.shift() ?? { status: 500, body: 'nothing more was expected' }
  }
  const server = createServer((request, response) => {
    const { status = 200, body, headers } = answerTo(request)
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
