/**
 * The connector's client: it calls every operation of the protocol, and the ERP responds with results that are valid or
 * wrong in one place, and with connections that break.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import {
  callOperation,
  type ErpResult,
  erpClient,
  type OperationId,
  operationIds,
  operations,
  rejectionReasons,
  shortage,
  UnknownOutcome,
} from '@trade-gateway/connector'
import fc from 'fast-check'
import { z } from 'zod'
import { drawValues, mutateOnce } from './schema-values.ts'
import { type FuzzTarget, requireThat, soupOf } from './target.ts'

/** How the ERP sends its response. `late`: never. `huge`: it sends more than the client may read. */
const ways = ['whole', 'pieces', 'cut', 'late', 'huge'] as const

interface Reply {
  readonly id: OperationId
  /** The input of the call. */
  readonly input: unknown
  readonly way: (typeof ways)[number]
  readonly status: number
  readonly body: string
}

const rejection = z.object({
  reason: z.enum(rejectionReasons),
  message: z.string(),
  shortages: z.array(shortage).optional(),
})
/** Texts that are no JSON, or JSON with a member twice. */
const rubbish = soupOf([
  ...['{', '}', '[', ']', ',', ':', 'null', '\ufeff', '"\\u0000"', '"\\ud800"', '1e999'],
  ...['"ok"', '"rejected"', '"reason"', '"not_found"', '"message"', '{"ok":{}}'],
])
const refusals = mutateOnce(drawValues(z.object({ rejected: rejection })))
const inputsOf = new Map(operationIds.map((id) => [id, drawValues(operations[id].input)]))
const resultsOf = new Map(
  operationIds.map((id) => [id, mutateOnce(drawValues(z.object({ ok: operations[id].output })))]),
)

function drawReply(id: OperationId): fc.Arbitrary<Reply> {
  const results = resultsOf.get(id) ?? refusals
  const replies = fc.record({
    id: fc.constant(id),
    input: inputsOf.get(id) ?? fc.constant({}),
    way: fc.oneof(
      { weight: 150, arbitrary: fc.constant(ways[0]) },
      { weight: 20, arbitrary: fc.constant(ways[1]) },
      { weight: 10, arbitrary: fc.constant(ways[2]) },
      { weight: 2, arbitrary: fc.constant(ways[3]) },
      { weight: 1, arbitrary: fc.constant(ways[4]) },
    ),
    status: fc.oneof(
      { weight: 9, arbitrary: fc.constant(200) },
      { weight: 1, arbitrary: fc.constantFrom(201, 204, 206, 301, 307, 401, 404, 429, 500, 503) },
    ),
    body: fc.oneof(
      { weight: 7, arbitrary: results.map((value) => JSON.stringify(value)) },
      { weight: 2, arbitrary: refusals.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: rubbish },
    ),
  })
  return fc
    .tuple(replies, fc.nat(9))
    .map(([reply, draw]) => (draw === 0 ? reply : { ...reply, body: nameOwnDocument(reply) }))
}

/** Gives the document of a result the reference of the call: with that of another one, no result would be valid. */
function nameOwnDocument({ input, body }: Reply): string {
  const value = readJson(body)
  const reference = readReference(input)
  const document = Object(Object(Object(value).ok).document)
  if (reference === undefined || readReference(document) === undefined) return body
  document.reference = reference
  return JSON.stringify(value)
}

function readReference(value: unknown): unknown {
  return Object(value).reference
}

/** What the client must make of a reply: a result, or an error of one of these kinds. */
type Expected =
  | { readonly result: ErpResult<unknown> }
  | { readonly kinds: readonly UnknownOutcome['kind'][] }
  /** The refusal has a message that is no text: the client may refuse it, or show it as a text. */
  | { readonly refusal: string }

const malformed: Expected = { kinds: ['malformed'] }

/** Judges a reply by the schema of its operation, without the client. */
function judgeReply({ id, input, way, status, body }: Reply): Expected {
  if (way === 'cut') return { kinds: ['unreachable'] }
  if (way === 'late') return { kinds: ['timeout'] }
  if (way === 'huge') return { kinds: ['malformed', 'failed'] }
  if (status !== 200) return { kinds: ['failed'] }
  const reply = z.record(z.string(), z.unknown()).safeParse(readJson(body))
  if (!reply.success || Object.hasOwn(reply.data, 'ok') === Object.hasOwn(reply.data, 'rejected'))
    return malformed
  if (!Object.hasOwn(reply.data, 'ok')) return judgeRefusal(reply.data.rejected)
  const expected = judgeResult(id, reply.data.ok)
  return isOfAnother(input, expected) ? malformed : expected
}

/** Whether a result has the document of another reference than the call. */
function isOfAnother(input: unknown, expected: Expected): boolean {
  const { document } = Object('result' in expected && 'ok' in expected.result && expected.result.ok)
  const [asked, given] = [readReference(input), readReference(document)]
  return asked !== undefined && given !== undefined && asked !== given
}

/** Text that a database cannot store is repaired, and a row of such a code is dropped where its list is of codes. */
function judgeResult(id: OperationId, value: unknown): Expected {
  const kept = clean(value, '')
  const output = operations[id].output.safeParse(kept)
  return output.success && kept !== lost && kept !== gone ? { result: { ok: output.data } } : malformed
}

const codePattern =
  /^(sku|(product|warehouse|customer)_code|(shipping_method|address|account)_id|reference|session|cursor|next)$/
const ownCodes: Readonly<Record<string, string>> = {
  rows: 'sku',
  products: 'product_code',
  skus: 'sku',
  warehouses: 'warehouse_code',
  shipping_methods: 'shipping_method_id',
  addresses: 'address_id',
}
/** Stands for a value with a code that cannot be stored. */
const lost = Symbol('lost')
/** Stands for a row that its list may lack. */
const gone = Symbol('gone')

function clean(value: unknown, name: string, ownCode?: string): unknown {
  if (typeof value === 'string') {
    const good = value.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
    return good !== value && codePattern.test(name) ? lost : good
  }
  if (Array.isArray(value)) return cleanList(value, name)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, clean(member, key)])
  const isGone = members.some(([key, member]) => member === gone || (key === ownCode && member === lost))
  if (isGone) return ownCode === undefined ? lost : gone
  return members.some(([, member]) => member === lost) ? lost : Object.fromEntries(members)
}

function cleanList(list: readonly unknown[], name: string): unknown {
  const all = list.map((one) => {
    if (typeof one !== 'string') return clean(one, '', ownCodes[name])
    return clean(one, 'sku') === lost ? gone : one
  })
  if (all.includes(lost)) return lost
  const kept = all.filter((one) => one !== gone)
  const isOfRows = list.some((one) => typeof one === 'object')
  return name === 'skus' && isOfRows && list.length > 0 && kept.length === 0 ? gone : kept
}

function judgeRefusal(value: unknown): Expected {
  const parsed = rejection.extend({ message: z.unknown().optional() }).safeParse(value)
  if (!parsed.success) return malformed
  const { reason, message, shortages } = parsed.data
  if (typeof message !== 'string') return { refusal: reason }
  return { result: { rejected: { reason, message, ...(shortages ? { shortages } : {}) } } }
}

function readJson(text: string): unknown {
  try {
    // A decoder of UTF-8 drops the byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** A call takes no longer than this, or it hangs. */
const maxWaitMs = 20_000
const hugePieces = 66
const hugePiece = Buffer.alloc(1024 * 1024, ' ')
const maxMessageCharacters = 2_000

function sendReply(response: ServerResponse, { way, status, body }: Reply) {
  const bytes = Buffer.from(status === 204 ? '' : body)
  const headers = { 'content-type': 'application/json', location: '/other' }
  if (way === 'huge') {
    response.writeHead(status === 204 ? 200 : status, headers)
    return void sendPieces(response, hugePieces, () => hugePiece)
  }
  if (way === 'cut') {
    response.writeHead(status === 204 ? 200 : status, { ...headers, 'content-length': bytes.length + 1 })
    return void response.write(bytes, () => response.destroy())
  }
  response.writeHead(status, headers)
  if (way === 'whole') return void response.end(bytes)
  void sendPieces(response, bytes.length, (at) => bytes.subarray(at, at + 1))
}

const maxPieces = 50

/** Sends pieces one after the other, the last ones together. */
async function sendPieces(response: ServerResponse, count: number, pieceAt: (at: number) => Buffer) {
  for (let at = 0; at < count && !response.destroyed; at++) {
    const isFree = response.write(pieceAt(at))
    if (!isFree || at < maxPieces) await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly input: unknown
}

async function receive(request: IncomingMessage): Promise<Received> {
  const { method, url, headers } = request
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const input: unknown = JSON.parse(Buffer.concat(pieces).toString())
  return { method, url, authorization: headers.authorization, input }
}

/** The result of a call, or what it threw. */
type Outcome = { readonly result: ErpResult<unknown> } | { readonly error: unknown }

function requireExpected(expected: Expected, outcome: Outcome) {
  if ('error' in outcome) {
    const { error } = outcome
    if (!(error instanceof UnknownOutcome)) throw error
    requireThat(error.sent, 'a call that was received counts as not sent')
    requireThat(error.message.length <= maxMessageCharacters, 'an error quotes the response')
    const kinds = 'kinds' in expected ? expected.kinds : []
    const isRight = kinds.includes(error.kind) || ('refusal' in expected && error.kind === 'malformed')
    requireThat(isRight, `the outcome is ${error.kind}, not ${JSON.stringify(expected)}: ${error.message}`)
    return
  }
  const { result } = outcome
  if ('refusal' in expected) {
    const refusal = 'rejected' in result ? result.rejected : undefined
    requireThat(refusal?.reason === expected.refusal, 'the reason of a refusal differs')
    requireThat(typeof refusal.message === 'string', 'the message of a refusal is no text')
    return
  }
  const isRight = 'result' in expected && isDeepStrictEqual(result, expected.result)
  requireThat(isRight, `the client returns ${JSON.stringify(result)}, not ${JSON.stringify(expected)}`)
}

async function openErp() {
  let next: Reply | undefined
  let requests: Promise<Received>[] = []
  let onReceived = () => {}
  const server = createServer((request, response) => {
    const received = receive(request)
    requests.push(received)
    if (next?.way === 'late') received.then(onReceived, onReceived)
    else if (next) sendReply(response, next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** `giveUp` is called once a request has come that gets no response. */
    expect(reply: Reply, giveUp: () => void) {
      next = reply
      requests = []
      onReceived = giveUp
    },
    listRequests: () => Promise.all(requests),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const connectorClient: FuzzTarget<Reply> = {
  name: 'connector-client',
  inputs: fc.constantFrom(...operationIds).chain(drawReply),
  async open() {
    const erp = await openErp()
    const client = erpClient(`http://127.0.0.1:${erp.port}`, 'a-token')
    return {
      async check(reply) {
        const { id, input } = reply
        const patience = new AbortController()
        erp.expect(reply, () => patience.abort())
        let timer: NodeJS.Timeout | undefined
        const hang = new Promise<Outcome>((_, reject) => {
          timer = setTimeout(() => reject(new Error(`${id} hangs.`)), maxWaitMs)
        })
        const call = callOperation(client.erp, id, input, { signal: patience.signal })
        const outcome = await Promise.race<Outcome>([
          call.then(
            (result) => ({ result }),
            (error: unknown) => ({ error }),
          ),
          hang,
        ]).finally(() => clearTimeout(timer))
        requireExpected(judgeReply(reply), outcome)
        const sent = { method: 'POST', url: `/${id}`, authorization: 'Bearer a-token', input }
        // A write that is sent twice may happen twice.
        requireThat(isDeepStrictEqual(await erp.listRequests(), [sent]), `${id} was not sent once as it is`)
      },
      async close() {
        await client.close()
        await erp.close()
      },
    }
  },
}
