import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** A proxy in front of PostgreSQL that can hold back bytes, on existing and on new connections. */
export interface StallingProxy {
  readonly url: string
  /** Holds back every byte until the returned function is called. */
  stall(): () => void
  /** Passes on the next packet that contains this text, and holds back the database's reply on its connection. */
  holdReplyTo(text: string): { readonly held: Promise<void>; resume(): void }
  close(): Promise<void>
}

export async function openStallingProxy(target: URL): Promise<StallingProxy> {
  const sockets = new Set<Socket>()
  let isStalled = false
  let pending: { text: string; holdReply(far: Socket): void } | undefined
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      if (isStalled) from.pause()
      from.on('data', (chunk: Buffer) => {
        if (from === near && pending && chunk.includes(pending.text)) {
          pending.holdReply(far)
          pending = undefined
        }
        to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    stall() {
      isStalled = true
      for (const socket of sockets) socket.pause()
      return () => {
        isStalled = false
        for (const socket of sockets) socket.resume()
      }
    },
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
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
