import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandboxControls } from '@trade-gateway/sandbox-erp/controls'
import { createSandboxControl } from '../../gateway/src/upstream/steer.ts'
import { adminToken, buyers, createWorld, openTestGateway, signInBuyer } from '../../gateway/tests/harness.ts'
import { privateNets } from '../../gateway/tests/receiver.ts'
import { setStock } from '../../gateway/tests/trade.ts'
import { Home } from './run-tgw.ts'

const erpToken = 'a-token-of-the-sandbox-erp'
const plenty = 1_000_000

/** A gateway on a sandbox, and a home folder whose environment signs a buyer in. */
export async function openShopWithHome() {
  const house = await openTestGateway({ isEmbedded: true, settings: privateNets })
  await signInBuyer(house)
  const world = await createWorld(house)
  const controls = createServer(
    createSandboxControls(house.sandbox, { token: erpToken, onFailure: () => {} }),
  )
  await new Promise<void>((resolve) => controls.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(controls.address() as AddressInfo).port}`
  Object.assign(house.gateway.upstream, { steer: createSandboxControl(address, erpToken) })
  setStock(house, 'AUSYD1', 'SBX-SHORT-3', plenty)
  await house.settle()
  const { username, password } = buyers[0]
  const env = {
    TGW_BASE_URL: house.url,
    TGW_USERNAME: username,
    TGW_PASSWORD: password,
    TGW_ADMIN_TOKEN: adminToken,
  }
  const home = new Home(env)
  return {
    house,
    world,
    home,
    env,
    async close() {
      home.remove()
      controls.closeAllConnections()
      controls.close()
      await house.close()
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShopWithHome>>
