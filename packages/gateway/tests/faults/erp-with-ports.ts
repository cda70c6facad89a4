import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callOperation, createErp, type Erp, erpServer } from '@trade-gateway/connector'
import { type Account, leastHashCost, openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { SeededRandom } from './dice.ts'

/**
 * A sandbox ERP that listens on a separate port for each gateway, so that it knows which gateway calls. It calls
 * `watch` before each stock operation and waits for the result.
 */
export interface ErpWithPorts {
  readonly sandbox: SandboxErp
  readonly urls: readonly string[]
  readonly token: string
  close(): Promise<void>
}

export type Watch = (index: number, warehouse: string) => Promise<void>

export async function openErpWithPorts(
  count: number,
  styles: number,
  watch: Watch,
  accounts: Account[] = [],
): Promise<ErpWithPorts> {
  const sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles, today: '2026-11-21' }),
    catalogue_id: 'faults',
    accounts,
    hashCost: leastHashCost,
  })
  const token = 'a-token-between-the-gateways-and-their-erp'
  const servers: Server[] = []
  for (let index = 0; index < count; index++) {
    const server = createServer(erpServer(watchErp(sandbox.erp, index, watch), { token }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
  }
  return {
    sandbox,
    token,
    urls: servers.map((server) => `http://127.0.0.1:${readPort(server)}`),
    async close() {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      sandbox.close()
    },
  }
}

function watchErp(erp: Erp, index: number, watch: Watch): Erp {
  return createErp(async (id, input, options) => {
    if (id.startsWith('stock.')) await watch(index, readWarehouse(input))
    return callOperation(erp, id, input, options)
  })
}

function readWarehouse(input: unknown): string {
  if (typeof input !== 'object' || input === null || !('warehouse_code' in input)) return ''
  return String(input.warehouse_code)
}

/** Returns the port of a server that listens on TCP. */
function readPort(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Changes the ERP's stock rows: quantities change, and SKUs are withdrawn and return. */
export class Movements {
  readonly #sandbox: SandboxErp
  readonly #dice = new SeededRandom(3)
  readonly #rows: readonly { warehouse: string; sku: string }[]

  constructor(sandbox: SandboxErp) {
    this.#sandbox = sandbox
    this.#rows = sandbox.store
      .all('select warehouse_code, sku from stock')
      .map((row) => ({ warehouse: String(row.warehouse_code), sku: String(row.sku) }))
  }

  /** Changes one row and gives it the next change number of its warehouse. */
  move(): void {
    const { store } = this.#sandbox
    const { warehouse, sku } = this.#dice.pick(this.#rows)
    const how = this.#dice.drawBoolean(0.1) ? 'withdrawn = 1 - withdrawn' : 'on_hand = on_hand + 1'
    store.transaction(() => {
      store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', warehouse)
      store.run(
        `update stock set ${how}, stock_seq = (select stock_seq from warehouses where warehouse_code = ?1)
         where warehouse_code = ?1 and sku = ?2`,
        warehouse,
        sku,
      )
    })
  }

  /** Counts the rows of a warehouse that are not withdrawn. */
  countLiveRows(warehouse: string): number {
    const sql = 'select count(*) as rows from stock where warehouse_code = ? and withdrawn = 0'
    return Number(this.#sandbox.store.one(sql, warehouse)?.rows)
  }
}
