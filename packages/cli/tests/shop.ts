import { buyers, createWorld, openTestGateway, signInBuyer } from '../../gateway/tests/harness.ts'
import { setStock } from '../../gateway/tests/trade.ts'
import { Home } from './run-tgw.ts'

const plenty = 1_000_000

/** A gateway on a sandbox, and a home folder whose environment signs a buyer in. */
export async function openShopWithHome() {
  const house = await openTestGateway({ isEmbedded: true })
  await signInBuyer(house)
  const world = await createWorld(house)
  setStock(house, 'AUSYD1', 'SBX-SHORT-3', plenty)
  await house.settle()
  const { username, password } = buyers[0]
  const env = { TGW_BASE_URL: house.url, TGW_USERNAME: username, TGW_PASSWORD: password }
  const home = new Home(env)
  return {
    house,
    world,
    home,
    env,
    async close() {
      home.remove()
      await house.close()
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShopWithHome>>
