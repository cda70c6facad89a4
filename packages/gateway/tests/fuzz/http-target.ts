/** HTTP over raw sockets: requests that are nearly valid, damaged at random places, one or several on a connection. */
import fc from 'fast-check'
import { adminCatalogue, catalogue } from '../../src/catalogue.ts'
import { openServer, tokenPlace } from './open-server.ts'
import { type FuzzTarget, soupOf } from './target.ts'

const paths = [...catalogue, ...adminCatalogue].map(({ path }) => path)
const path = fc.oneof(
  fc
    .constantFrom(...paths)
    .chain((each) =>
      soupOf(['AUSYD1', 'a', '%2f', '..', '1']).map((word) =>
        each.replaceAll(/\{\w+\}/g, () => toTarget(word) || 'x'),
      ),
    ),
  soupOf(['/', 'api', 'v1', 'docs', 'mcp', '..', '%', '?', '#', '*', 'http://a/']).map(toTarget),
  fc.constantFrom('/mcp', '/docs', '/livez', '/metrics', '/search.json?q=a', '/openapi.json', '*'),
)

/** Removes what would end the request line. Mutations put it back. */
function toTarget(text: string): string {
  return text.replaceAll(/[\s\u0100-\uffff]/g, '')
}

const header = fc.tuple(
  fc.constantFrom(
    ...[
      'Accept',
      'Accept-Encoding',
      'Accept-Language',
      'Authorization',
      'Connection',
      'Content-Length',
      'Cookie',
    ],
    ...[
      'Content-Type',
      'Expect',
      'Host',
      'Idempotency-Key',
      'If-None-Match',
      'Origin',
      'Range',
      'TE',
      'Trailer',
    ],
    ...[
      'Transfer-Encoding',
      'Upgrade',
      'X-Request-Id',
      'X-Forwarded-For',
      'traceparent',
      'Mcp-Method',
      'X-Admin-Token',
    ],
  ),
  fc.oneof(
    fc.constantFrom(
      ...[
        '0',
        '5',
        '-1',
        '1e1',
        '5, 5',
        'chunked',
        'gzip, chunked',
        'identity',
        '100-continue',
        'close',
        'keep-alive',
      ],
      ...[
        'upgrade',
        'h2c',
        'websocket',
        'application/json',
        'text/csv',
        '*/*;q=0',
        `Bearer ${tokenPlace}`,
        'Basic YTpi',
      ],
    ),
    soupOf(['a', ',', ';', '=', '"', '\t', ' ', '\xff'], 'binary-ascii'),
  ),
)
const body = fc.oneof(
  fc.constant(''),
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    '0\r\n\r\n',
    '5\r\nhello\r\n0\r\n\r\n',
    'fffffffff\r\n',
    '5;a=b\r\nhel',
    '0\r\nX: y\r\n\r\n',
  ),
  soupOf(['{', '}', '"sku"', ':', '"lines"', '[', ']', '1', ',']),
)
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat({ max: 12 }),
  put: fc.oneof(
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '\r\n\r\n',
      '\0',
      ' ',
      ':',
      'HTTP/1.1',
      'HTTP/2.0',
      'GET / HTTP/1.1\r\n\r\n',
      '',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  ),
})

interface Message {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly isSigned: boolean
  readonly body: string
  /** Whether a right `Content-Length` is added. */
  readonly isMeasured: boolean
  readonly edits: readonly { readonly at: number; readonly cut: number; readonly put: string }[]
}

const message: fc.Arbitrary<Message> = fc.record({
  method: fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'PRI',
    'get',
  ),
  path,
  headers: fc.array(header, { maxLength: 6 }),
  isSigned: fc.boolean(),
  body,
  isMeasured: fc.boolean(),
  edits: fc.array(edit, { maxLength: 3 }),
})

/** Writes a message as bytes in Latin-1, and then damages it. */
function writeMessage({
  method,
  path: target,
  headers,
  isSigned,
  body: content,
  isMeasured,
  edits,
}: Message): string {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: gateway.example',
    ...(isSigned ? [`Authorization: Bearer ${tokenPlace}`, 'Content-Type: application/json'] : []),
    ...(isMeasured ? [`Content-Length: ${Buffer.byteLength(content, 'latin1')}`] : []),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  let text = `${lines.join('\r\n')}\r\n\r\n${content}`
  for (const { at, cut, put } of edits) {
    const place = Math.floor(at * text.length)
    text = text.slice(0, place) + put + text.slice(place + cut)
  }
  return text
}

export const http: FuzzTarget<readonly Message[]> = {
  name: 'http',
  inputs: fc.array(message, { minLength: 1, maxLength: 3 }),
  open: () =>
    openServer(async (send, messages) => {
      await send(messages.map(writeMessage).join(''))
    }),
}
