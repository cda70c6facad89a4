/** A real Medusa in a replay: a sandbox of its own with the goods of the orders, behind the connector. */
import { z } from 'zod'
import { MedusaHttp, toKeyHeaders } from '../../../connector-medusa/src/http.ts'
import { customerPassword, customers, warehouses } from '../../../connector-medusa/src/medusa/settings.ts'
import { findFreePorts } from '../free-ports.ts'
import { listLeftDrafts, readMedusaPlaces, readMedusaSnapshot, shipAllOrders } from './medusa-books.ts'
import { createMedusaGoods } from './medusa-goods.ts'
import { startMedusa, startMedusaConnector } from './medusa-processes.ts'
import { type MedusaPlace, readMedusaRecords } from './medusa-records.ts'
import { addOtherStock, computeOpeningStock } from './opening-stock.ts'
import type { ErpKind, ErpStart, ReplayErp } from './replay-erp.ts'
import { toVictim } from './victims.ts'

const codes = warehouses.map(({ code }) => code)
/** The styles of the sandbox's own goods, which nobody orders: few, because each takes time to read. */
const styles = 3
const username = customers[0]?.email ?? ''

export const medusaErp: ErpKind = {
  warehouses: codes,
  // The connector's own limit, which it declares as `max_lines`.
  max_lines: 100,
  orders_per_kill: 10,
  orders_per_stop: 30,
  has_ledger: false,
  limits: [
    'Medusa injects no faults: with --faults, gateway, connector, Medusa and its PostgreSQL are killed, and stopped for 20 s',
    'prices, tax and freight are Medusa’s: its totals are compared with what gateway and client saw, not with the file',
    'Medusa keeps no accounts of customers, so there is no statement to compare',
    'Medusa has no unique field for a reference: one connector, as in this replay, is what keeps orders single',
  ],
  start: startMedusaErp,
}

async function startMedusaErp({ orders, rows, report }: ErpStart): Promise<ReplayErp> {
  const [port = 0, postgresPort = 0, connectorPort = 0] = await findFreePorts(3)
  const { medusa, database, url, keys } = await startMedusa({ port, postgresPort, styles, report })
  try {
    const http = new MedusaHttp({ url, headers: toKeyHeaders(keys.secretKey) })
    const places = await readMedusaPlaces(http, codes)
    const stock = computeOpeningStock(orders, { allocates_from: 'one' })
    report('Creating the goods of the orders in Medusa')
    await createMedusaGoods(http, { rows, opening: stock, places })
    const books = openBooks(http, places)
    const opening = await addOtherStock(codes, stock, books.readSnapshot)
    const connector = await startMedusaConnector({ url, keys }, connectorPort)
    const { process } = connector
    return {
      ...books,
      upstream: { url: connector.url, token: connector.token },
      account: { username, password: customerPassword },
      customer_code: await findCustomer(http),
      opening,
      victims: [toVictim('connector', process), medusa, ...(database ? [database] : [])],
      faults: undefined,
      ended: AbortSignal.any([process.ended, medusa.ended]),
      stop: async () => {
        await process.stop()
        await medusa.stop()
      },
    }
  } catch (error) {
    await medusa.stop()
    throw error
  }
}

type Books = Pick<ReplayErp, 'readDocuments' | 'readSnapshot' | 'readBalance' | 'listLeftovers' | 'shipAll'>

function openBooks(http: MedusaHttp, places: readonly MedusaPlace[]): Books {
  return {
    readDocuments: () => readMedusaRecords(http, places),
    readSnapshot: (code) => {
      const place = places.find((each) => each.code === code)
      if (!place) throw new RangeError(`Medusa has no warehouse ${code}.`)
      return readMedusaSnapshot(http, place.locationId)
    },
    readBalance: async () => undefined,
    listLeftovers: () => listLeftDrafts(http),
    shipAll: (onShare) => shipAllOrders(http, onShare),
  }
}

async function findCustomer(http: MedusaHttp): Promise<string> {
  const page = z.object({ customers: z.array(z.object({ id: z.string(), has_account: z.boolean() })) })
  const found = await http.get('/admin/customers', page, { email: username })
  const own = found.customers.find(({ has_account }) => has_account)
  if (!own) throw new RangeError(`Medusa has no customer ${username}.`)
  return own.id
}
