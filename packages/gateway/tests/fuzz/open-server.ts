import { createWorld, openTestGateway } from '../harness.ts'
import { exchange, requireSoundResponses } from './exchange.ts'
import { requireThat } from './target.ts'

/** Stands for a valid token in the text of a request. */
export const tokenPlace = '{token}'

/** Sends a request. `isWhole`: it is whole and closes the connection, so it must get a response. */
type Send = (text: string, isWhole?: boolean) => Promise<string>

/** Opens a gateway. `check` gets a function that sends bytes with a valid token in its place, and judges what returns. */
export async function openServer<Input>(check: (send: Send, input: Input) => Promise<void>) {
  const house = await openTestGateway({ isEmbedded: true })
  const { token } = await createWorld(house)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('unhandledRejection', onFailure)
  const send: Send = async (text, isWhole = false) => {
    const bytes = await exchange(
      house.port,
      Buffer.from(text.replaceAll(tokenPlace, token), 'latin1'),
      isWhole,
    )
    requireSoundResponses(bytes)
    return bytes.toString('latin1')
  }
  return {
    async check(input: Input) {
      await check(send, input)
      const alive = await send('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', true)
      requireThat(alive.startsWith('HTTP/1.1 200 '), 'the next request is not served')
      if (failures.length > 0) throw new Error(`A promise failed without a handler: ${failures.shift()}`)
    },
    async close() {
      process.off('unhandledRejection', onFailure)
      await house.close()
    },
  }
}
