/** A real Tryton in a replay: a sandbox of its own with the goods of the orders, behind the connector. */
import { maxOrderLines } from '../../../connector-tryton/src/orders/request.ts'
import { warehouses } from '../../../connector-tryton/src/tryton/seed-goods.ts'
import { Seeder } from '../../../connector-tryton/src/tryton/seeder.ts'
import { customerPassword, customers } from '../../../connector-tryton/src/tryton/settings.ts'
import { openAdminSession } from '../../../connector-tryton/src/tryton/trytond.ts'
import { findFreePorts } from '../free-ports.ts'
import { addOtherStock, computeOpeningStock } from './opening-stock.ts'
import type { ErpKind, ErpStart, ReplayErp, StepListener } from './replay-erp.ts'
import { readTrytonBalance, readTrytonSnapshot, shipAndBillAll } from './tryton-books.ts'
import { createGoods } from './tryton-goods.ts'
import { startTryton, startTrytonConnector } from './tryton-processes.ts'
import { readTrytonRecords } from './tryton-records.ts'
import { toVictim } from './victims.ts'

const codes = warehouses.map(({ code }) => code)

export const trytonErp: ErpKind = {
  warehouses: codes,
  max_lines: maxOrderLines,
  orders_per_kill: 10,
  orders_per_stop: 30,
  has_ledger: true,
  limits: [
    'Tryton injects no faults: with --faults, gateway, connector, trytond and its PostgreSQL are killed, and stopped for 20 s, after each step of a write in turn',
    'prices, tax and freight are Tryton’s: its totals are compared with what gateway and client saw, not with the file',
    'freight is a line of Tryton’s invoice: it is compared as a part of the order’s charge, not as a posting of its own',
    'invoices are posted at the end, after everything was shipped; payments and refunds are not made',
  ],
  start: startTrytonErp,
}

async function startTrytonErp({ orders, rows, report }: ErpStart, signal: AbortSignal): Promise<ReplayErp> {
  const [port = 0, postgresPort = 0, connectorPort = 0] = await findFreePorts(3)
  const { trytond, database, url: tryton_url, settings } = await startTryton({ port, postgresPort, report })
  try {
    const seeder = new Seeder(await openAdminSession(settings), signal)
    const stock = computeOpeningStock(orders, { allocates_from: 'one' })
    report('Creating the goods of the orders in Tryton')
    await createGoods(seeder, rows, stock)
    const books = await openBooks(seeder)
    const opening = await addOtherStock(codes, stock, books.readSnapshot)
    let listener: StepListener = async () => {}
    const onStep = (step: string) => listener(step)
    const connector = await startTrytonConnector({ tryton_url, port: connectorPort, onStep })
    const { process, url, token } = connector
    return {
      ...books,
      upstream: { url, token },
      account: { username: customers[0].username, password: customerPassword },
      customer_code: customers[0].code,
      opening,
      victims: [toVictim('connector', process), trytond, database],
      faults: undefined,
      onStep: (next) => {
        listener = next
      },
      ended: AbortSignal.any([process.ended, trytond.ended]),
      stop: async () => {
        await process.stop()
        await trytond.stop()
      },
    }
  } catch (error) {
    await trytond.stop()
    throw error
  }
}

type Books = Pick<ReplayErp, 'readDocuments' | 'readSnapshot' | 'readBalance' | 'listLeftovers' | 'shipAll'>

async function openBooks(seeder: Seeder): Promise<Books> {
  const places = new Map<string, { readonly warehouse: number; readonly storage: number }>()
  for (const code of codes) {
    const warehouse = await seeder.findOne('stock.location', [['code', '=', code]])
    const storage = await seeder.findOne('stock.location', [['code', '=', `${code}-STORAGE`]])
    places.set(code, { warehouse, storage })
  }
  return {
    readDocuments: () => readTrytonRecords(seeder.rpc),
    readSnapshot: (code) => {
      const place = places.get(code)
      if (!place) throw new RangeError(`Tryton has no warehouse ${code}.`)
      return readTrytonSnapshot(seeder, place)
    },
    readBalance: () => readTrytonBalance(seeder, customers[0].code),
    listLeftovers: async () => [],
    shipAll: (onShare) => shipAndBillAll(seeder, onShare),
  }
}
