/**
 * Draws HTTP messages: calls of endpoints as their declarations describe them, signed by one of the callers, and requests
 * of any other kind. Either may be damaged at random places.
 */
import fc from 'fast-check'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../../src/catalogue.ts'
import type { Endpoint } from '../../src/endpoint.ts'
import { drawContent, drawPath, drawSearch, jsonType } from './endpoint-draws.ts'
import { fillPlaces, type Known, type Signer, signatures, signers, toPlace } from './known.ts'
import { soupOf } from './target.ts'

/** A request, in which places stand for tokens and ids. */
export interface Message {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly signer: Signer
  /** The media type of the body; no header if it is empty. */
  readonly type: string
  readonly body: string
  /** Whether a right `Content-Length` is added. */
  readonly isMeasured: boolean
  readonly edits: readonly { readonly at: number; readonly cut: number; readonly put: string }[]
}

/** The parts of a message that depend on each other. */
type Request = Pick<Message, 'method' | 'path' | 'signer' | 'type' | 'body'>

const methods = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'get'],
] as const

/**
 * Every endpoint. Two of them only refuse here: the store is in memory, which has no file to back up, and the ERP always
 * responds, so no write is in doubt. The sandbox's controls are not connected to the ERP: at its faults and its clock,
 * a right gateway responds with 500 and above, which the oracle takes for a fault of the gateway.
 */
const endpoints = [...catalogue, ...adminCatalogue, ...sandboxCatalogue]

const usualSigner = { public: 'none', bearer: 'buyer', admin: 'admin' } as const satisfies Record<
  Endpoint['access'],
  Signer
>

/** Draws calls of an endpoint. Most are signed by a caller who may call it. */
function drawCall(endpoint: Endpoint): fc.Arbitrary<Request> {
  const { method, access } = endpoint
  return fc
    .record({
      method: fc.oneof(
        { weight: 15, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      target: fc.tuple(drawPath(endpoint), drawSearch(endpoint)).map((parts) => parts.join('')),
      signer: fc.oneof(
        { weight: 9, arbitrary: fc.constant(usualSigner[access]) },
        { weight: 1, arbitrary: fc.constantFrom(...signers) },
      ),
      content: drawContent(endpoint),
    })
    .map(({ target, content, ...rest }) => ({ ...rest, path: target, ...content }))
}

const path = fc.oneof(
  fc
    .constantFrom(...endpoints)
    .chain((each) =>
      soupOf(['AUSYD1', 'a', '%2f', '..', '1']).map((word) =>
        each.path.replaceAll(/\{\w+\}/g, () => toTarget(word) || 'x'),
      ),
    ),
  soupOf(['/', 'api', 'v1', 'docs', 'mcp', '..', '%', '?', '#', '*', 'http://a/']).map(toTarget),
  fc.constantFrom('/mcp', '/docs', '/livez', '/metrics', '/search.json?q=a', '/openapi.json', '*'),
)

/** Removes what would end the request line. Mutations put it back. */
function toTarget(text: string): string {
  return text.replaceAll(/[\s\u0100-\uffff]/g, '')
}

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

/** What an endpoint reaches decides how often it is drawn: a read less than a write, and most what writes to the ERP. */
function weigh({ method, writesUpstream }: Endpoint): number {
  if (method === 'GET') return 1
  return writesUpstream ? 5 : 2
}

const endpointCall = fc.oneof(
  ...endpoints.map((each) => ({ weight: weigh(each), arbitrary: drawCall(each) })),
)
const otherRequest: fc.Arbitrary<Request> = fc.record({
  method: fc.constantFrom(...methods),
  path,
  signer: fc.constantFrom(...signers),
  type: fc.constantFrom('', jsonType),
  body,
})

const headerNames = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Connection', 'Content-Length'],
  ...['Content-Type', 'Cookie', 'Expect', 'Host', 'Idempotency-Key', 'If-None-Match', 'Origin', 'Range'],
  ...['TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'X-Request-Id', 'X-Forwarded-For', 'traceparent'],
  ...['Mcp-Method', 'X-Admin-Token'],
]
const headerValues = [
  ...['0', '5', '-1', '1e1', '5, 5', 'chunked', 'gzip, chunked', 'identity', '100-continue', 'close'],
  ...['keep-alive', 'upgrade', 'h2c', 'websocket', 'application/json', 'text/csv', '*/*;q=0'],
  ...[`Bearer ${toPlace('buyer_token')}`, 'Basic YTpi'],
]
const header = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.tuple(
      fc.constantFrom(...headerNames),
      fc.oneof(
        fc.constantFrom(...headerValues),
        soupOf(['a', ',', ';', '=', '"', '\t', ' ', '\xff'], 'binary-ascii'),
      ),
    ),
  },
  // Only under its own name: an id of a request goes to the log, and whoever sends the token as one reveals it.
  { weight: 1, arbitrary: fc.tuple(fc.constant('X-Admin-Token'), fc.constant(toPlace('admin_token'))) },
)
const headers = fc.array(header, { maxLength: 6 })

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat({ max: 12 }),
  put: fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', ':', 'HTTP/1.1', 'HTTP/2.0'),
    fc.constantFrom('GET / HTTP/1.1\r\n\r\n', ''),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  ),
})

/** Headers that say nothing about where a message ends, or about the connection. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Cookie', 'If-None-Match', 'Origin', 'Range'],
  ...['Idempotency-Key', 'X-Forwarded-For', 'traceparent', 'Mcp-Method', 'X-Admin-Token'],
])
/** A response to one of these would change how the bytes after it are read. */
const unusualMethods: ReadonlySet<string> = new Set(['CONNECT', 'PRI', 'get'])

const isHarmless = ([name, value]: readonly [string, string]) =>
  harmlessHeaders.has(name) && /^[ -~\t\x80-\xff]*$/.test(value)

/** Whether it is known where a message ends, so that the next one must have a response, too. */
export function isPlain({ method, headers, body: content, isMeasured, edits }: Message): boolean {
  const isFramed = isMeasured || content === ''
  return edits.length === 0 && isFramed && !unusualMethods.has(method) && headers.every(isHarmless)
}

const toMessage = ([drawn, parts]: [Request, Omit<Message, keyof Request>]): Message => ({
  ...drawn,
  ...parts,
})

export const message: fc.Arbitrary<Message> = fc
  .tuple(
    fc.oneof(endpointCall, otherRequest),
    fc.record({ headers, isMeasured: fc.boolean(), edits: fc.array(edit, { maxLength: 3 }) }),
  )
  .map(toMessage)

export const plainMessage: fc.Arbitrary<Message> = fc
  .tuple(
    fc.oneof({ weight: 8, arbitrary: endpointCall }, { weight: 1, arbitrary: otherRequest }),
    fc.record({
      headers: headers.map((list) => list.filter(isHarmless)),
      isMeasured: fc.constant(true),
      edits: fc.constant([]),
    }),
  )
  .map(toMessage)

/**
 * Writes a message as bytes in Latin-1, and then damages it. The body's places are filled before it is measured, and
 * those of the head after the damage, which would otherwise mostly hit a token.
 */
export function writeMessage(drawn: Message, known: Known): string {
  const content = fillPlaces(drawn.body, known)
  const lines = [
    `${drawn.method} ${drawn.path} HTTP/1.1`,
    'Host: gateway.example',
    ...signatures[drawn.signer],
    ...(drawn.type === '' ? [] : [`Content-Type: ${drawn.type}`]),
    ...(drawn.isMeasured ? [`Content-Length: ${Buffer.byteLength(content, 'latin1')}`] : []),
    ...drawn.headers.map(([name, value]) => `${name}: ${value}`),
  ]
  let text = `${lines.join('\r\n')}\r\n\r\n${content}`
  for (const { at, cut, put } of drawn.edits) {
    const place = Math.floor(at * text.length)
    text = text.slice(0, place) + put + text.slice(place + cut)
  }
  return fillPlaces(text, known)
}
