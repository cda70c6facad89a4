import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** Where a stall begins: with the packet itself, or with the database's reply to it. */
export type StallPoint = 'statement' | 'reply'

/** A proxy in front of PostgreSQL that can hold back bytes, on existing and on new connections. */
export interface StallingProxy {
  readonly url: string
  /**
   * Holds back every byte until the returned function is called. The bytes then arrive, even if their sender has given
   * up, as at a database that was paused.
   */
  stall(): () => void
  /**
   * Stalls at the packet of this number, counted from 1 over all connections. `isReached` becomes true with the stall.
   */
  stallAt(packet: number, point: StallPoint): { readonly isReached: boolean; resume(): void }
  /** Passes on the next packet that contains this text, and holds back the database's reply on its connection. */
  holdReplyTo(text: string): { readonly held: Promise<void>; resume(): void }
  /** Breaks every connection. New ones are passed on. */
  cut(): void
  close(): Promise<void>
}

export async function openStallingProxy(target: URL): Promise<StallingProxy> {
  const sockets = new Set<Socket>()
  const gate = new Gate()
  let pending: { text: string; holdReply(far: Socket): void } | undefined
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        if (from === near && pending && chunk.includes(pending.text)) {
          pending.holdReply(far)
          pending = undefined
        }
        const pass = () => void to.write(chunk)
        if (from === near) gate.passStatement(pass)
        else gate.pass(pass)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        gate.pass(() => to.destroySoon())
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    stall: () => gate.stall(),
    stallAt: (packet, point) => gate.stallAt(packet, point),
    holdReplyTo(text) {
      const { promise: held, resolve } = Promise.withResolvers<void>()
      let silent: Socket | undefined
      pending = {
        text,
        holdReply(far) {
          silent = far.pause()
          resolve()
        },
      }
      return { held, resume: () => void silent?.resume() }
    },
    cut,
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Passes on what happens on the connections, or keeps it until the stall is over. */
class Gate {
  #isStalled = false
  #kept: (() => void)[] = []
  #planned: { left: number; readonly point: StallPoint } | undefined

  stall(): () => void {
    this.#isStalled = true
    return () => this.#resume()
  }

  stallAt(packet: number, point: StallPoint) {
    this.#planned = { left: packet, point }
    const isReached = () => this.#isStalled
    return {
      get isReached() {
        return isReached()
      },
      resume: () => {
        this.#planned = undefined
        this.#resume()
      },
    }
  }

  passStatement(act: () => void) {
    if (this.#planned) this.#planned.left -= 1
    const begins = this.#planned?.left === 0 ? this.#planned.point : undefined
    if (begins === 'statement') this.#isStalled = true
    this.pass(act)
    if (begins === 'reply') this.#isStalled = true
  }

  pass(act: () => void) {
    if (this.#isStalled) this.#kept.push(act)
    else act()
  }

  #resume() {
    this.#isStalled = false
    for (const act of this.#kept.splice(0)) act()
  }
}
