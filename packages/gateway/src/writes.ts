import { dropshipDrop, dropshipPreview } from './dropship/preview.ts'
import { dropshipSubmit } from './dropship/submit.ts'
import { dropshipRelease, dropshipVoid } from './dropship/void.ts'
import { holdExpire } from './holds/expire.ts'
import { holdRelease } from './holds/holds.ts'
import { operatorsHoldRelease } from './holds/search.ts'
import { orderSubmit } from './orders/submit.ts'
import { orderDrop, orderVoid } from './orders/void.ts'
import { reservationCancel } from './reservations/end.ts'
import { reservationCreate } from './reservations/reserve.ts'
import type { AnyWrite } from './writes/intent.ts'

/** Every kind of write to the ERP. The settlement of open writes finds the kind of each write here. */
export const writes: readonly AnyWrite[] = [
  orderSubmit,
  orderVoid,
  orderDrop,
  dropshipPreview,
  dropshipDrop,
  dropshipSubmit,
  dropshipRelease,
  dropshipVoid,
  reservationCreate,
  reservationCancel,
  holdRelease,
  operatorsHoldRelease,
  holdExpire,
]
