/** The ERPs that can be replayed. */
import { medusaErp } from './medusa-erp.ts'
import type { ErpName } from './options.ts'
import type { ErpKind } from './replay-erp.ts'
import { sandboxErp } from './sandbox-erp.ts'
import { trytonErp } from './tryton-erp.ts'

export const erpKinds: Readonly<Record<ErpName, ErpKind>> = {
  sandbox: sandboxErp,
  tryton: trytonErp,
  medusa: medusaErp,
}
