import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * The range of ports: below the ephemeral ports, so that no outgoing connection takes a port while its process
 * restarts. The checks in `.ci` use fixed ports below this range.
 */
const [minPort, maxPort] = [20_000, 32_000] as const
const maxTries = 1_000

/**
 * Finds ports on 127.0.0.1 that are free and that no outgoing connection will take. No other process that asks here
 * gets one of them while this process lives, even while nobody listens on it.
 */
export async function findFreePorts(amount: number): Promise<number[]> {
  const ports: number[] = []
  for (let tries = 0; tries < maxTries && ports.length < amount; tries++) {
    const port = minPort + Math.floor(Math.random() * (maxPort - minPort))
    if ((await reservePort(port)) && (await isPortFree(port))) ports.push(port)
  }
  if (ports.length === amount) return ports
  throw new Error(`There are not ${amount} free ports from ${minPort} to ${maxPort}.`)
}

/** Finds one port, as `findFreePorts` does. */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1)
  return port
}

/**
 * Reserves a port by the UDP port of the same number, which no gateway or other server of a trial uses. The system
 * gives it back when the process ends, however it ends. Returns false if another process, or this one, has it already.
 */
function reservePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref()
      resolve(true)
    })
  })
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
