/** The order operations of the protocol. */
import { type Erp, ok } from '@trade-gateway/connector'
import { type Orders, refuseBy } from './context.ts'
import { readDocuments } from './documents.ts'
import { hold, release } from './hold.ts'
import { quote } from './quote.ts'
import { lookup, settle } from './settle.ts'
import { submit } from './submit.ts'
import { voidOrder } from './void.ts'

type OrderOperation =
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'settle'
  | 'documents.read'

export function createOrderOperations(orders: Orders): Pick<Erp, OrderOperation> {
  return {
    quote: (input) => refuseBy(() => quote(orders, { ...input })),
    hold: (input) => refuseBy(() => hold(orders, input)),
    release: (input) => refuseBy(() => release(orders, input)),
    submit: (input) => refuseBy(() => submit(orders, input)),
    void: (input) => refuseBy(() => voidOrder(orders, input)),
    lookup: (input) => refuseBy(() => lookup(orders, input)),
    settle: (input) => refuseBy(() => settle(orders, input)),
    'documents.read': async ({ references }) => ok(await readDocuments(orders, references)),
  }
}
