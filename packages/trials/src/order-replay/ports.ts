import { createServer } from 'node:net'

/** Below the ephemeral ports, so that no outgoing connection takes one while its process is started again. */
const [least, most] = [20_000, 32_000] as const
const mostTries = 100

/** Ports on 127.0.0.1 that nothing listens on now, and that no outgoing connection will take. */
export async function freePorts(amount: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; tries < mostTries && ports.size < amount; tries++) {
    const port = least + Math.floor(Math.random() * (most - least))
    if (await isFree(port)) ports.add(port)
  }
  if (ports.size === amount) return [...ports]
  throw new Error(`There are not ${amount} free ports from ${least} to ${most}.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
