/**
 * Shuts a server down without failing a request. A server cannot know whether a client is about to send on an idle
 * connection. From the start of the shutdown, every response therefore carries `Connection: close`, and `/readyz`
 * returns 503 so that load balancers stop sending requests.
 *
 * The server keeps accepting requests until none has arrived for `quietMs`. Then it closes the listener and the idle
 * connections, and lets running requests finish.
 */

import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'

/** The time without a request after which the server stops accepting. */
export const quietMs = 2_000
/** The bounds of a shutdown. The files of `deploy` give a process the sum of them before it is killed. */
export const shutdownLimits = {
  /** The longest time to keep accepting, even if clients continue to send. */
  acceptMs: 8_000,
  /** The longest time for running requests to finish. */
  finishMs: 20_000,
  /**
   * The longest time to close the parts of the process. Work that does not end in this time, such as a call to an
   * unresponsive ERP, is aborted. Recovery is then the same as after a crash.
   */
  closeMs: 7_000,
} as const
const lookMs = 25
/** The paths of health checks, which do not count as requests, because they continue until the process has ended. */
const probes = /^\/(?:readyz|livez|statusz|metrics)(?:\?|$)/

export class Drain {
  readonly #clock: Clock
  /** The newest unfinished response of each connection. */
  readonly #running = new Map<Duplex, ServerResponse>()
  /** The connections that were accepted during the shutdown. */
  readonly #late = new WeakSet<Duplex>()
  /** Whether a supervisor has the listener and gives connections that this process does not accept to another one. */
  readonly #isListenerShared: boolean
  #isDraining = false
  #isHurried = false
  #lastUse = Number.NEGATIVE_INFINITY

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

  /** Tracks a response until its connection or the response closes. */
  trackResponse(response: ServerResponse) {
    const { socket } = response.req
    const isProbe = probes.test(response.req.url ?? '')
    if (!isProbe) this.#noteUse(socket)
    const before = this.#running.get(socket)
    this.#running.set(socket, response)
    response.once('close', () => {
      if (this.#running.get(socket) === response) this.#running.delete(socket)
      if (!isProbe) this.#noteUse(socket)
    })
    if (!this.#isDraining) return
    // Node closes the connection after a response with `Connection: close`. An earlier, pipelined response must not
    // carry it.
    if (before && !before.headersSent) before.shouldKeepAlive = true
    response.shouldKeepAlive = false
  }

  /** Shuts the server down; resolves once every connection is closed. */
  async end(server: Server): Promise<void> {
    this.#isDraining = true
    for (const response of this.#running.values()) {
      if (!response.headersSent) response.shouldKeepAlive = false
    }
    server.on('connection', (socket) => this.#late.add(socket))
    const began = this.#clock.monotonic()
    while (this.#isInUse() && this.#clock.monotonic() - began < shutdownLimits.acceptMs) await sleep(lookMs)
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    server.closeIdleConnections()
    const timer = setTimeout(() => server.closeAllConnections(), shutdownLimits.finishMs)
    await closed
    clearTimeout(timer)
  }

  /**
   * Notes a request. With a shared listener, new connections do not keep the process: other processes accept them once
   * it has closed.
   */
  #noteUse(socket: Duplex) {
    if (this.#isListenerShared && this.#late.has(socket)) return
    this.#lastUse = this.#clock.monotonic()
  }

  #isInUse(): boolean {
    return !this.#isHurried && this.#clock.monotonic() - this.#lastUse < quietMs
  }
}
