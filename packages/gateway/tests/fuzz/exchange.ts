import { connect } from 'node:net'

/** The wait after which a gateway counts as hanging: longer than a response takes on a busy machine. */
const maxWaitMs = 25_000
/**
 * The silence after which the sending side is closed, so that a request that is not whole ends. A whole request closes
 * its connection itself: Node drops the response to a client that has closed its side.
 */
const silenceMs = 80
const maxResponseBytes = 8 * 1024 * 1024

/** Sends bytes, and returns all that came until the connection was closed. `isWhole`: the request says `close` itself. */
export function exchange(port: number, bytes: Uint8Array, isWhole: boolean): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const received: Buffer[] = []
  let size = 0
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const timer = setTimeout(() => {
    socket.destroy()
    reject(new Error(`The gateway hangs: it neither responds nor closes within ${maxWaitMs} ms.`))
  }, maxWaitMs)
  let silence: NodeJS.Timeout | undefined
  const waitForMore = () => {
    clearTimeout(silence)
    if (!isWhole) silence = setTimeout(() => socket.end(), silenceMs)
  }
  const finish = () => {
    clearTimeout(timer)
    clearTimeout(silence)
    socket.destroy()
    resolve(Buffer.concat(received))
  }
  socket.on('data', (piece) => {
    received.push(piece)
    size += piece.length
    waitForMore()
    if (size > maxResponseBytes) finish()
  })
  socket.on('end', finish)
  // A reset closes the connection, too.
  socket.on('error', finish)
  socket.on('close', finish)
  socket.on('connect', () => {
    socket.write(bytes)
    waitForMore()
  })
  return promise
}

const leaks = [
  /\bat [\w.<>]+ \(/,
  /\.[cm]?[jt]s:\d/,
  /node:internal|node_modules|file:\/\//,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError|GatewayError|SqliteError)\b/,
]
/** Statuses above 499 that say what a client must change. */
const expectedStatuses: ReadonlySet<number> = new Set([501, 505])

/** Throws if a part of the bytes is no response of the gateway: not HTTP, an unexpected 5xx, or internal details. */
export function requireSoundResponses(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  if (text === '') return
  if (!text.startsWith('HTTP/1.1 ')) throw new Error(`It is no response: ${text.slice(0, 100)}`)
  for (const [, status = ''] of text.matchAll(/(?:^|\n|\}|>)HTTP\/1\.1 (\d{3}) /g)) {
    if (Number(status) >= 500 && !expectedStatuses.has(Number(status)))
      throw new Error(`A request led to ${status}: ${text.slice(0, 600)}`)
  }
  const [head = ''] = text.split('\r\n\r\n')
  const isInterim = /^HTTP\/1\.1 1\d\d /.test(head)
  if (!isInterim && !/^x-request-id: /im.test(head))
    throw new Error(`A response has no X-Request-Id: ${head}`)
  for (const leak of leaks)
    if (leak.test(text)) throw new Error(`A response has internal details (${leak}): ${text.slice(0, 600)}`)
}
