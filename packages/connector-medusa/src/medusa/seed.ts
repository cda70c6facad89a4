/** Fills an empty Medusa over its own API, and makes the keys that the connector works with. */
import { z } from 'zod'
import { MedusaHttp, toKeyHeaders } from '../http.ts'
import { seedCustomers, seedGroup } from './seed-customers.ts'
import { seedGoods } from './seed-goods.ts'
import { type SeededShop, seedShop } from './seed-shop.ts'
import { admin, type SandboxSettings, toUrl } from './settings.ts'

/** The keys that the connector sends. */
export interface Keys {
  readonly secretKey: string
  readonly publishableKey: string
}

const key = z.object({ api_key: z.object({ id: z.string(), token: z.string() }) })

/** Creates the shop, the goods, the customers and two keys. */
export async function seed(settings: SandboxSettings): Promise<Keys> {
  const url = toUrl(settings)
  const token = await signInAdmin(url)
  const session = new MedusaHttp({ url, headers: { authorization: `Bearer ${token}` } })
  const { api_key: secret } = await session.post('/admin/api-keys', key, {
    title: 'Trade Gateway',
    type: 'secret',
  })
  const http = new MedusaHttp({ url, headers: toKeyHeaders(secret.token) })
  settings.report('creating the shop and its warehouses')
  const shop = await seedShop(http, settings.warehouses)
  const publishableKey = await createPublishableKey(http, shop)
  const groupId = await seedGroup(http)
  settings.report(`creating ${settings.styles} styles of four SKUs, warehouses: ${settings.warehouses}`)
  await seedGoods(http, shop, { styles: settings.styles, groupId })
  settings.report('registering the customers')
  await seedCustomers(http, { groupId, publishableKey })
  return { secretKey: secret.token, publishableKey }
}

async function signInAdmin(url: string): Promise<string> {
  const http = new MedusaHttp({ url, headers: {} })
  const { token } = await http.post('/auth/user/emailpass', z.object({ token: z.string() }), admin)
  return token
}

async function createPublishableKey(http: MedusaHttp, shop: SeededShop): Promise<string> {
  const { api_key } = await http.post('/admin/api-keys', key, {
    title: 'Trade Gateway shop',
    type: 'publishable',
  })
  const add = shop.warehouses.map(({ channelId }) => channelId)
  await http.post(`/admin/api-keys/${api_key.id}/sales-channels`, z.unknown(), { add })
  return api_key.token
}
