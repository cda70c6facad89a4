/** What identifies a caller, and what an agent sends. */
import fc from 'fast-check'
import { createWorld, openTestGateway } from '../harness.ts'
import { exchange, requireSoundResponses } from './exchange.ts'
import { openServer, tokenPlace } from './open-server.ts'
import { type FuzzTarget, requireThat, soupOf } from './target.ts'

const tokenPart = soupOf(
  ['.', 'eyJhbGciOiJub25lIn0', 'eyJhbGciOiJFZERTQSJ9', 'e30', '{}', '=', '-', '_', 'A'],
  'binary-ascii',
)

interface TokenEdit {
  readonly part: number
  readonly at: number
  readonly put: string
}

export const jwt: FuzzTarget<{ readonly text: string } | TokenEdit> = {
  name: 'jwt',
  inputs: fc.oneof(
    fc.record({ text: tokenPart }),
    fc.record({ part: fc.nat({ max: 2 }), at: fc.double({ min: 0, max: 1, noNaN: true }), put: tokenPart }),
  ),
  async open() {
    const house = await openTestGateway({ isEmbedded: true })
    const { token } = await createWorld(house)
    return {
      async check(input) {
        const parts = token.split('.')
        if ('part' in input) {
          const part = parts[input.part] ?? ''
          const place = Math.floor(input.at * part.length)
          parts[input.part] = part.slice(0, place) + input.put + part.slice(place)
        }
        const sent = ('text' in input ? input.text : parts.join('.')).replaceAll(/[\r\n]/g, '')
        const head = `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${sent}`
        const bytes = await exchange(house.port, Buffer.from(`${head}\r\n\r\n`, 'latin1'), true)
        requireSoundResponses(bytes)
        const isAccepted = bytes.toString('latin1').startsWith('HTTP/1.1 200 ')
        // Blanks at the end do not belong to a header's value (RFC 9110 §5.5). Those before the token do.
        const isIssued = sent.replace(/[ \t]+$/, '') === token
        const outcome = isAccepted ? 'accepted' : 'refused'
        requireThat(isAccepted === isIssued, `${JSON.stringify(sent)} is ${outcome}`)
      },
      close: () => house.close(),
    }
  },
}

export const mcp: FuzzTarget<{
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}> = {
  name: 'mcp',
  inputs: fc.record({
    headers: fc.array(
      fc.tuple(
        fc.constantFrom(
          'Mcp-Method',
          'Mcp-Name',
          'MCP-Protocol-Version',
          'Origin',
          'Mcp-Session-Id',
          'Last-Event-ID',
        ),
        fc.constantFrom(
          'tools/call',
          'tools/list',
          'list_endpoints',
          '2026-07-28',
          '2025-11-25',
          'http://evil',
          '',
        ),
      ),
      { maxLength: 4 },
    ),
    body: fc.oneof(
      fc
        .record({
          jsonrpc: fc.constantFrom('2.0', '1.0'),
          id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
          method: fc.constantFrom(
            'tools/call',
            'tools/list',
            'initialize',
            'resources/read',
            'ping',
            'server/discover',
          ),
          params: fc.oneof(
            fc.jsonValue({ maxDepth: 3 }),
            fc.record({
              name: fc.constantFrom('list_endpoints', 'call_endpoint', 'get_stock', 'search_docs', 'nope'),
              arguments: fc.jsonValue({ maxDepth: 3 }),
            }),
          ),
        })
        .map((request) => JSON.stringify(request)),
      fc.json({ maxDepth: 4 }),
    ),
  }),
  open: () =>
    openServer(async (send, { headers, body: content }) => {
      const bytes = Buffer.from(content)
      const lines = [
        'POST /mcp HTTP/1.1',
        ...[
          'Host: a',
          'Connection: close',
          `Authorization: Bearer ${tokenPlace}`,
          'Content-Type: application/json',
        ],
        ...['Accept: application/json, text/event-stream', `Content-Length: ${bytes.length}`],
        ...headers.map(([name, value]) => `${name}: ${value}`),
      ]
      const said = await send(`${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`, true)
      requireThat(said.startsWith('HTTP/1.1 '), 'a whole request has no response')
    }),
}
