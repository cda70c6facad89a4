import { type Answer, type Erp, type Output, rejected } from '@trade-gateway/connector'
import { type Desk, inOneStep, refusing } from './desk.ts'
import { documentsChanged, documentsRead, lookup } from './documents.ts'
import { hold, release } from './hold.ts'
import { applyDueOf } from './progress.ts'
import { quote } from './quote.ts'
import { submit } from './submit.ts'
import { voidOrder } from './void.ts'

type OrderOperations = Pick<
  Erp,
  'quote' | 'hold' | 'release' | 'submit' | 'void' | 'lookup' | 'documents.changed' | 'documents.read'
>

/** The order operations of the sandbox ERP. What is due was applied before; what is named is brought up to date here. */
export function orderOperations(desk: Desk): OrderOperations {
  const { store, capabilities } = desk
  const upToDate = (...references: readonly (string | null)[]) => {
    for (const reference of references) if (reference !== null) applyDueOf(desk, reference)
  }
  const noHolds = async () => rejected('not_supported', 'This ERP cannot hold stock.')
  return {
    quote: async (input) => {
      upToDate(input.hold_reference ?? null)
      return refusing(() => quote(desk, input))
    },
    hold:
      capabilities.holds === 'none'
        ? noHolds
        : async (input) => {
            upToDate(input.reference, input.replaces)
            const until = Date.parse(input.expires_at)
            const expires_at = new Date(desk.clock.seen?.(until) ?? until).toISOString()
            return inOneStep(store, () => hold(desk, { ...input, expires_at }))
          },
    release:
      capabilities.holds === 'none'
        ? noHolds
        : async (input) => {
            upToDate(input.reference)
            return inOneStep(store, () => release(desk, input))
          },
    submit: async (input) => {
      upToDate(input.reference, input.hold_reference)
      return inOneStep(store, () => submit(desk, input))
    },
    void: async (input) => {
      upToDate(input.reference)
      return inOneStep(store, () => voidOrder(desk, input))
    },
    lookup: async (input): Promise<Answer<Output<'lookup'>>> => {
      if (capabilities.lookup === 'none')
        return rejected('not_supported', 'This ERP cannot look references up.')
      upToDate(input.reference)
      return refusing(() => lookup(desk, input))
    },
    'documents.changed': async (input) => documentsChanged(desk, input),
    'documents.read': async (input) => {
      upToDate(...input.references)
      return refusing(() => documentsRead(desk, input))
    },
  }
}
