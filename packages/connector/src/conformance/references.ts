import { isDeepStrictEqual } from 'node:util'
import type { ErpDocument } from '../documents.ts'
import { asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { tooMany } from './holds.ts'
import { type Buyer, orderCheck, type Shop } from './shop.ts'

const noLookup = skip('The ERP says that it cannot look references up (lookup: none).')
const mostHintPages = 50

/** Checks of what an ERP tells of documents by their references. */
export function documentChecks(buyer: Buyer): Check[] {
  const check = (id: string, states: string, look: (shop: Shop) => Promise<Skipped | undefined>) =>
    orderCheck(buyer, { id, states }, look)
  return [
    check('lookup.found', 'A look-up finds every document that was answered.', findWhatWasMade),
    check(
      'lookup.absent',
      'A look-up says absent of a reference that there is not, or that was refused.',
      findNothing,
    ),
    check('lookup.none', 'An ERP without look-ups refuses them with not_supported.', async (shop) => {
      if (shop.capabilities.lookup !== 'none') return skip('The ERP says that it can look references up.')
      await refused(shop.erp, 'lookup', { reference: shop.newReference() }, 'not_supported')
      return undefined
    }),
    check(
      'documents.read',
      'A read answers documents as the writes did, and leaves out what there is not.',
      readBack,
    ),
    check('documents.cursor', 'A cursor that is foreign asks for everything.', async (shop) => {
      for (const cursor of ['not-a-cursor', '☃ % \' " \\ ../', 'x'.repeat(400)]) {
        if (!(await asked(shop.erp, 'documents.changed', { cursor })).everything) throw notEverything(cursor)
      }
      return undefined
    }),
    check(
      'documents.changed',
      'Every move of a document is hinted, and a new cursor hints nothing.',
      hintEachMove,
    ),
  ]
}

async function findWhatWasMade(shop: Shop): Promise<Skipped | undefined> {
  if (shop.capabilities.lookup === 'none') return noLookup
  const made = [(await shop.submit(1)).document]
  if (shop.capabilities.holds !== 'none') made.push((await shop.hold(1)).document)
  for (const { reference, number } of made) {
    const found = await shop.eventually(async () => {
      const { document } = await asked(shop.erp, 'lookup', { reference })
      return document ?? undefined
    })
    if (found?.number === number) continue
    throw new ConformanceFailure({
      expected: `lookup to find ${number} by its reference`,
      came: found ? found.number : 'nothing',
      remedy:
        'Commit before answering ok, and look up where it was committed; or declare lookup: eventual and its lag.',
    })
  }
  return undefined
}

async function findNothing(shop: Shop): Promise<Skipped | undefined> {
  if (shop.capabilities.lookup === 'none') return noLookup
  const refusedOrder = shop.submitInput(tooMany)
  await refused(shop.erp, 'submit', refusedOrder, 'insufficient_stock')
  for (const reference of [shop.newReference(), refusedOrder.reference]) {
    const { state, document } = await asked(shop.erp, 'lookup', { reference })
    if (state === 'absent' && document === null) continue
    throw new ConformanceFailure({
      expected: 'state: absent and no document for a reference that names nothing',
      came: `${state} with ${document ? document.number : 'no document'}`,
      remedy:
        'Keep nothing of what was refused; in_progress is for what was begun and may still be committed.',
    })
  }
  return undefined
}

async function readBack(shop: Shop): Promise<undefined> {
  const { document } = await shop.submit(1)
  const read = await shop.read(document.reference)
  const references = [shop.newReference(), document.reference]
  const { documents } = await asked(shop.erp, 'documents.read', { references })
  const isAlone = documents.every(({ reference }) => reference === document.reference)
  if (isAlone && read && isSame(read, document)) return
  throw new ConformanceFailure({
    expected: `documents.read to answer ${document.number} as submit did, and nothing else`,
    came: JSON.stringify(isAlone ? (read ?? 'nothing') : documents.map(({ reference }) => reference)).slice(
      0,
      400,
    ),
    remedy: 'Build a document in one place, whoever asks for it.',
  })
}

/** An order may be handed over to the warehouse meanwhile, which changes the ERP's own word for it. */
function isSame(one: ErpDocument, other: ErpDocument): boolean {
  return isDeepStrictEqual({ ...one, status_raw: '' }, { ...other, status_raw: '' })
}

async function hintEachMove(shop: Shop): Promise<Skipped | undefined> {
  if (shop.capabilities.changes === 'none') return sayEverything(shop)
  const first = await asked(shop.erp, 'documents.changed', { cursor: null })
  if (first.everything || first.references.length > 0 || first.more) {
    throw new ConformanceFailure({
      expected: 'a cursor alone from documents.changed when none is sent',
      came: `${first.references.length} references, everything ${first.everything}, more ${first.more}`,
      remedy: 'Answer {cursor, everything: false, references: [], more: false}.',
    })
  }
  const reference = shop.newReference()
  const moves: [string, () => Promise<unknown>][] = [
    ['submit', () => shop.submit(1, { reference })],
    ['void', () => asked(shop.erp, 'void', { reference })],
  ]
  for (const [name, move] of moves) {
    const { cursor } = await asked(shop.erp, 'documents.changed', { cursor: null })
    await move()
    const isHinted = await shop.eventually(async () => (await hints(shop, cursor, reference)) || undefined)
    if (isHinted) continue
    throw new ConformanceFailure({
      expected: `documents.changed to name the order after ${name}`,
      came: 'no hint of it',
      remedy:
        'Hint every change of a document, of its lines and of its shipments. Where the ERP stamps a change before it commits it, let the cursor overlap.',
    })
  }
  return undefined
}

async function hints(shop: Shop, since: string, reference: string): Promise<boolean> {
  let cursor = since
  for (let page = 0; page < mostHintPages; page++) {
    const told = await asked(shop.erp, 'documents.changed', { cursor })
    if (told.everything || told.references.includes(reference)) return true
    if (!told.more) return false
    cursor = told.cursor
  }
  return true
}

async function sayEverything(shop: Shop): Promise<undefined> {
  const { cursor } = await asked(shop.erp, 'documents.changed', { cursor: null })
  if (!(await asked(shop.erp, 'documents.changed', { cursor })).everything) throw notEverything(cursor)
}

function notEverything(cursor: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `everything: true from documents.changed for the cursor "${cursor.slice(0, 60)}"`,
    came: 'an answer without it',
    remedy:
      'Answer everything: true wherever the cursor is not exactly one that this ERP gave and still understands.',
  })
}
