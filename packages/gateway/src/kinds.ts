import type { DocumentKinds } from './document.ts'
import { dropshipKind } from './dropship/kind.ts'
import { createHoldKind } from './holds/kind.ts'
import { insertDraft, orderKind } from './orders/kind.ts'
import { reservationKind } from './reservations/kind.ts'

const holders = [orderKind, dropshipKind, reservationKind]

/** Every kind of document. */
export const kinds: DocumentKinds = { all: [...holders, createHoldKind(holders)], insertDraft }
