/**
 * HTTP over raw sockets: calls that reach every endpoint, and requests that are nearly valid, one or several on a
 * connection.
 */
import fc from 'fast-check'
import { requireDeclared } from './declared.ts'
import type { Served } from './filled-gateway.ts'
import { isPlain, type Message, message, plainMessage, writeMessage } from './http-messages.ts'
import { openServer } from './open-server.ts'
import { type FuzzTarget, requireThat } from './target.ts'

/** Whether the bytes have a whole head. Without one, the connection may be closed without a response. */
function hasHead(text: string): boolean {
  return text.replace(/^[\r\n]+/, '').includes('\r\n\r\n')
}

/** The ids of requests, in their sequence, by which their responses are recognised. */
const toRequestId = (at: number) => `message-${at}`

async function checkMessages({ send, known }: Served, messages: readonly Message[]): Promise<void> {
  const [first] = messages
  const mustBeJson = first?.edits.length === 0 && /^\/(?:api\/v1|admin\/api)\//.test(first.path)
  if (messages.every(isPlain)) return checkPlainMessages({ send, known }, messages, mustBeJson)
  const text = messages.map((each) => writeMessage(each, known)).join('')
  await send(text, { mustBeJson, mayBeSilent: !hasHead(text) })
}

/** Each request has its response, in their sequence, up to the first one after which the connection is closed. */
async function checkPlainMessages(
  { send, known }: Served,
  messages: readonly Message[],
  mustBeJson: boolean,
): Promise<void> {
  const texts = messages.map((each, at) =>
    writeMessage({ ...each, headers: [...each.headers, ['X-Request-Id', toRequestId(at)]] }, known),
  )
  // The last request closes the connection.
  const farewell = ['GET /livez HTTP/1.1', 'Host: a', `X-Request-Id: ${toRequestId(messages.length)}`]
  const text = `${texts.join('')}${[...farewell, 'Connection: close'].join('\r\n')}\r\n\r\n`
  const responses = await send(text, { isWhole: true, mustBeJson })
  for (const [at, response] of responses.entries()) {
    const { headers } = response
    const isLast = at === responses.length - 1
    const isClosing = headers.get('connection')?.join() === 'close'
    requireThat(isClosing === isLast, `the connection is ${isLast ? 'not ' : ''}closed after response ${at}`)
    // What the parser refuses has no id yet.
    const isOwn = headers.get('x-request-id')?.join() === toRequestId(at)
    requireThat(isOwn || (isLast && at < messages.length), `response ${at} belongs to another request`)
    const sent = messages[at]
    if (sent && isOwn) requireDeclared(sent, response)
  }
}

export const http: FuzzTarget<readonly Message[]> = {
  name: 'http',
  inputs: fc.oneof(
    { weight: 1, arbitrary: fc.array(message, { minLength: 1, maxLength: 3 }) },
    { weight: 2, arbitrary: fc.array(plainMessage, { minLength: 1, maxLength: 4 }) },
  ),
  open: () => openServer(checkMessages),
}
