/**
 * Bounds what clients that do not read cost. A response waits for its reader with at most one piece in memory. It ends
 * after a minute without progress, or earlier if many others wait as well.
 */

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../kernel/clock.ts'

/** The longest time that a connection takes nothing of a response that waits for it. */
export const slowReaderMs = 60_000
/** The number of waiting responses above which those without progress are ended early, oldest first. */
const maxWaiting = 256
/** The shortest time without progress after which that happens. */
const minWaitMs = 5_000

/** When each waiting response began to wait, oldest first. */
const waiting = new Map<ServerResponse, number>()

/** Resolves when a response has room for its next piece, or is closed. */
export function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiting.delete(response)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    const timer = setTimeout(() => response.destroy(), slowReaderMs)
    waiting.set(response, systemClock.monotonic())
    response.once('drain', done)
    response.once('close', done)
    if (waiting.size > maxWaiting) endOldest()
  })
}

function endOldest() {
  for (const [response, since] of waiting) {
    if (systemClock.monotonic() - since >= minWaitMs) response.destroy()
    return
  }
}

/**
 * Ends connections that take nothing of a response that was written as a whole, and those on which no request has come
 * for the server's `keepAliveTimeout`: with a listener, Node leaves both to it. A connection whose request is still worked
 * on has nothing to take yet, and is left alone.
 */
export function endUnreadConnections(server: Server, isWorking: (socket: Socket) => boolean) {
  server.timeout = slowReaderMs
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || !isWorking(socket)) socket.destroy()
  })
}
