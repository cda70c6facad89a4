/** Sends bytes to a gateway under test, and judges what returns. */
import type { TestGateway } from '../harness.ts'
import { exchange } from './exchange.ts'
import { type RawResponse, readResponses, requireSoundResponse } from './responses.ts'
import { requireThat } from './target.ts'

/** How many times longer than usual the second attempt waits. The first search builds its index, which takes seconds. */
const morePatience = 200

interface SendOptions {
  /** The request is whole and closes the connection, so it must get a response. */
  readonly isWhole?: boolean
  /** Whether the first response may come without the envelope of an error, as a page. */
  readonly mustBeJson?: boolean
  /** Whether no response is right, because the connection is closed before there is a request. */
  readonly mayBeSilent?: boolean
}

/** Sends bytes in Latin-1, and returns the responses, each of which was checked. */
export type Send = (text: string, options?: SendOptions) => Promise<RawResponse[]>

/** Returns a function that sends bytes to a gateway, and judges what returns. */
export function createSend({ port }: Pick<TestGateway, 'port'>): Send {
  return async (text, { isWhole = false, mustBeJson = false, mayBeSilent = false } = {}) => {
    const attempt = async (patience: number) => {
      const responses = readResponses(await exchange(port, Buffer.from(text, 'latin1'), isWhole, patience))
      requireThat(mayBeSilent || responses.length > 0, 'a request has no response')
      return responses
    }
    // On a busy machine the sending side may have been closed before the response, and Node then drops it.
    const responses = await attempt(1).catch((error: unknown) => {
      if (isWhole) throw error
      return attempt(morePatience)
    })
    for (const [at, response] of responses.entries()) requireSoundResponse(response, mustBeJson && at === 0)
    return responses
  }
}

const probe = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** Notes promises that fail without a handler, until the gateway is closed. */
export function watchServer(house: TestGateway) {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('unhandledRejection', onFailure)
  const send = createSend(house)
  return {
    /** Throws if the next request is not served, or if a promise has failed. */
    async requireAlive() {
      const [alive] = await send(probe, { isWhole: true })
      requireThat(alive?.status === 200, 'the next request is not served')
      if (failures.length > 0) throw new Error(`A promise failed without a handler: ${failures.shift()}`)
    },
    async close() {
      process.off('unhandledRejection', onFailure)
      await house.close()
    },
  }
}
