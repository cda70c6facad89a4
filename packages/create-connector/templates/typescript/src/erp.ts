import type { Erp } from '@trade-gateway/connector'
import { readCustomers } from './customers.ts'
import { describeErp } from './describe.ts'
import { readLedger } from './ledger.ts'
import { takeOrders } from './orders.ts'
import { readProducts } from './products.ts'
import { readShipping } from './shipping.ts'
import { readStock } from './stock.ts'
import { readWarehouses } from './warehouses.ts'

/** All operations of the connector. The compiler reports one that is missing. */
export const erp: Erp = {
  ...describeErp,
  ...readWarehouses,
  ...readStock,
  ...readProducts,
  ...readShipping,
  ...readCustomers,
  ...takeOrders,
  ...readLedger,
}
