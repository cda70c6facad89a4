import { isDeepStrictEqual } from 'node:util'
import type { ErpDocument } from '../documents.ts'
import { callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { tooMany } from './holds.ts'
import { type Buyer, defineOrderCheck, type OrderProbe } from './order-probe.ts'

const noLookup = skip('The ERP declares that it cannot look up references (lookup: none).')
const maxHintPages = 50

/**
 * Lists the checks of reading documents: look-ups and reads by reference, and reports of changed documents ("hints").
 */
export function listDocumentChecks(buyer: Buyer): Check[] {
  const defineCheck = (
    id: string,
    states: string,
    look: (probe: OrderProbe) => Promise<Skipped | undefined>,
  ) => defineOrderCheck(buyer, { id, states }, look)
  return [
    defineCheck(
      'lookup.found',
      'A look-up finds every document that a write has returned.',
      requireWritesFound,
    ),
    defineCheck(
      'lookup.absent',
      'A look-up returns absent for an unknown reference and for a refused one.',
      requireUnknownAbsent,
    ),
    defineCheck('lookup.none', 'An ERP without look-ups refuses them with not_supported.', async (probe) => {
      if (probe.capabilities.lookup !== 'none')
        return skip('The ERP declares that it can look up references.')
      await callRefused(probe.erp, 'lookup', { reference: probe.createReference() }, 'not_supported')
      return undefined
    }),
    defineCheck(
      'documents.read',
      'A read returns the same documents as the writes, and leaves out unknown references.',
      requireSameDocument,
    ),
    defineCheck('documents.cursor', 'A foreign cursor returns everything: true.', async (probe) => {
      for (const cursor of ['not-a-cursor', '☃ % \' " \\ ../', 'x'.repeat(400)]) {
        if (!(await callOk(probe.erp, 'documents.changed', { cursor })).everything)
          throw createEverythingFailure(cursor)
      }
      return undefined
    }),
    defineCheck(
      'documents.changed',
      'Every change of a document is hinted, and a new cursor returns no hints.',
      requireChangesHinted,
    ),
  ]
}

async function requireWritesFound(probe: OrderProbe): Promise<Skipped | undefined> {
  if (probe.capabilities.lookup === 'none') return noLookup
  const made = [(await probe.submit(1)).document]
  if (probe.capabilities.holds !== 'none') made.push((await probe.hold(1)).document)
  for (const { reference, number } of made) {
    const found = await probe.pollUntilFound(async () => {
      const { document } = await callOk(probe.erp, 'lookup', { reference })
      return document ?? undefined
    })
    if (found?.number === number) continue
    throw new ConformanceFailure({
      expected: `lookup to find ${number} by its reference`,
      actual: found ? found.number : 'nothing',
      remedy:
        'Commit before returning ok, and look up in the database that committed; or declare lookup: eventual and its lag.',
    })
  }
  return undefined
}

async function requireUnknownAbsent(probe: OrderProbe): Promise<Skipped | undefined> {
  if (probe.capabilities.lookup === 'none') return noLookup
  const refusedOrder = probe.createSubmitInput(tooMany)
  await callRefused(probe.erp, 'submit', refusedOrder, 'insufficient_stock')
  for (const reference of [probe.createReference(), refusedOrder.reference]) {
    const { state, document } = await callOk(probe.erp, 'lookup', { reference })
    if (state === 'absent' && document === null) continue
    throw new ConformanceFailure({
      expected: 'state: absent and no document for a reference that names nothing',
      actual: `${state} with ${document ? document.number : 'no document'}`,
      remedy:
        'Keep nothing of a refused write; in_progress is for a write that was started and may still be committed.',
    })
  }
  return undefined
}

async function requireSameDocument(probe: OrderProbe): Promise<undefined> {
  const { document } = await probe.submit(1)
  const read = await probe.readDocument(document.reference)
  const references = [probe.createReference(), document.reference]
  const { documents } = await callOk(probe.erp, 'documents.read', { references })
  const isAlone = documents.every(({ reference }) => reference === document.reference)
  if (isAlone && read && isSameDocument(read, document)) return
  throw new ConformanceFailure({
    expected: `documents.read to return ${document.number} like submit, and nothing else`,
    actual: JSON.stringify(isAlone ? (read ?? 'nothing') : documents.map(({ reference }) => reference)).slice(
      0,
      400,
    ),
    remedy: 'Build documents for all operations in one place.',
  })
}

/**
 * Whether two reads show the same document. Ignores `status_raw`: an order may be handed over to the warehouse between
 * the reads, which changes the ERP's status code.
 */
function isSameDocument(one: ErpDocument, other: ErpDocument): boolean {
  return isDeepStrictEqual({ ...one, status_raw: '' }, { ...other, status_raw: '' })
}

async function requireChangesHinted(probe: OrderProbe): Promise<Skipped | undefined> {
  if (probe.capabilities.changes === 'none') return requireEverythingFlag(probe)
  const first = await callOk(probe.erp, 'documents.changed', { cursor: null })
  if (first.everything || first.references.length > 0 || first.more) {
    throw new ConformanceFailure({
      expected: 'only a cursor from documents.changed when none is sent',
      actual: `${first.references.length} references, everything ${first.everything}, more ${first.more}`,
      remedy: 'Return {cursor, everything: false, references: [], more: false}.',
    })
  }
  const reference = probe.createReference()
  const moves: [string, () => Promise<unknown>][] = [
    ['submit', () => probe.submit(1, { reference })],
    ['void', () => callOk(probe.erp, 'void', { reference })],
  ]
  for (const [name, move] of moves) {
    const { cursor } = await callOk(probe.erp, 'documents.changed', { cursor: null })
    await move()
    const isHinted = await probe.pollUntilFound(
      async () => (await findHint(probe, cursor, reference)) || undefined,
    )
    if (isHinted) continue
    throw new ConformanceFailure({
      expected: `documents.changed to name the order after ${name}`,
      actual: 'no hint for it',
      remedy:
        'Hint every change of a document, of its lines and of its shipments. If the ERP takes timestamps before the commit, let the cursor overlap.',
    })
  }
  return undefined
}

async function findHint(probe: OrderProbe, since: string, reference: string): Promise<boolean> {
  let cursor = since
  for (let page = 0; page < maxHintPages; page++) {
    const hints = await callOk(probe.erp, 'documents.changed', { cursor })
    if (hints.everything || hints.references.includes(reference)) return true
    if (!hints.more) return false
    cursor = hints.cursor
  }
  return true
}

async function requireEverythingFlag(probe: OrderProbe): Promise<undefined> {
  const { cursor } = await callOk(probe.erp, 'documents.changed', { cursor: null })
  if (!(await callOk(probe.erp, 'documents.changed', { cursor })).everything)
    throw createEverythingFailure(cursor)
}

function createEverythingFailure(cursor: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `everything: true from documents.changed for the cursor "${cursor.slice(0, 60)}"`,
    actual: 'a result without it',
    remedy: 'Return everything: true for every cursor that this ERP did not create or no longer understands.',
  })
}
