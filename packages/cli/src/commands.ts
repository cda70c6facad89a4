import type { Command } from './command.ts'
import * as account from './commands/account.ts'
import { api } from './commands/api.ts'
import { doctor } from './commands/doctor.ts'
import * as dropship from './commands/dropship.ts'
import { webhooksListen } from './commands/listen.ts'
import * as lists from './commands/lists.ts'
import * as lookups from './commands/lookups.ts'
import { mcpConfig } from './commands/mcp.ts'
import * as orders from './commands/orders.ts'
import { quickstart } from './commands/quickstart.ts'
import * as sandbox from './commands/sandbox.ts'
import * as shells from './commands/shells.ts'
import { statement } from './commands/statement.ts'
import * as stock from './commands/stock.ts'
import { webhooksTrigger } from './commands/trigger.ts'
import * as webhooks from './commands/webhooks.ts'

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  account.login,
  account.logout,
  account.whoami,
  account.token,
  account.profilesList,
  account.profilesUse,
  account.profilesRemove,
  quickstart,
  doctor,
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
  statement,
  webhooksListen,
  webhooksTrigger,
  webhooks.webhooksReplay,
  webhooks.webhooksList,
  webhooks.webhooksAdd,
  webhooks.webhooksRemove,
  webhooks.webhooksRotate,
  lookups.requestsGet,
  lookups.errorsExplain,
  lookups.errorsList,
  sandbox.sandboxStock,
  sandbox.sandboxPrice,
  sandbox.sandboxShip,
  sandbox.sandboxIntercept,
  sandbox.sandboxClock,
  sandbox.sandboxFaults,
  sandbox.sandboxInbox,
  mcpConfig,
  api,
  shells.completion,
  shells.completeCommand,
  shells.commandsList,
]
