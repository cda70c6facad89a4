import type { ErpDocument } from '../documents.ts'
import { type Erp, ok, rejected, withoutOrders } from '../erp.ts'
import type { Input } from '../operations.ts'
import { changeCapabilities, changeOutput, type Mutant, replaceOperation } from './broken.ts'

/** Faulty ERPs for the checks of quotes, holds and orders, by the id of the check that must detect each one. */
export const brokenOrders: Readonly<Record<string, Mutant>> = {
  'orders.quote.sums': (erp) =>
    changeOutput(erp, 'quote', ({ quote }) => {
      const duplicateAllocations = (line: (typeof quote.lines)[number]) => [
        ...line.allocations,
        ...line.allocations,
      ]
      return {
        quote: {
          ...quote,
          lines: quote.lines.map((line) => ({ ...line, allocations: duplicateAllocations(line) })),
        },
      }
    }),
  'orders.quote.holds_nothing': (erp) => {
    let quotes = 0
    return replaceOperation(erp, 'quote', async (input, run) => {
      quotes += 1
      await erp.hold(toReservation(input, `leak-${quotes}`))
      return run(input)
    })
  },
  'orders.quote.short': (erp) =>
    replaceOperation(erp, 'quote', async (input, run) => {
      const result = await run(input)
      const isShort = 'ok' in result && !result.ok.quote.fulfillable
      return isShort ? rejected('insufficient_stock', 'There is not enough.') : result
    }),
  'orders.quote.hold_over': (erp) =>
    replaceOperation(erp, 'quote', async (input, run) => {
      const reference = input.hold_reference ?? null
      const known = reference === null ? undefined : await erp.lookup({ reference })
      const isOver = known && 'ok' in known && known.ok.document?.status !== 'held'
      return isOver ? rejected('not_found', 'There is no such hold.') : run(input)
    }),
  'orders.hold.exact': (erp) =>
    replaceOperation(erp, 'hold', async (input, run) => {
      if (input.lines[0]?.quantity === 3) await run({ ...input, reference: `${input.reference}-again` })
      return run(input)
    }),
  'orders.hold.whole': (erp) =>
    replaceOperation(erp, 'hold', async (input, run) => {
      const result = await run(input)
      if (!('ok' in result) || result.ok.document) return result
      return run({ ...input, lines: input.lines.map(({ sku }) => ({ sku, quantity: 1 })) })
    }),
  'orders.hold.once': (erp) => {
    const again = renameRepeats()
    return replaceOperation(erp, 'hold', async (input, run) =>
      run({ ...input, reference: again(input.reference) }),
    )
  },
  'orders.hold.replaces': (erp) =>
    replaceOperation(erp, 'hold', (input, run) => run({ ...input, replaces: null })),
  'orders.hold.release': (erp) =>
    replaceOperation(
      erp,
      'release',
      refuseRepeats(({ reference }) => reference),
    ),
  'orders.hold.none': (erp) => changeCapabilities(erp, { holds: 'none' }),

  'orders.none': (erp) => ({ ...erp, ...withoutOrders, lookup: erp.lookup }),
  'orders.session': (erp) =>
    replaceOperation(erp, 'quote', (input, run) => run({ ...input, session: 'session-1' })),
  'orders.foreign_customer': (erp) => letOrderFor(erp, () => true),
  'orders.unknown': (erp) =>
    replaceOperation(erp, 'void', async (input, run) => {
      const result = await run(input)
      return 'ok' in result ? result : rejected('invalid_state', 'It cannot be voided.')
    }),
  'orders.figures': (erp) => changeOutput(erp, 'void', (result) => ({ ...result, figures: [] })),
  'orders.submit.exact': (erp) =>
    changeOutput(erp, 'submit', ({ document, figures }) => ({
      document: document.lines[0]?.quantity === 7 ? { ...document, costs: null } : document,
      figures,
    })),
  'orders.submit.once': (erp) => {
    const again = renameRepeats()
    return replaceOperation(erp, 'submit', async (input, run) =>
      run({ ...input, reference: again(input.reference) }),
    )
  },
  'orders.submit.short': (erp) =>
    replaceOperation(erp, 'submit', async (input, run) => {
      const result = await run(input)
      return 'ok' in result ? result : rejected(result.rejected.reason, result.rejected.message)
    }),
  'orders.submit.price': (erp) =>
    replaceOperation(erp, 'submit', (input, run) => run({ ...input, max_total: null })),
  'orders.submit.hold': (erp) =>
    replaceOperation(erp, 'release', async (input, run) => {
      const result = await run(input)
      const isConsumed = 'rejected' in result && result.rejected.reason === 'invalid_state'
      return isConsumed ? rejected('not_found', 'There is no such hold.') : result
    }),
  'orders.submit.hold_expired': (erp) =>
    replaceOperation(erp, 'submit', async (input, run) => {
      const result = await run(input)
      const isExpired = 'rejected' in result && result.rejected.reason === 'hold_expired'
      return isExpired ? run({ ...input, hold_reference: null }) : result
    }),
  'orders.void': (erp) =>
    replaceOperation(
      erp,
      'void',
      refuseRepeats(({ reference }) => reference),
    ),

  'orders.lookup.found': (erp) =>
    changeOutput(erp, 'lookup', (result) =>
      result.document?.kind === 'hold' ? { state: 'absent', document: null } : result,
    ),
  'orders.lookup.absent': (erp) =>
    changeOutput(erp, 'lookup', (result) =>
      result.state === 'absent' ? { state: 'in_progress', document: null } : result,
    ),
  'orders.lookup.none': (erp) => changeCapabilities(erp, { lookup: 'none' }),
  'orders.documents.read': (erp) =>
    changeOutput(erp, 'documents.read', ({ documents }) => ({
      documents: documents.map((document): ErpDocument => ({ ...document, number: `${document.number}-A` })),
    })),
  'orders.documents.cursor': (erp) =>
    changeOutput(erp, 'documents.changed', (hints, { cursor }) =>
      cursor === 'not-a-cursor' ? { ...hints, everything: false } : hints,
    ),
  'orders.documents.changed': (erp) =>
    changeOutput(erp, 'documents.changed', (hints) => ({ ...hints, references: [] })),
}

/** An ERP that takes orders of any session for some other customers. */
export function letOrderFor(erp: Erp, isTaken: (customer_code: string) => boolean): Erp {
  const own = <Request extends { customer_code: string }>(input: Request) =>
    isTaken(input.customer_code) ? { ...input, customer_code: 'CUSTOMER' } : input
  const quoting = replaceOperation(erp, 'quote', (input, run) => run(own(input)))
  const holding = replaceOperation(quoting, 'hold', (input, run) => run(own(input)))
  return replaceOperation(holding, 'submit', (input, run) => run(own(input)))
}

function toReservation({ allow_partial: _none, ...input }: Input<'quote'>, reference: string): Input<'hold'> {
  const expires_at = '2099-01-01T00:00:00.000Z'
  return { ...input, order_type: 'reservation', delivery: null, reference, replaces: null, expires_at }
}

/** Returns a function that replaces a repeated reference with a new one. */
function renameRepeats(): (reference: string) => string {
  const seen = new Map<string, number>()
  return (reference) => {
    const times = seen.get(reference) ?? 0
    seen.set(reference, times + 1)
    return times === 0 ? reference : `${reference}-${times}`
  }
}

/** Returns an operation that refuses the second call with the same reference. */
function refuseRepeats<Id extends 'release' | 'void'>(getReference: (input: Input<Id>) => string) {
  const seen = new Set<string>()
  return async (input: Input<Id>, run: Erp[Id]) => {
    const result = await run(input)
    if (!('ok' in result)) return result
    const isSecond = seen.has(getReference(input))
    seen.add(getReference(input))
    return isSecond ? rejected('invalid_state', 'That was done before.') : ok(result.ok)
  }
}
