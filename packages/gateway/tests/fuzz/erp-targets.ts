/** What comes from an ERP and its staff. */
import { createServer } from 'node:http'
import { erpClient, UnknownOutcome } from '@trade-gateway/connector'
import { openSandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import fc from 'fast-check'
import { applyMovementsCsv, MalformedMovements } from '../../../sandbox-erp/src/movements-csv.ts'
import { type FuzzTarget, requireThat, soupOf } from './target.ts'

export const connectorClient: FuzzTarget<{ readonly status: number; readonly body: string }> = {
  name: 'connector-client',
  inputs: fc.record({
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constant(200) },
      { weight: 1, arbitrary: fc.constantFrom(204, 301, 404, 500, 503) },
    ),
    body: fc.oneof(
      fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify({ ok: value })),
      fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ rejected: value })),
      fc
        .array(
          fc.record({
            warehouse_code: fc.string(),
            name: fc.string(),
            country_code: fc.string(),
            timezone: fc.string(),
          }),
        )
        .map((warehouses) => JSON.stringify({ ok: { warehouses } })),
      soupOf([
        '{',
        '}',
        '"ok"',
        '"rejected"',
        ':',
        '"reason"',
        'null',
        '"\\u0000"',
        '"\\ud800"',
        '[',
        ']',
        ',',
      ]),
    ),
  }),
  async open() {
    let next = { status: 200, body: '' }
    const server = createServer((_, response) => {
      response.writeHead(next.status, { 'content-type': 'application/json', location: '/other' })
      response.end(next.status === 204 ? undefined : next.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const client = erpClient(`http://127.0.0.1:${port}`, 'a-token')
    return {
      async check(input) {
        next = { ...input }
        try {
          const result = await client.erp.warehouses({})
          requireThat('ok' in result !== 'rejected' in result, 'a result is neither ok nor rejected')
        } catch (error) {
          if (!(error instanceof UnknownOutcome)) throw error
          requireThat(error.sent, 'a call that was answered counts as not sent')
        }
      },
      async close() {
        await client.close()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

export const movements: FuzzTarget<string> = {
  name: 'movements-csv',
  inputs: fc
    .tuple(
      fc.constantFrom('warehouse_code,sku,quantity\n', 'sku,quantity,warehouse_code,withdrawn\r\n', ''),
      soupOf([
        'AUSYD1',
        'SBX-OOS',
        ',',
        '\n',
        '\r\n',
        '"',
        '""',
        '1',
        '-5',
        '9'.repeat(13),
        '1e3',
        ';',
        '\ufeff',
      ]),
    )
    .map((parts) => parts.join('')),
  async open() {
    const sandbox = await openSandboxErp({
      path: ':memory:',
      catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 2, today: '2026-11-21' }),
      catalogue_id: 'fuzz',
      accounts: [],
    })
    return {
      check(text) {
        try {
          applyMovementsCsv(sandbox.store, Buffer.from(text))
        } catch (error) {
          if (!(error instanceof MalformedMovements)) throw error
        }
      },
      close: async () => sandbox.close(),
    }
  },
}
