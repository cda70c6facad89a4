/** Reads the responses of a connection from their bytes, and checks what every response of the gateway must have. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { errorTable, isErrorCode } from '../../src/contract/error-table.ts'
import { errorBody } from '../../src/contract/fields.ts'
import { apiVersion } from '../../src/contract/version.ts'
import { requireThat } from './target.ts'

export interface RawResponse {
  readonly status: number
  /** The values by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  /** Undefined if it has none, as the response to HEAD. */
  readonly body: Buffer | undefined
}

const endOfHead = '\r\n\r\n'
const startOfNext = Buffer.from('HTTP/1.1 ')

/**
 * Reads the final responses of a connection, in their sequence. Throws if the bytes are no responses, or if the last one
 * was cut off. A response whose body does not follow is one to HEAD.
 */
export function readResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(endOfHead, at)
    const head = bytes.toString('latin1', at, end < 0 ? bytes.length : end)
    requireThat(end >= 0, `it is no whole head: ${JSON.stringify(head.slice(0, 200))}`)
    const { status, headers } = readHead(head)
    const start = end + endOfHead.length
    const { body, next } = hasBody(status, bytes.subarray(start))
      ? readBody(bytes, start, headers)
      : { body: undefined, next: start }
    if (status >= 200) responses.push({ status, headers, body })
    at = next
  }
  return responses
}

function hasBody(status: number, rest: Buffer): boolean {
  if (status < 200 || status === 204 || status === 304) return false
  return rest.length > 0 && !rest.subarray(0, startOfNext.length).equals(startOfNext)
}

function readHead(head: string): Pick<RawResponse, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const [, status = ''] = /^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(statusLine) ?? []
  requireThat(status !== '', `it is no status line: ${JSON.stringify(statusLine.slice(0, 200))}`)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+): ?([^\r\n\0]*)$/.exec(line) ?? []
    requireThat(name !== '', `it is no header: ${JSON.stringify(line.slice(0, 200))}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return { status: Number(status), headers }
}

function readBody(bytes: Buffer, start: number, headers: RawResponse['headers']) {
  if (headers.get('transfer-encoding')?.join() === 'chunked') return readChunks(bytes, start)
  const length = headers.get('content-length')?.join()
  // Without a length, the body ends with the connection.
  const next = length === undefined ? bytes.length : start + Number(length)
  requireThat(next <= bytes.length, `a response is cut off: ${bytes.length - start} of ${length} bytes came`)
  return { body: bytes.subarray(start, next), next }
}

function readChunks(bytes: Buffer, start: number) {
  const pieces: Buffer[] = []
  let at = start
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    requireThat(end >= 0 && size >= 0, 'a chunked response is cut off')
    const next = end + 2 + size + 2
    requireThat(bytes.toString('latin1', next - 2, next) === '\r\n', 'a chunk is not as long as it says')
    if (size === 0) return { body: Buffer.concat(pieces), next }
    pieces.push(bytes.subarray(end + 2, end + 2 + size))
    at = next
  }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** Reads the body of a response as text, decompressed. */
export function readText({ headers, body }: RawResponse): string {
  const coding = headers.get('content-encoding')?.join() ?? ''
  if (!body) return ''
  return (decoders[coding]?.(body) ?? body).toString('utf8')
}

const leaks = [
  /\bat [\w.<>]+ \(/,
  /\.[cm]?[jt]s:\d/,
  /node:internal|node_modules|file:\/\//,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError|GatewayError|SqliteError)\b/,
]
/** The statuses that a code may have besides the one of the error table. */
const furtherStatuses: Readonly<Record<string, readonly number[]>> = {
  BAD_REQUEST: [403, 404, 405, 408, 413, 414, 415, 417, 431],
}

/**
 * Checks the rules for every response: the version and the id of the request, no status for a fault of the gateway, the
 * envelope of an error with a stable code, and no internal details. A page reports an error as HTML, too.
 */
export function requireSoundResponse(response: RawResponse, mustBeJson = false): void {
  const { status, headers } = response
  const text = readText(response)
  const story = `${status} ${JSON.stringify(Object.fromEntries(headers))} ${text.slice(0, 400)}`
  requireThat(headers.get('x-api-version')?.join('|') === apiVersion, `X-API-Version is missing: ${story}`)
  const id = headers.get('x-request-id')?.join('|') ?? ''
  requireThat(/^[\w.-]{8,128}$/.test(id), `X-Request-Id is missing or repeated: ${story}`)
  for (const leak of leaks) requireThat(!leak.test(text), `internal details (${leak}): ${story}`)
  requireThat(status < 500, `a request led to ${status}: ${story}`)
  requireThat(status !== 401 || headers.has('www-authenticate'), `no WWW-Authenticate: ${story}`)
  requireThat(status !== 405 || headers.has('allow'), `no Allow: ${story}`)
  if (status >= 400) requireSoundFailure(response, { id, text, story, mustBeJson })
}

interface FailureFacts {
  readonly id: string
  readonly text: string
  readonly story: string
  readonly mustBeJson: boolean
}

function requireSoundFailure(
  { status, headers, body }: RawResponse,
  { id, text, story, mustBeJson }: FailureFacts,
): void {
  const type = headers.get('content-type')?.join('|') ?? ''
  const isJson = type === 'application/json; charset=utf-8' || type === 'application/json'
  requireThat(isJson || (!mustBeJson && /^text\/(?:html|markdown|plain)/.test(type)), `no envelope: ${story}`)
  if (!isJson || body === undefined) return
  const value: unknown = JSON.parse(text)
  if (isProtocolError(value)) return
  const envelope = errorBody.safeParse(value)
  requireThat(envelope.success, `the envelope does not fit: ${story}`)
  const { code, request_id } = envelope.data.error
  requireThat(isErrorCode(code) && code !== 'INTERNAL', `${code} is no stable code: ${story}`)
  requireThat(request_id === id, `request_id differs from X-Request-Id: ${story}`)
  const statuses = [errorTable[code].status, ...(furtherStatuses[code] ?? [])]
  requireThat(statuses.includes(status), `${code} has the wrong status: ${story}`)
}

/** Whether a value is an error of JSON-RPC, which `/mcp` has besides those of the API. */
function isProtocolError(value: unknown): boolean {
  const { jsonrpc, error } = Object(value)
  return jsonrpc === '2.0' && Number.isInteger(Object(error).code)
}
