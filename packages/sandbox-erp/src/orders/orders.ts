import { type Erp, type ErpResult, type Output, rejected } from '@trade-gateway/connector'
import { catchRefusal, type OrderContext, runInTransaction } from './context.ts'
import { lookUp, readDocumentHints, readDocuments } from './documents.ts'
import { hold, release } from './hold.ts'
import { applyDueChangesTo } from './progress.ts'
import { quote } from './quote.ts'
import { settle } from './settle.ts'
import { submit } from './submit.ts'
import { voidOrder } from './void.ts'

type OrderOperations = Pick<
  Erp,
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'settle'
  | 'documents.changed'
  | 'documents.read'
>

/**
 * Creates the order operations of the sandbox ERP. Each operation first applies due changes to the documents that it
 * refers to.
 */
export function createOrderOperations(context: OrderContext): OrderOperations {
  const { store, capabilities } = context
  const refresh = (...references: readonly (string | null)[]) => {
    for (const reference of references) if (reference !== null) applyDueChangesTo(context, reference)
  }
  const refuseSettle = async () => rejected('not_supported', 'This ERP cannot settle writes.')
  const refuseHolds = async () => rejected('not_supported', 'This ERP cannot hold stock.')
  return {
    quote: async (input) => {
      refresh(input.hold_reference ?? null)
      return catchRefusal(() => quote(context, input))
    },
    hold:
      capabilities.holds === 'none'
        ? refuseHolds
        : async (input) => {
            refresh(input.reference, input.replaces)
            const until = Date.parse(input.expires_at)
            const expires_at = new Date(context.clock.shiftDeadline?.(until) ?? until).toISOString()
            return runInTransaction(store, () => hold(context, { ...input, expires_at }))
          },
    release:
      capabilities.holds === 'none'
        ? refuseHolds
        : async (input) => {
            refresh(input.reference)
            return runInTransaction(store, () => release(context, input))
          },
    submit: async (input) => {
      refresh(input.reference, input.hold_reference)
      return runInTransaction(store, () => submit(context, input))
    },
    void: async (input) => {
      refresh(input.reference)
      return runInTransaction(store, () => voidOrder(context, input))
    },
    lookup: async (input): Promise<ErpResult<Output<'lookup'>>> => {
      if (capabilities.lookup === 'none')
        return rejected('not_supported', 'This ERP cannot look references up.')
      refresh(input.reference)
      return catchRefusal(() => lookUp(context, input))
    },
    settle: capabilities.settles
      ? async (input) => {
          refresh(input.reference)
          return runInTransaction(store, () => settle(context, input))
        }
      : refuseSettle,
    'documents.changed': async (input) => readDocumentHints(context, input),
    'documents.read': async (input) => {
      refresh(...input.references)
      return catchRefusal(() => readDocuments(context, input))
    },
  }
}
