import { STATUS_CODES } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import { errorTable, isErrorCode } from '../src/contract/errors.ts'
import { errorBody } from '../src/contract/fields.ts'
import {
  adminToken,
  buyers,
  call,
  type House,
  type Loose,
  legacySecret,
  testDatabaseUrl,
  type World,
  world,
} from './harness.ts'

/**
 * Exact bytes over TCP, and the exact answer: what HTTP clients would mend on their way out or hide on their way in.
 * Every answer is checked: it is HTTP, has the two headers and the envelope, and tells nothing from inside.
 */
export interface RawAnswer {
  readonly status: number
  /** Lower-case names; every value that was sent, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: Buffer
}

export interface Conversation {
  /** Final answers, in order. */
  readonly answers: readonly RawAnswer[]
  /** Statuses of interim answers (1xx). */
  readonly interim: readonly number[]
  /** Whether the gateway ended the connection. */
  readonly closed: boolean
}

export interface SendOptions {
  /** Ends our side after the last byte. */
  readonly end?: boolean
  /** Waits for the gateway to end the connection, not only for the answers. */
  readonly untilClosed?: boolean
  /** How many answers are awaited. */
  readonly answers?: number
  /** The request is a HEAD, whose answer has no body. */
  readonly head?: boolean
  /** Reads nothing before the last byte was written, as a blocking client does. */
  readonly readLate?: boolean
}

/** A string stands for its Latin-1 bytes: `\xff` is that byte. */
export type Bytes = string | Uint8Array

/** No answer takes longer, not even on a busy machine: what does is a hang. */
const mostWaitMs = 8_000

/**
 * Writes the pieces, each when the one before it has left, and reads until the awaited answers are whole or the
 * gateway ends the connection. Throws where neither happens in time, or where the bytes are not HTTP.
 */
export function converse(
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
  const isWhole = () => {
    try {
      const { answers } = parseAnswers(Buffer.concat(received), options.head ?? false)
      return !options.untilClosed && answers.length >= (options.answers ?? 1)
    } catch {
      return true
    }
  }
  const timer = setTimeout(() => {
    socket.destroy()
    reject(new Error(`No whole answer in ${mostWaitMs} ms: ${Buffer.concat(received).toString('latin1')}`))
  }, mostWaitMs)
  socket.on('data', (piece) => {
    received.push(piece)
    if (isWhole()) finish(false)
  })
  socket.on('end', () => finish(true))
  // A reset after the answer is no loss; a reset instead of an answer shows as no answer.
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
  /** Bytes after the last whole answer. */
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
    const status = statusOf(statusLine)
    const headers = headersOf(lines)
    if (status < 200) {
      interim.push(status)
      at = end + 4
      continue
    }
    const hasBody = !isHead && status !== 304 && status !== 204
    const body = hasBody ? bodyAt(bytes, end + 4, headers) : { bytes: Buffer.alloc(0), next: end + 4 }
    if (!body) break
    answers.push({ status, headers, body: body.bytes })
    at = body.next
  }
  return { answers, interim, rest: bytes.length - at }
}

function statusOf(line: string): number {
  const [, status = '', reason = ''] = /^HTTP\/1\.1 ([1-5]\d\d) (.*)$/.exec(line) ?? []
  if (status === '') throw new Error(`Not a status line: ${JSON.stringify(line.slice(0, 200))}`)
  if (reason !== STATUS_CODES[status]) throw new Error(`${status} has the reason ${JSON.stringify(reason)}`)
  return Number(status)
}

function headersOf(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+\-.^_`|~\w]+): ?([^\r\n\0]*)$/.exec(line) ?? []
    if (name === '') throw new Error(`Not a header: ${JSON.stringify(line.slice(0, 200))}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  return headers
}

function bodyAt(bytes: Buffer, start: number, headers: ReadonlyMap<string, readonly string[]>) {
  const length = Number(headers.get('content-length')?.join() ?? Number.NaN)
  if (!Number.isInteger(length)) throw new Error('An answer does not say its length.')
  const next = start + length
  return bytes.length < next ? undefined : { bytes: bytes.subarray(start, next), next }
}

/** Who asks, and what no answer to anybody may show. */
export interface Insider extends World {
  readonly secrets: readonly string[]
}

export async function insider(house: House): Promise<Insider> {
  const own = await world(house)
  const passwords = buyers.map(({ password }) => password)
  return { ...own, secrets: [own.token, own.client_secret, adminToken, legacySecret, ...passwords] }
}

/** What comes from inside a process: stack frames, file names, the names of its errors, where it lives. */
const leaks = [
  /\bat [\w.<>]+ \(/,
  /\.[cm]?[jt]s:\d/,
  /node:internal|node_modules|file:\/\//,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError|GatewayError|SqliteError)\b/,
]

/** Throws where an answer shows something from inside. */
export function expectNoLeak(said: string, secrets: readonly string[]) {
  for (const leak of leaks) expect(said).not.toMatch(leak)
  expect(said.includes(process.cwd()), 'the answer shows where the gateway lives').toBe(false)
  for (const secret of secrets) expect(said.includes(secret), 'the answer shows a secret').toBe(false)
}

/** Statuses that stand under a code besides its own. */
const furtherStatuses: Readonly<Record<string, readonly number[]>> = {
  BAD_REQUEST: [404, 405, 408, 413, 414, 415, 417, 431],
  INTERNAL: [503],
}

/** What holds for every answer of the process. */
export function expectSound(answer: RawAnswer, secrets: readonly string[], isHead = false) {
  const { status, headers, body } = answer
  const text = body.toString('utf8')
  const said = `${status} ${text.slice(0, 300)}`
  expect(headers.get('x-api-version'), said).toEqual(['1.4.0'])
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

/** The error object of a failure, or undefined. */
export function errorOf(answer: RawAnswer | undefined): Loose | undefined {
  if (!answer || answer.status < 400 || answer.body.length === 0) return undefined
  const body: Loose = JSON.parse(answer.body.toString('utf8'))
  return body.error
}

export interface RawCase {
  readonly name: string
  /** `{token}`, `{admin}` and `{secret}` stand for the insider's own. */
  readonly bytes: Bytes | readonly Bytes[]
  readonly status: number
  readonly code?: string
  readonly param?: string
  /** Headers of the answer, by lower-case name. */
  readonly answers?: Readonly<Record<string, string | RegExp>>
  readonly send?: SendOptions
}

/** Sends one case's bytes and checks its one answer. */
export async function expectAnswer(house: House, who: Insider, each: RawCase): Promise<Conversation> {
  const { bytes, status, code, param, answers = {}, send = {} } = each
  const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes
  const said = await converse(
    house.port,
    pieces.map((piece) => filled(piece, who)),
    send,
  )
  expect(said.answers.length).toBe(1)
  const [answer] = said.answers
  if (!answer) return said
  expectSound(answer, who.secrets, send.head)
  const error = errorOf(answer)
  expect({ status: answer.status, code: error?.code, param: error?.param }).toEqual({
    status,
    code: send.head ? undefined : code,
    param,
  })
  for (const [name, value] of Object.entries(answers))
    expect(answer.headers.get(name)?.join('|') ?? '').toMatch(value)
  return said
}

function filled(piece: Bytes, who: Insider): Bytes {
  if (typeof piece !== 'string') return piece
  return piece
    .replaceAll('{token}', who.token)
    .replaceAll('{admin}', adminToken)
    .replaceAll('{secret}', who.client_secret)
}

/** A request whose head is well-formed but for what the caller puts into it. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: gateway.example', ...headers, '', body].join('\r\n')
}

const mostHeapGrowth = 192 * 1024 * 1024
/** The gateway's own listening socket is not counted; a few connections of the last test may be closing. */
const mostSockets = 4
/** On PostgreSQL the pool, the locks and the listener keep their connections. */
const mostDatabaseSockets = 18

export function socketsNow(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

/** After a corpus: alive, serving, and nothing piled up. */
export async function expectUnharmed(house: House, who: Insider, heapBefore: number): Promise<void> {
  const live = await call(house, 'GET', '/livez', { headers: { connection: 'close' } })
  expect(live.json).toEqual({ data: { live: true } })
  const me = await call(house, 'GET', '/api/v1/me', { token: who.token, headers: { connection: 'close' } })
  expect(me.json.data.channel.channel_code).toBe(who.channel_code)
  await expect
    .poll(socketsNow, { timeout: 5_000 })
    .toBeLessThanOrEqual(testDatabaseUrl() === undefined ? mostSockets : mostSockets + mostDatabaseSockets)
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(mostHeapGrowth)
}
