import type { Command } from './command.ts'
import * as account from './commands/account.ts'
import * as dropship from './commands/dropship.ts'
import { webhooksListen } from './commands/listen.ts'
import * as lists from './commands/lists.ts'
import * as lookups from './commands/lookups.ts'
import * as orders from './commands/orders.ts'
import * as stock from './commands/stock.ts'

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  account.login,
  account.logout,
  account.whoami,
  account.token,
  account.profilesList,
  account.profilesUse,
  account.profilesRemove,
  lists.warehouses,
  stock.stockGet,
  stock.stockPull,
  stock.stockWatch,
  lists.productsSearch,
  lists.productsGet,
  orders.orderList,
  orders.orderGet,
  orders.orderCreate,
  orders.orderPreview,
  orders.orderSubmit,
  orders.orderVoid,
  dropship.dropshipList,
  dropship.dropshipGet,
  dropship.dropshipPreview,
  dropship.dropshipSubmit,
  dropship.dropshipRelease,
  dropship.dropshipVoid,
  lists.shippingMethods,
  lists.addresses,
  webhooksListen,
  lookups.requestsGet,
  lookups.errorsExplain,
  lookups.errorsList,
]
