/** What unit tests have in place of a Tryton: a server of their own, and a clock that only they and the pauses move. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Environment } from '../environment.ts'

/** Serves on a free port until the test ends. Returns the address. */
export async function serveLocally(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // A server that listens on a port has an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A clock in milliseconds. */
export interface TestClock {
  at: number
}

export function createTestEnvironment(clock: TestClock): Environment {
  return {
    now: () => clock.at,
    elapsed: () => clock.at,
    random: () => 0,
    pause: async (ms) => {
      clock.at += ms
    },
  }
}
