import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { computeChecksum } from '@trade-gateway/sdk/mirror'

const version = 402_086_745_855_316
const rowsPerPage = 1_000

/** A gateway with the stock of one warehouse on many pages, each after a short wait, so that a download takes a while. */
export async function openSlowStock(pages: number, pageMs: number) {
  const all = Array.from({ length: pages }, (_, index) => listRows(index + 1)).flat()
  const proof = { row_count: all.length, checksum: computeChecksum(all) }
  const changes = { data: [], version, since: version, latest: version, pending: 0, needs_full_sync: false }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    response.setHeader('content-type', 'application/json')
    if (pathname.endsWith('/auth/token'))
      return response.end('{"data":{"access_token":"a","token_type":"Bearer","expires_in":3600}}')
    if (pathname.endsWith('/changes'))
      return response.end(JSON.stringify({ ...changes, ...proof, has_more: false }))
    const page = Number(searchParams.get('page') ?? 1)
    await wait(pageMs)
    response.end(JSON.stringify({ data: listRows(page), version, page, has_more: page < pages }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    env: {
      TGW_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TGW_USERNAME: 'buyer',
      TGW_PASSWORD: 'secret',
    },
    /** What a complete download in NDJSON has. */
    whole: all.map((row) => `${JSON.stringify(row)}\n`).join(''),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function listRows(page: number) {
  return Array.from({ length: rowsPerPage }, (_, index) => ({
    sku: `SKU-${String((page - 1) * rowsPerPage + index).padStart(6, '0')}`,
    product_code: `STYLE-${page}`,
    warehouse_code: 'AUSYD1',
    quantity_on_hand: index,
    quantity_available: index,
    price_wholesale: 19.9,
    price_retail: 49,
    currency: 'AUD',
    version: version - index,
    updated_at: '2026-11-22T00:00:00.000Z',
    incoming: [],
  }))
}
