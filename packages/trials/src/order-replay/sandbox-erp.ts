/** The sandbox ERP in a replay. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../free-ports.ts'
import { ErpControls } from './erp-controls.ts'
import { shippingSeconds, startErp } from './erp-process.ts'
import { createFaultPlan } from './fault-plan.ts'
import { maxLines } from './invoices.ts'
import { computeOpeningStock, formatCatalogue, warehouses } from './opening-stock.ts'
import type { ErpFaults, ErpKind, ErpStart, ReplayErp } from './replay-erp.ts'
import { toVictim } from './victims.ts'

export const sandboxErp: ErpKind = {
  warehouses,
  max_lines: maxLines,
  orders_per_kill: 400,
  // `npm run kills` stops the processes of this ERP.
  orders_per_stop: undefined,
  has_ledger: true,
  limits: [],
  start: startSandboxErp,
}

async function startSandboxErp(
  { directory, orders, rows, erp_class }: ErpStart,
  signal: AbortSignal,
): Promise<ReplayErp> {
  const opening = computeOpeningStock(orders)
  const catalogue = join(directory, 'catalogue.csv')
  await writeFile(catalogue, formatCatalogue(rows, opening))
  const port = await findFreePort()
  const erp = await startErp({ directory, catalogue, port, erp_class })
  const { process, url, token, username, password, customer_code } = erp
  const controls = new ErpControls(erp, AbortSignal.any([signal, process.ended]))
  const faults: ErpFaults = {
    install: (seed) => controls.setFaults(createFaultPlan(erp_class, seed)),
    remove: () => controls.setFaults({}),
    count: () => controls.countFaults(),
  }
  return {
    upstream: { url, token },
    account: { username, password },
    customer_code,
    opening,
    victims: [toVictim('erp', process)],
    faults,
    ended: process.ended,
    readDocuments: () => controls.readDocuments(),
    readSnapshot: (code) => controls.readSnapshot(code),
    // The sandbox has no ledger besides the one that it serves to the gateway.
    readBalance: async () => undefined,
    listLeftovers: async () => [],
    shipAll: async () => void (await controls.shipAll(shippingSeconds * 2)),
    stop: () => process.stop(),
  }
}
