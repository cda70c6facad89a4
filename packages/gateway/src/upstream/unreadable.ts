/** Reads to which an ERP responds without what was asked for, because of one row or document (decision 82). */

import { maxPerCall, UnknownOutcome } from '@trade-gateway/connector'

/**
 * Into how many parts a batch or page is divided that the ERP cannot report. With many parts few calls fail beside those
 * that succeed, so that one row does not open the circuit to the ERP.
 */
const partsOfBatch = 10

/** When something that the ERP could not report is read again. */
export const unreadableMs = 60_000

/** The largest number of things that were put off which one turn reads, one after another. */
export const maxRereads = 50

/**
 * Returns the error if the ERP responded, but not with the rows or documents that were asked for. Throws any other: then
 * none can be read.
 */
export function catchUnreadable(error: unknown): UnknownOutcome {
  if (error instanceof UnknownOutcome && (error.kind === 'malformed' || error.kind === 'failed')) return error
  throw error
}

/** As `catchUnreadable`. A page that was asked for and did not come in time may also be too large. */
function catchTooLarge(error: unknown): UnknownOutcome {
  if (error instanceof UnknownOutcome && error.kind === 'timeout' && error.sent) return error
  return catchUnreadable(error)
}

/** The ERP's response for some of the codes that were asked for. */
export interface ReadPart<T> {
  readonly codes: readonly string[]
  readonly response: T
}

/** How to read codes, and what to do about one that the ERP cannot report. */
export interface PartReader<T> {
  read(codes: string[]): Promise<T>
  putOff(code: string, error: UnknownOutcome): Promise<void>
}

/** Reads codes together. If the ERP cannot report one of them, the others are read without it. */
export async function* readInParts<T>(
  codes: readonly string[],
  reader: PartReader<T>,
): AsyncGenerator<ReadPart<T>, void> {
  const [first] = codes
  if (first === undefined) return
  const response = await reader.read([...codes]).catch(catchUnreadable)
  if (!(response instanceof UnknownOutcome)) {
    yield { codes, response }
    return
  }
  if (codes.length === 1) return reader.putOff(first, response)
  const size = Math.ceil(codes.length / partsOfBatch)
  for (let from = 0; from < codes.length; from += size)
    yield* readInParts(codes.slice(from, from + size), reader)
}

/** How to read a list of the ERP page by page. */
export interface PageReader<Page> {
  /** Reads the rows after a code, at most `limit`. */
  read(after: string | null, limit: number): Promise<Page>
  /** The largest number of pages. */
  readonly maxPages: number
  /** What an error calls the list, such as `snapshot of AUSYD1`. */
  readonly list: string
  /** What an error calls a row after a code, or the first one, such as `row after TEE-M of AUSYD1`. */
  readonly nameRow: (after: string | null) => string
}

/**
 * Reads the pages of a list. If the ERP cannot report one, smaller pages follow, down to one row: a page may be too large,
 * and the error names the row that cannot be read. No call skips it. After a page that did not come in time, all later
 * ones are at most half as large: each that is too large again costs the whole time limit.
 */
export async function* readPages<Page extends { readonly next: string | null }>({
  read,
  maxPages,
  list,
  nameRow,
}: PageReader<Page>): AsyncGenerator<Page, void> {
  let after: string | null = null
  let limit: number = maxPerCall
  let largest: number = maxPerCall
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Page | UnknownOutcome = await read(after, limit).catch(catchTooLarge)
    if (page instanceof UnknownOutcome) {
      const isLate = page.kind === 'timeout'
      if (isLate) largest = Math.ceil(limit / 2)
      if (limit === 1)
        throw new Error(`The ERP cannot report the ${nameRow(after)}${isLate ? ' in time' : ''}.`, {
          cause: page,
        })
      limit = Math.ceil(limit / partsOfBatch)
      continue
    }
    yield page
    if (page.next === null) return
    if (page.next === after) break
    after = page.next
    limit = Math.min(largest, limit * 2)
  }
  throw new Error(`The ERP's ${list} does not end.`)
}
