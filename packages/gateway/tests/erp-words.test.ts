/** An ERP returns text that no database can store. The text is sent through the connector, as by a real ERP. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Erp, type ErpClient, erpClient, erpServer } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, createWorld, openTestGateway, type TestGateway, type World } from './harness.ts'

const token = 'a-token-for-tests'
const bad = { nul: 'BAD-\0', lone: 'BAD-\ud800' }

describe('a warehouse in which two SKUs hold NUL and a lone surrogate', () => {
  let house: TestGateway
  let reader: World
  let client: ErpClient
  let inner: Erp
  const said: string[] = []
  const server = createServer((request, response) => erpServer(inner, { token })(request, response))

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    client = erpClient(`http://127.0.0.1:${port}`, token, { onLeftOut: (_id, row) => void said.push(row) })
    house = await openTestGateway({
      wrapErp: (erp) => {
        inner = {
          ...erp,
          async 'stock.snapshot'(input, options) {
            const answer = await erp['stock.snapshot'](input, options)
            if ('rejected' in answer || input.warehouse_code !== 'AUSYD1') return answer
            const [first] = answer.ok.rows
            const more = first ? Object.values(bad).map((sku) => ({ ...first, sku })) : []
            return { ok: { ...answer.ok, rows: [...answer.ok.rows, ...more] } }
          },
        }
        return client.erp
      },
    })
    reader = await createWorld(house)
  })
  afterAll(async () => {
    await house.close()
    await client.close()
    server.closeAllConnections()
    server.close()
  })

  it('is served without them, and each of them is reported once and counted', async () => {
    const path = '/api/v1/warehouses/AUSYD1/stock'
    const { json } = await call(house, 'GET', path, { token: reader.token })
    const rows = house.sandbox.store.all(
      "select sku from stock where warehouse_code = 'AUSYD1' and withdrawn = 0",
    )
    expect(json.data).toHaveLength(rows.length)
    expect(json.data.filter(({ sku }: { sku: string }) => sku.startsWith('BAD'))).toEqual([])
    expect(said.toSorted()).toEqual(
      Object.values(bad)
        .map((sku) => JSON.stringify(sku))
        .toSorted(),
    )
    await house.settle()
    expect(client.leftOut()).toBe(2)
  })
})
