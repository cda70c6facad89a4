import { connect } from 'node:net'

/** The wait after which a gateway counts as hanging: longer than a response takes on a busy machine. */
const maxWaitMs = 25_000
/**
 * The silence after which the sending side is closed, so that a request that is not whole ends. A whole request closes
 * its connection itself: Node drops the response to a client that has closed its side.
 */
const silenceMs = 80
const maxResponseBytes = 8 * 1024 * 1024

/**
 * Sends bytes, and returns all that came until the connection was closed. `isWhole`: the request says `close` itself.
 * `patience`: how many times longer than usual the silence may take.
 */
export function exchange(port: number, bytes: Uint8Array, isWhole: boolean, patience = 1): Promise<Buffer> {
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
    if (!isWhole) silence = setTimeout(() => socket.end(), silenceMs * patience)
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
