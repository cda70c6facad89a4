import { createServer } from 'node:net'

/**
 * The range of ports: below the ephemeral ports, so that no outgoing connection takes a port while its process
 * restarts.
 */
const [minPort, maxPort] = [20_000, 32_000] as const
const maxTries = 100

/** Finds ports on 127.0.0.1 that are free and that no outgoing connection will take. */
export async function findFreePorts(amount: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; tries < maxTries && ports.size < amount; tries++) {
    const port = minPort + Math.floor(Math.random() * (maxPort - minPort))
    if (await isPortFree(port)) ports.add(port)
  }
  if (ports.size === amount) return [...ports]
  throw new Error(`There are not ${amount} free ports from ${minPort} to ${maxPort}.`)
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
