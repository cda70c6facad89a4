/**
 * Opens a gateway for many inputs. An input may take from it what the next ones need: a token, a channel, the right to
 * write. So each input is followed by a look at how the gateway serves its callers. If that has changed, their channels
 * are set as before, and they sign in again. If this does not help, as after a deletion, a new gateway takes the place of
 * the former one, which costs ten times as much.
 */
import { openFilledGateway, runWorkers, type Served, servesAsBefore } from './filled-gateway.ts'
import type { OpenTarget } from './target.ts'

/** The inputs after which a gateway is replaced in any case: its stock, credit and lists are then as at the start. */
const maxInputs = 250
/** The inputs after which the workers have a turn. */
const inputsPerTurn = 10
/** The time between two inputs. Without it, limits of a minute would refuse most inputs. */
const stepMs = 5_000

/** Opens a gateway. `check` sends an input to it and judges what returns. */
export async function openServer<Input>(
  check: (served: Served, input: Input) => Promise<void>,
): Promise<OpenTarget<Input>> {
  let shop = await openFilledGateway()
  let inputs = 0
  return {
    async check(input) {
      await check(shop, input)
      await shop.watch.requireAlive()
      inputs += 1
      shop.house.clock.advance(stepMs)
      if (inputs % inputsPerTurn === 0) await runWorkers(shop.house)
      if (inputs < maxInputs && (await servesAsBefore(shop))) return
      const former = shop
      shop = await openFilledGateway()
      const story = `after one of ${inputs} inputs, of which this is only the last`
      inputs = 0
      await former.watch.close().catch((cause: unknown) => {
        throw new Error(`${story}: ${cause}`, { cause })
      })
    },
    close: () => shop.watch.close(),
  }
}
