import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callAny, type Erp, erpFrom, erpServer } from '@trade-gateway/connector'
import { openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { builtInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { Dice } from './dice.ts'

/**
 * One sandbox ERP with a door for each gateway, so that it is known who asks. `watch` is called before each answer
 * about stock goes out, while the one who asked still waits.
 */
export interface ErpWithDoors {
  readonly sandbox: SandboxErp
  readonly urls: readonly string[]
  readonly token: string
  close(): Promise<void>
}

export type Watch = (door: number, warehouse: string) => Promise<void>

export async function openErp(doors: number, styles: number, watch: Watch): Promise<ErpWithDoors> {
  const sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => builtInCatalogue({ seed: 1, styles, today: '2026-11-21' }),
    catalogue_id: 'faults',
    accounts: [],
  })
  const token = 'a-token-between-the-gateways-and-their-erp'
  const servers: Server[] = []
  for (let door = 0; door < doors; door++) {
    const server = createServer(erpServer(watched(sandbox.erp, door, watch), { token }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
  }
  return {
    sandbox,
    token,
    urls: servers.map((server) => `http://127.0.0.1:${portOf(server)}`),
    async close() {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      sandbox.close()
    },
  }
}

function watched(erp: Erp, door: number, watch: Watch): Erp {
  return erpFrom(async (id, input, options) => {
    if (id.startsWith('stock.')) await watch(door, warehouseIn(input))
    return callAny(erp, id, input, options)
  })
}

function warehouseIn(input: unknown): string {
  if (typeof input !== 'object' || input === null || !('warehouse_code' in input)) return ''
  return String(input.warehouse_code)
}

/** The port of a server that listens on TCP. */
function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Changes rows of the ERP as its own people do: goods come and go, SKUs are withdrawn and return. */
export class Movements {
  readonly #sandbox: SandboxErp
  readonly #dice = new Dice(3)
  readonly #rows: readonly { warehouse: string; sku: string }[]

  constructor(sandbox: SandboxErp) {
    this.#sandbox = sandbox
    this.#rows = sandbox.store
      .all('select warehouse_code, sku from stock')
      .map((row) => ({ warehouse: String(row.warehouse_code), sku: String(row.sku) }))
  }

  /** One row under the next number of its warehouse. */
  move(): void {
    const { store } = this.#sandbox
    const { warehouse, sku } = this.#dice.pick(this.#rows)
    const how = this.#dice.chance(0.1) ? 'withdrawn = 1 - withdrawn' : 'on_hand = on_hand + 1'
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

  /** How many rows each warehouse carries now. */
  liveRows(warehouse: string): number {
    const sql = 'select count(*) as rows from stock where warehouse_code = ? and withdrawn = 0'
    return Number(this.#sandbox.store.one(sql, warehouse)?.rows)
  }
}
