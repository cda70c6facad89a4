import { UsageError } from '../errors/errors.ts'

/** What a list says of the place of its pages. */
interface PageFacts {
  readonly data: readonly unknown[]
  readonly has_more?: boolean
  readonly as_of?: string
  readonly next_cursor?: string | null
}

/** The members of a query that say which page is read. */
export type Place = Readonly<Record<string, string | number | undefined>>

/** How a list is read. */
export interface PageReader<Row, Page> {
  read(place: Place): Promise<Page>
  /** What tells a row apart from the others of the list. */
  identify(row: Row): string
  /** The place of a page after another one, if it is not the default. */
  next?(page: Page, place: Place): Place
}

/** More pages than any list of 366 days has. */
const maxPages = 1_000_000
/** How many rows are remembered, to leave out those that a change has moved to a later page. */
const maxRemembered = 10_000

/**
 * The rows of a list. `for await` reads page after page, and no row comes twice. Rows that are added meanwhile are left
 * out of a list whose newest rows come first. A list in the order of codes, such as stock, has them if their page is not
 * read yet.
 *
 * @example for await (const order of client.dropship.list({ status: 'pending' })) console.log(order.serial_number)
 */
export class Pages<Row, Page extends { readonly data: readonly Row[] }> implements AsyncIterable<Row> {
  readonly #reader: PageReader<Row, Page>

  constructor(reader: PageReader<Row, Page>) {
    this.#reader = reader
  }

  /** Reads page by page. A page has what the endpoint returns, such as `balances` of transactions. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { read, next = findNextPlace } = this.#reader
    let place: Place = {}
    for (let count = 0; count < maxPages; count++) {
      const page = await read(place)
      yield page
      if (!hasMore(page)) return
      place = next(page, place)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    const seen = new Set<string>()
    for await (const { data } of this.pages()) {
      for (const row of data) {
        const id = this.#reader.identify(row)
        if (seen.has(id)) continue
        seen.add(id)
        if (seen.size > maxRemembered) forgetOldest(seen)
        yield row
      }
    }
  }

  /** Reads at most `limit` rows. There is no default, so that a long list never fills the memory by accident. */
  async toArray({ limit }: { readonly limit: number }): Promise<Row[]> {
    if (!Number.isInteger(limit) || limit < 1)
      throw new UsageError(`limit must be a whole number of at least 1, and is ${limit}.`)
    const rows: Row[] = []
    for await (const row of this) {
      rows.push(row)
      if (rows.length >= limit) break
    }
    return rows
  }

  /** Reads the first row; undefined if there is none. */
  async first(): Promise<Row | undefined> {
    const [row] = await this.toArray({ limit: 1 })
    return row
  }
}

/** By the cursor, if the list has one. Otherwise by number, with `as_of`, which keeps out what was added meanwhile. */
function findNextPlace({ next_cursor, as_of }: PageFacts, { page }: Place): Place {
  if (next_cursor) return { cursor: next_cursor }
  return { page: Number(page ?? 1) + 1, as_of }
}

function hasMore({ has_more }: PageFacts): boolean {
  return has_more === true
}

function forgetOldest(seen: Set<string>): void {
  for (const oldest of seen) {
    seen.delete(oldest)
    return
  }
}
