/**
 * Shuts a server down without failing a request. A server cannot know whether a client is about to send on an idle
 * connection. From the start of the shutdown, every response therefore carries `Connection: close`, and `/readyz`
 * returns 503 so that load balancers stop sending requests.
 *
 * The server keeps accepting requests until none has arrived for `quietMs`. Then it closes the listener, reads the first
 * request of each connection that it has just accepted, closes the idle connections, and lets running requests finish,
 * also those of clients that read slowly.
 */

import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep, setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'

/** The time without a request after which the server stops accepting. */
export const quietMs = 2_000
/** The bounds of a shutdown. The files of `deploy` give a process the sum of them before it is killed. */
export const shutdownLimits = {
  /** The longest time to keep accepting, even if clients continue to send. */
  acceptMs: 8_000,
  /** The longest time that a new connection gets to send its first request once the listener is closed. */
  firstRequestMs: 500,
  /** The longest time for running requests to finish. */
  finishMs: 20_000,
  /**
   * The longest time to close the parts of the process. Work that does not end in this time, such as a call to an
   * unresponsive ERP, is aborted. Recovery is then the same as after a crash.
   */
  closeMs: 7_000,
} as const
const lookMs = 25
/** The most turns of the event loop to wait for one in which nothing arrives. */
const maxBusyTurns = 1_000
/** The paths of health checks, which do not count as requests, because they continue until the process has ended. */
const probes = /^\/(?:readyz|livez|statusz|metrics)(?:\?|$)/

interface Connection {
  readonly acceptedAt: number
  /** Whether it was accepted during the shutdown. */
  readonly isLate: boolean
  /** The response to its newest request; undefined if it has not sent one. */
  newest: ServerResponse | undefined
}

export class Drain {
  readonly #clock: Clock
  /**
   * The open connections. Their responses are not listed themselves: V8 copies a map in which entries come and go, and what
   * a copy in its old generation lists stays in memory, so that each young collection took fifteen times as long.
   */
  readonly #connections = new Map<Duplex, Connection>()
  /** Whether other processes accept the connections of the same listening socket that this process does not accept. */
  readonly #isListenerShared: boolean
  #isDraining = false
  #isHurried = false
  #lastUse = Number.NEGATIVE_INFINITY
  /** The number of connections and requests so far. */
  #arrivals = 0

  constructor(clock: Clock, isListenerShared = false) {
    this.#clock = clock
    this.#isListenerShared = isListenerShared
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Makes the shutdown skip the quiet time, for a person who waits at a terminal. */
  hurry() {
    this.#isHurried = true
  }

  /** Tracks the connections of a server until they close. */
  trackConnections(server: Server) {
    server.on('connection', (socket) => {
      this.#arrivals += 1
      const acceptedAt = this.#clock.monotonic()
      this.#connections.set(socket, { acceptedAt, isLate: this.#isDraining, newest: undefined })
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  /** Tracks a response of a tracked connection. */
  trackResponse(response: ServerResponse) {
    const connection = this.#connections.get(response.req.socket)
    this.#arrivals += 1
    const before = connection?.newest
    if (connection) connection.newest = response
    if (!probes.test(response.req.url ?? '')) {
      this.#noteUse(connection)
      response.once('close', () => this.#noteUse(connection))
    }
    if (!this.#isDraining) return
    // Node closes the connection after a response with `Connection: close`. An earlier, pipelined response must not
    // carry it.
    if (before && !before.headersSent) before.shouldKeepAlive = true
    response.shouldKeepAlive = false
  }

  /** Shuts the server down; resolves once every connection is closed. */
  async end(server: Server): Promise<void> {
    this.#isDraining = true
    for (const { newest } of this.#connections.values()) {
      if (newest && !newest.headersSent) newest.shouldKeepAlive = false
    }
    const began = this.#clock.monotonic()
    while (this.#isInUse() && this.#clock.monotonic() - began < shutdownLimits.acceptMs) await sleep(lookMs)
    await this.#emptyQueue()
    let isClosed = false
    // An HTTP server's own close would also close all connections that Node counts as idle.
    NetServer.prototype.close.call(server, () => {
      isClosed = true
    })
    const timer = setTimeout(() => server.closeAllConnections(), shutdownLimits.finishMs)
    while (this.#awaitsFirstRequest()) await sleep(lookMs)
    for (const [socket, { newest }] of this.#connections) if (!newest) socket.destroy()
    while (!isClosed) {
      if (!this.#isSending()) server.closeIdleConnections()
      await sleep(lookMs)
    }
    clearTimeout(timer)
  }

  /**
   * Waits for a turn of the event loop in which nothing arrived. The kernel resets the connections that the process has
   * not accepted when the listener closes; a client could not repeat a POST. After such a turn there are none.
   */
  async #emptyQueue(): Promise<void> {
    // The first turn may be under way and have looked for connections already, so only those after it count.
    await yieldToLoop()
    for (let turn = 0, before = -1; before !== this.#arrivals && turn < maxBusyTurns; turn++) {
      before = this.#arrivals
      await yieldToLoop()
    }
  }

  #awaitsFirstRequest(): boolean {
    const from = this.#clock.monotonic() - shutdownLimits.firstRequestMs
    const isAwaited = ({ newest, acceptedAt }: Connection) => !newest && acceptedAt > from
    return !this.#isHurried && [...this.#connections.values()].some(isAwaited)
  }

  /** Whether a response has ended and is not sent. Node counts its connection as idle, and would cut it. */
  #isSending(): boolean {
    return [...this.#connections.values()].some(
      ({ newest }) => newest?.writableEnded && !newest.writableFinished,
    )
  }

  /**
   * Notes a request. With a shared listener, new connections do not keep the process: other processes accept them once
   * it has closed.
   */
  #noteUse(connection: Connection | undefined) {
    if (this.#isListenerShared && connection?.isLate) return
    this.#lastUse = this.#clock.monotonic()
  }

  #isInUse(): boolean {
    return !this.#isHurried && this.#clock.monotonic() - this.#lastUse < quietMs
  }
}
