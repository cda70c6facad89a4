/**
 * MCP: each request has one response, which is a result of its action, a refusal with a stable code or an error of the
 * protocol. Calls of one input follow each other, so that a quote can be placed.
 */
import fc from 'fast-check'
import { z } from 'zod'
import { errorTable, isErrorCode } from '../../src/contract/error-table.ts'
import { errorBody } from '../../src/contract/fields.ts'
import { JsonError, parseJson } from '../../src/kernel/json.ts'
import { actions } from '../../src/mcp/actions.ts'
import type { Served } from './filled-gateway.ts'
import { fillPlaces, type Known } from './known.ts'
import { ordering, otherStep, rightCall, type Step, strangeStep } from './mcp-steps.ts'
import { openServer } from './open-server.ts'
import { type RawResponse, readText } from './responses.ts'
import type { Send } from './send.ts'
import { type FuzzTarget, requireThat } from './target.ts'

/** The messages of a response: JSON, or a stream of events. */
function readMessages(response: RawResponse): readonly unknown[] {
  const text = readText(response)
  if (text === '') return []
  const type = response.headers.get('content-type')?.join() ?? ''
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text)].flat()
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return data
    .map((line) => line.slice('data:'.length).trim())
    .flatMap((line) => (line === '' ? [] : JSON.parse(line)))
}

const message = z.object({
  ...{ jsonrpc: z.literal('2.0'), method: z.string(), id: z.union([z.string(), z.int()]) },
  params: z.unknown().optional(),
})

/** Lists the requests of a body, each of which must have one response. */
function listRequests(body: string): readonly z.output<typeof message>[] {
  const value: unknown = JSON.parse(body)
  return [value].flat().flatMap((each) => message.safeParse(each).data ?? [])
}

const internalError = -32603
/** What a healthy gateway with a healthy ERP never says. */
const minFaultStatus = 500

function requireStableCode(code: string, story: string): void {
  const isStable = isErrorCode(code) && errorTable[code].status < minFaultStatus
  requireThat(isStable, `${code} is not a code for a mistake of an agent: ${story}`)
}

const textBlock = z.object({ type: z.literal('text'), text: z.string() })
const linkBlock = z.object({
  type: z.literal('resource_link'),
  uri: z.string().startsWith('tgw://'),
  name: z.string().min(1),
  mimeType: z.string(),
})
const toolResult = z.object({
  content: z.tuple([textBlock], linkBlock),
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})

/** Checks the result of an action. Returns what it has, if it succeeded. */
function requireSoundResult(name: string, result: unknown): Record<string, unknown> | undefined {
  const story = `${name}: ${JSON.stringify(result).slice(0, 600)}`
  const parsed = toolResult.safeParse(result)
  requireThat(parsed.success, `it is no result of a tool: ${story}`)
  const { content, isError, structuredContent } = parsed.data
  if (isError === true) {
    const [, code = ''] = /^([A-Z_]+): .+request_id: /s.exec(content[0].text) ?? []
    requireStableCode(code, story)
    requireThat(structuredContent === undefined, `a failure has structured content: ${story}`)
    return undefined
  }
  const output = actions.get(name)?.action.output.safeParse(structuredContent)
  requireThat(
    output?.success === true && structuredContent !== undefined,
    `the result does not fit its schema: ${story}`,
  )
  if (name === 'call_endpoint') requireSoundPassage(structuredContent, story)
  return structuredContent
}

/** What `call_endpoint` passes on is a response of the API. */
function requireSoundPassage(content: Readonly<Record<string, unknown>>, story: string): void {
  if (Number(content.status) < 400) return
  const envelope = errorBody.safeParse(content)
  requireThat(envelope.success, `there is no envelope: ${story}`)
  requireStableCode(envelope.data.error.code, story)
}

interface Visit {
  readonly send: Send
  readonly token: string
  /** What results of earlier steps have, besides what every visit knows. */
  readonly known: Known
}

async function post({ send, token }: Visit, { headers }: Step, content: string): Promise<RawResponse> {
  const bytes = Buffer.from(content)
  const lines = [
    ...['POST /mcp HTTP/1.1', 'Host: a', 'Connection: close', `Authorization: Bearer ${token}`],
    ...['Content-Type: application/json', 'Accept: application/json, text/event-stream'],
    `Content-Length: ${bytes.length}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  const [response] = await send(`${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`, { isWhole: true })
  if (!response) throw new Error('A whole request has no response.')
  return response
}

async function checkStep(visit: Visit, step: Step): Promise<RawResponse> {
  const content = fillPlaces(step.body, visit.known)
  const response = await post(visit, step, content)
  const { status } = response
  const messages = readMessages(response)
  const story = `${status} ${JSON.stringify(messages).slice(0, 600)} to ${content.slice(0, 600)}`
  if (status >= 400) {
    requireThat(
      !step.isCall || status === 401 || !isStrictJson(content),
      `a call is refused before its action: ${story}`,
    )
    requireThat(
      !messages.some((each) => readErrorCode(each) === internalError),
      `an internal error: ${story}`,
    )
    return response
  }
  const requests = listRequests(content)
  requireThat(status === 200 || (status === 202 && requests.length === 0), `the status is wrong: ${story}`)
  const answers = messages.filter((each) => !('method' in Object(each)))
  requireThat(
    answers.length >= requests.length,
    `${requests.length - answers.length} responses are lost: ${story}`,
  )
  for (const request of requests) {
    const own = answers.filter((each) => Object(each).id === request.id)
    requireThat(own.length === 1, `${JSON.stringify(request.id)} has ${own.length} responses: ${story}`)
    await checkAnswer(visit, step, request, Object(own[0]), story)
  }
  return response
}

/** Whether the gateway reads a body at all: not one that is nested too deeply, for example. */
function isStrictJson(text: string): boolean {
  try {
    parseJson(Buffer.from(text))
    return true
  } catch (error) {
    if (error instanceof JsonError) return false
    throw error
  }
}

const readErrorCode = (answer: unknown): unknown => Object(Object(answer).error).code

async function checkAnswer(
  visit: Visit,
  { isCall }: Step,
  { method, params }: z.output<typeof message>,
  answer: Readonly<Record<string, unknown>>,
  story: string,
): Promise<void> {
  const code = readErrorCode(answer)
  requireThat('result' in answer !== 'error' in answer, `it is neither a result nor an error: ${story}`)
  requireThat(!isCall || 'result' in answer, `the result of a call is an error of the protocol: ${story}`)
  requireThat(!('error' in answer) || Number.isInteger(code), `an error has no code: ${story}`)
  requireThat(code !== internalError, `an internal error: ${story}`)
  if (method !== 'tools/call' || !('result' in answer)) return
  const name = String(Object(params).name)
  const content = requireSoundResult(name, answer.result)
  if (content) await checkDocument(visit, name, content)
}

const documentPaths = { order_id: '/api/v1/orders', dropship_order_id: '/api/v1/dropship-orders' } as const

/** What an action says that it did is there for the next call. */
async function checkDocument(visit: Visit, name: string, content: Readonly<Record<string, unknown>>) {
  const { known, send, token } = visit
  if (name === 'quote_order') known.order_quote = String(content.quote_id ?? 'none')
  if (name === 'quote_dropship') known.dropship_quote = String(content.quote_id ?? 'none')
  if (name.startsWith('quote_')) known.total = JSON.stringify(content.total ?? 1)
  for (const field of ['order_id', 'dropship_order_id'] as const) {
    const path = documentPaths[field]
    const id = content[field]
    if (typeof id !== 'string' || name === 'call_endpoint') continue
    known[field] = id
    const head = [
      `GET ${path}/${id} HTTP/1.1`,
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${token}`,
    ]
    const [response] = await send(`${head.join('\r\n')}\r\n\r\n`, { isWhole: true, mustBeJson: true })
    const { data } = JSON.parse(response ? readText(response) : '{}')
    requireThat(Object(data)[field] === id, `${name} says ${id}, which is not there`)
    const isSame = name.startsWith('quote_') || data.status === content.status
    requireThat(isSame, `${name} says that ${id} is ${content.status}, and it is ${data.status}`)
  }
}

async function checkSteps({ send, known }: Served, steps: readonly Step[]): Promise<void> {
  const visit: Visit = { send, token: known.buyer_token ?? '', known: { ...known } }
  let isRevoked = false
  for (const step of steps) {
    const { status } = await checkStep(visit, step)
    // Only the caller itself can have ended its token.
    isRevoked ||= step.body.includes('/auth/revoke')
    requireThat(status !== 401 || isRevoked, 'the token is refused')
  }
}

export const mcp: FuzzTarget<readonly Step[]> = {
  name: 'mcp',
  inputs: fc.oneof(
    { weight: 3, arbitrary: fc.array(rightCall, { minLength: 1, maxLength: 3 }) },
    { weight: 2, arbitrary: ordering },
    { weight: 2, arbitrary: fc.array(fc.oneof(otherStep, strangeStep), { minLength: 1, maxLength: 2 }) },
  ),
  open: () => openServer(checkSteps),
}
