/**
 * Sends exact bytes over TCP and reads the exact response, because HTTP clients would correct or hide errors. Every
 * response is checked: it is HTTP, has the two common headers and the envelope, and reveals nothing internal.
 */

import { STATUS_CODES } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { errorTable, isErrorCode } from '../src/contract/error-table.ts'
import { errorBody } from '../src/contract/fields.ts'
import { apiVersion } from '../src/contract/version.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  type LooseJson,
  legacySecret,
  readTestDatabaseUrl,
  type TestGateway,
  type World,
} from './harness.ts'

export interface RawAnswer {
  readonly status: number
  /** The values by lower-case name; every value that was sent, in the sequence of the response. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Buffer
}

export interface Conversation {
  /** The final responses, in the sequence in which they arrived. */
  readonly answers: readonly RawAnswer[]
  /** The statuses of interim responses (1xx). */
  readonly interim: readonly number[]
  /** Whether the gateway ended the connection. */
  readonly closed: boolean
}

export interface SendOptions {
  /** Whether to close the sending side after the last byte. */
  readonly end?: boolean
  /** Whether to wait until the gateway closes the connection, and not only for the responses. */
  readonly untilClosed?: boolean
  /** The number of expected responses. */
  readonly answers?: number
  /** Whether the request is a HEAD, whose response has no body. */
  readonly head?: boolean
  /** Whether to read nothing before the last byte was written, as a blocking client does. */
  readonly readLate?: boolean
}

/** Bytes to send. A string is sent in Latin-1: `\xff` is that byte. */
export type Bytes = string | Uint8Array

/**
 * The maximum wait for a response in milliseconds. None takes this long even on a busy machine, so a longer wait means
 * that the gateway hangs.
 */
const maxWaitMs = 8_000

/**
 * Writes the pieces one after another, and reads until the expected responses are complete or the gateway closes the
 * connection. Throws after a timeout, or if the bytes are not HTTP.
 */
export function exchangeBytes(
  port: number,
  pieces: Bytes | readonly Bytes[],
  options: SendOptions = {},
): Promise<Conversation> {
  const { promise, resolve, reject } = Promise.withResolvers<Conversation>()
  const received: Buffer[] = []
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const finish = (closed: boolean) => {
    clearTimeout(timer)
    socket.destroy()
    try {
      const { rest, ...parsed } = parseAnswers(Buffer.concat(received), options.head ?? false)
      if (closed && rest > 0) throw new Error(`${rest} bytes are left of an answer that is not whole.`)
      resolve({ ...parsed, closed })
    } catch (error) {
      reject(error)
    }
  }
  const hasAllAnswers = () => {
    try {
      const { answers } = parseAnswers(Buffer.concat(received), options.head ?? false)
      return !options.untilClosed && answers.length >= (options.answers ?? 1)
    } catch {
      return true
    }
  }
  const timer = setTimeout(() => {
    socket.destroy()
    reject(new Error(`No whole answer in ${maxWaitMs} ms: ${Buffer.concat(received).toString('latin1')}`))
  }, maxWaitMs)
  socket.on('data', (piece) => {
    received.push(piece)
    if (hasAllAnswers()) finish(false)
  })
  socket.on('end', () => finish(true))
  // A reset after the response is harmless. A reset instead of the response shows as a missing response.
  socket.on('error', () => finish(true))
  if (options.readLate) socket.pause()
  const list = typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces
  socket.on('connect', () => void writeAll(socket, list, options.end ?? false))
  return promise
}

async function writeAll(socket: Socket, pieces: readonly Bytes[], end: boolean): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  }
  socket.resume()
  if (end) socket.end()
}

interface Parsed {
  readonly answers: RawAnswer[]
  readonly interim: number[]
  /** The number of bytes after the last complete response. */
  readonly rest: number
}

function parseAnswers(bytes: Buffer, isHead: boolean): Parsed {
  const answers: RawAnswer[] = []
  const interim: number[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) break
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = parseStatus(statusLine)
    const headers = parseHeaders(lines)
    if (status < 200) {
      interim.push(status)
      at = end + 4
      continue
    }
    const hasBody = !isHead && status !== 304 && status !== 204
    const body = hasBody ? parseBodyAt(bytes, end + 4, headers) : { bytes: Buffer.alloc(0), next: end + 4 }
    if (!body) break
    answers.push({ status, headers, body: body.bytes })
    at = body.next
  }
  return { answers, interim, rest: bytes.length - at }
}

function parseStatus(line: string): number {
  const [, status = '', reason = ''] = /^HTTP\/1\.1 ([1-5]\d\d) (.*)$/.exec(line) ?? []
  if (status === '') throw new Error(`Not a status line: ${JSON.stringify(line.slice(0, 200))}`)
  if (reason !== STATUS_CODES[status]) throw new Error(`${status} has the reason ${JSON.stringify(reason)}`)
  return Number(status)
}

function parseHeaders(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+\-.^_`|~\w]+): ?([^\r\n\0]*)$/.exec(line) ?? []
    if (name === '') throw new Error(`Not a header: ${JSON.stringify(line.slice(0, 200))}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return headers
}

function parseBodyAt(bytes: Buffer, start: number, headers: ReadonlyMap<string, readonly string[]>) {
  const length = Number(headers.get('content-length')?.join() ?? Number.NaN)
  if (!Number.isInteger(length)) throw new Error('An answer does not say its length.')
  const next = start + length
  return bytes.length < next ? undefined : { bytes: bytes.subarray(start, next), next }
}

/** A caller with valid credentials, and the values that no response may reveal. */
export interface Insider extends World {
  readonly secrets: readonly string[]
}

export async function createInsider(house: TestGateway): Promise<Insider> {
  const own = await createWorld(house)
  const passwords = buyers.map(({ password }) => password)
  return { ...own, secrets: [own.token, own.client_secret, adminToken, legacySecret, ...passwords] }
}

/** Internal details: stack frames, file names, error names, paths. */
const leaks = [
  /\bat [\w.<>]+ \(/,
  /\.[cm]?[jt]s:\d/,
  /node:internal|node_modules|file:\/\//,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError|GatewayError|SqliteError)\b/,
]

/** Throws if a response reveals internal details. */
export function expectNoLeak(said: string, secrets: readonly string[]) {
  for (const leak of leaks) expect(said).not.toMatch(leak)
  expect(said.includes(process.cwd()), 'the answer shows where the gateway lives').toBe(false)
  for (const secret of secrets) expect(said.includes(secret), 'the answer shows a secret').toBe(false)
}

/** The statuses that a code may have in addition to its status in the error table. */
const furtherStatuses: Readonly<Record<string, readonly number[]>> = {
  BAD_REQUEST: [404, 405, 408, 413, 414, 415, 417, 431],
  INTERNAL: [503],
}

/** Checks the rules that every response of the process must follow. */
export function expectSafeResponse(answer: RawAnswer, secrets: readonly string[], isHead = false) {
  const { status, headers, body } = answer
  const text = body.toString('utf8')
  const said = `${status} ${text.slice(0, 300)}`
  expect(headers.get('x-api-version'), said).toEqual([apiVersion])
  const [requestId = '', ...more] = headers.get('x-request-id') ?? []
  expect(requestId, said).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  expect(more, said).toEqual([])
  for (const injected of ['set-cookie', 'x-injected', 'location']) expect(headers.has(injected)).toBe(false)
  expectNoLeak([...headers.values()].flat().concat(text).join('\n'), secrets)
  if (status === 401) expect(headers.get('www-authenticate')?.length, said).toBe(1)
  if (status === 405) expect(headers.get('allow')?.length, said).toBe(1)
  if (status < 400) return
  expect(headers.get('content-type'), said).toEqual(['application/json; charset=utf-8'])
  if (isHead) return
  const { error } = errorBody.parse(JSON.parse(text))
  expect(error.request_id, said).toBe(requestId)
  if (!isErrorCode(error.code)) return expect.fail(`${error.code} is not one of the 28 codes`)
  expect([errorTable[error.code].status, ...(furtherStatuses[error.code] ?? [])], said).toContain(status)
}

/** Returns the error object of a failure; undefined for any other response and for one without a body. */
export function readError(answer: RawAnswer | undefined): LooseJson | undefined {
  if (!answer || answer.status < 400 || answer.body.length === 0) return undefined
  const body: LooseJson = JSON.parse(answer.body.toString('utf8'))
  return body.error
}

export interface RawCase {
  readonly name: string
  /** The bytes to send. In them, `{token}`, `{admin}` and `{secret}` are replaced with the valid values. */
  readonly bytes: Bytes | readonly Bytes[]
  readonly status: number
  readonly code?: string
  readonly param?: string
  /** The expected headers of the response, by lower-case name. */
  readonly answers?: Readonly<Record<string, string | RegExp>>
  readonly send?: SendOptions
}

/** Sends the bytes of one case and checks its response. */
export async function expectAnswer(house: TestGateway, who: Insider, each: RawCase): Promise<Conversation> {
  const { bytes, status, code, param, answers = {}, send = {} } = each
  const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes
  const said = await exchangeBytes(
    house.port,
    pieces.map((piece) => fillPlaceholders(piece, who)),
    send,
  )
  expect(said.answers.length).toBe(1)
  const [answer] = said.answers
  if (!answer) return said
  expectSafeResponse(answer, who.secrets, send.head)
  const error = readError(answer)
  expect({ status: answer.status, code: error?.code, param: error?.param }).toEqual({
    status,
    code: send.head ? undefined : code,
    param,
  })
  for (const [name, value] of Object.entries(answers))
    expect(answer.headers.get(name)?.join('|') ?? '').toMatch(value)
  return said
}

function fillPlaceholders(piece: Bytes, who: Insider): Bytes {
  if (typeof piece !== 'string') return piece
  return piece
    .replaceAll('{token}', who.token)
    .replaceAll('{admin}', adminToken)
    .replaceAll('{secret}', who.client_secret)
}

/** Builds a request whose head is valid apart from the given parts. */
export function buildRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: gateway.example', ...headers, '', body].join('\r\n')
}

const maxHeapGrowth = 192 * 1024 * 1024
/**
 * The maximum number of open sockets, without the listening one. A few connections of the previous test may still be
 * closing.
 */
const maxSockets = 4
/**
 * The maximum number of additional sockets on PostgreSQL, where the pool, the locks and the listener keep their
 * connections.
 */
const maxDatabaseSockets = 18

export function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

/**
 * Checks after a series of cases that the gateway still serves requests, and that neither open connections nor memory
 * have accumulated.
 */
export async function expectHealthy(house: TestGateway, who: Insider, heapBefore: number): Promise<void> {
  const live = await call(house, 'GET', '/livez', { headers: { connection: 'close' } })
  expect(live.json).toEqual({ data: { live: true } })
  const me = await call(house, 'GET', '/api/v1/me', { token: who.token, headers: { connection: 'close' } })
  expect(me.json.data.channel.channel_code).toBe(who.channel_code)
  await expect
    .poll(countSockets, { timeout: 5_000 })
    .toBeLessThanOrEqual(readTestDatabaseUrl() === undefined ? maxSockets : maxSockets + maxDatabaseSockets)
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(maxHeapGrowth)
}
