import { type Erp, withTimeout } from '@trade-gateway/connector'
import { buyers, createWorld, openTestGateway, signInBuyer } from '../../gateway/tests/harness.ts'
import { setStock } from '../../gateway/tests/trade.ts'
import { openFaultyServer } from './faulty-server.ts'
import type { Target } from './portable/target.ts'

const plenty = 100_000
/** How long the gateway waits for a write, instead of 30 seconds. */
const writeTimeoutMs = 500

function shortenWrites(erp: Erp): Erp {
  return {
    ...erp,
    submit: (input, options) => erp.submit(input, { ...options, ...withTimeout(writeTimeoutMs) }),
  }
}

/** Starts a gateway on a sandbox, and a faulty server. */
export async function openTarget() {
  const [house, faulty] = await Promise.all([openTestGateway({ wrapErp: shortenWrites }), openFaultyServer()])
  const { client_id, client_secret } = await createWorld(house)
  await signInBuyer(house)
  setStock(house, 'AUSYD1', 'SBX-SHORT-3', plenty)
  await house.settle()
  const { username, password } = buyers[0]
  const target: Target = {
    gatewayUrl: house.url,
    faultyUrl: faulty.url,
    channel: { clientId: client_id, clientSecret: client_secret },
    buyer: { username, password },
    sku: 'SBX-SHORT-3',
  }
  return {
    target,
    house,
    async close() {
      await faulty.close()
      await house.close()
    },
  }
}
