import type { ErpDocument } from '../documents.ts'
import { type Erp, ok, rejected, withoutOrders } from '../erp.ts'
import type { Input } from '../operations.ts'
import { changed, describedAs, type Mutant, replaced } from './broken.ts'

/** By check: the fault of quotes, holds and orders that it is there to find. */
export const brokenOrders: Readonly<Record<string, Mutant>> = {
  'orders.quote.sums': (erp) =>
    changed(erp, 'quote', ({ quote }) => {
      const twice = (line: (typeof quote.lines)[number]) => [...line.allocations, ...line.allocations]
      return {
        quote: { ...quote, lines: quote.lines.map((line) => ({ ...line, allocations: twice(line) })) },
      }
    }),
  'orders.quote.holds_nothing': (erp) => {
    let quotes = 0
    return replaced(erp, 'quote', async (input, run) => {
      quotes += 1
      await erp.hold(reservation(input, `leak-${quotes}`))
      return run(input)
    })
  },
  'orders.quote.short': (erp) =>
    replaced(erp, 'quote', async (input, run) => {
      const answer = await run(input)
      const isShort = 'ok' in answer && !answer.ok.quote.fulfillable
      return isShort ? rejected('insufficient_stock', 'There is not enough.') : answer
    }),
  'orders.hold.exact': (erp) =>
    replaced(erp, 'hold', async (input, run) => {
      if (input.lines[0]?.quantity === 3) await run({ ...input, reference: `${input.reference}-again` })
      return run(input)
    }),
  'orders.hold.whole': (erp) =>
    replaced(erp, 'hold', async (input, run) => {
      const answer = await run(input)
      if (!('ok' in answer) || answer.ok.document) return answer
      return run({ ...input, lines: input.lines.map(({ sku }) => ({ sku, quantity: 1 })) })
    }),
  'orders.hold.once': (erp) => {
    const again = anewEachTime()
    return replaced(erp, 'hold', async (input, run) => run({ ...input, reference: again(input.reference) }))
  },
  'orders.hold.replaces': (erp) => replaced(erp, 'hold', (input, run) => run({ ...input, replaces: null })),
  'orders.hold.release': (erp) =>
    replaced(
      erp,
      'release',
      refusingTheSecond(({ reference }) => reference),
    ),
  'orders.hold.none': (erp) => describedAs(erp, { holds: 'none' }),

  'orders.none': (erp) => ({ ...erp, ...withoutOrders, lookup: erp.lookup }),
  'orders.session': (erp) => replaced(erp, 'quote', (input, run) => run({ ...input, session: 'session-1' })),
  'orders.unknown': (erp) =>
    replaced(erp, 'void', async (input, run) => {
      const answer = await run(input)
      return 'ok' in answer ? answer : rejected('invalid_state', 'It cannot be voided.')
    }),
  'orders.figures': (erp) => changed(erp, 'void', (answer) => ({ ...answer, figures: [] })),
  'orders.submit.exact': (erp) =>
    changed(erp, 'submit', ({ document, figures }) => ({
      document: document.lines[0]?.quantity === 7 ? { ...document, costs: null } : document,
      figures,
    })),
  'orders.submit.once': (erp) => {
    const again = anewEachTime()
    return replaced(erp, 'submit', async (input, run) => run({ ...input, reference: again(input.reference) }))
  },
  'orders.submit.short': (erp) =>
    replaced(erp, 'submit', async (input, run) => {
      const answer = await run(input)
      return 'ok' in answer ? answer : rejected(answer.rejected.reason, answer.rejected.message)
    }),
  'orders.submit.price': (erp) => replaced(erp, 'submit', (input, run) => run({ ...input, max_total: null })),
  'orders.submit.hold': (erp) =>
    replaced(erp, 'release', async (input, run) => {
      const answer = await run(input)
      const isConsumed = 'rejected' in answer && answer.rejected.reason === 'invalid_state'
      return isConsumed ? rejected('not_found', 'There is no such hold.') : answer
    }),
  'orders.submit.hold_expired': (erp) =>
    replaced(erp, 'submit', async (input, run) => {
      const answer = await run(input)
      const isExpired = 'rejected' in answer && answer.rejected.reason === 'hold_expired'
      return isExpired ? run({ ...input, hold_reference: null }) : answer
    }),
  'orders.void': (erp) =>
    replaced(
      erp,
      'void',
      refusingTheSecond(({ reference }) => reference),
    ),

  'orders.lookup.found': (erp) =>
    changed(erp, 'lookup', (answer) =>
      answer.document?.kind === 'hold' ? { state: 'absent', document: null } : answer,
    ),
  'orders.lookup.absent': (erp) =>
    changed(erp, 'lookup', (answer) =>
      answer.state === 'absent' ? { state: 'in_progress', document: null } : answer,
    ),
  'orders.lookup.none': (erp) => describedAs(erp, { lookup: 'none' }),
  'orders.documents.read': (erp) =>
    changed(erp, 'documents.read', ({ documents }) => ({
      documents: documents.map((document): ErpDocument => ({ ...document, number: `${document.number}-A` })),
    })),
  'orders.documents.cursor': (erp) =>
    changed(erp, 'documents.changed', (hints, { cursor }) =>
      cursor === 'not-a-cursor' ? { ...hints, everything: false } : hints,
    ),
  'orders.documents.changed': (erp) =>
    changed(erp, 'documents.changed', (hints) => ({ ...hints, references: [] })),
}

function reservation({ allow_partial: _none, ...input }: Input<'quote'>, reference: string): Input<'hold'> {
  const expires_at = '2099-01-01T00:00:00.000Z'
  return { ...input, order_type: 'reservation', delivery: null, reference, replaces: null, expires_at }
}

/** Another reference where one comes again. */
function anewEachTime(): (reference: string) => string {
  const seen = new Map<string, number>()
  return (reference) => {
    const times = seen.get(reference) ?? 0
    seen.set(reference, times + 1)
    return times === 0 ? reference : `${reference}-${times}`
  }
}

/** Refuses what was asked for before. */
function refusingTheSecond<Id extends 'release' | 'void'>(nameOf: (input: Input<Id>) => string) {
  const seen = new Set<string>()
  return async (input: Input<Id>, run: Erp[Id]) => {
    const answer = await run(input)
    if (!('ok' in answer)) return answer
    const isSecond = seen.has(nameOf(input))
    seen.add(nameOf(input))
    return isSecond ? rejected('invalid_state', 'That was done before.') : ok(answer.ok)
  }
}
