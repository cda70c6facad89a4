import { createHash } from 'node:crypto'
import { ask, type Seen } from './ask.ts'

/** Answers differ from what they are compared with: the figures would say nothing. */
export class BrokenParity extends Error {}

export interface Asked {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Headers that every answer of the gateway about stock must carry, whatever it costs. */
export const stockHeaders = [
  'content-type',
  'x-api-version',
  'x-request-id',
  'x-content-type-options',
  'content-security-policy',
  'vary',
  'cache-control',
  'etag',
  'x-stock-version',
  'x-stock-age',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-cost',
  'ratelimit-policy',
]

/** Asks for what will be measured and checks status and headers. */
export async function reading(asked: Asked, needed: readonly string[] = stockHeaders): Promise<Seen> {
  return checked(asked, 200, needed)
}

/** Asks for a refusal and checks that it is one. */
export async function refusal(asked: Asked, status: number): Promise<Seen> {
  return checked(asked, status, ['content-type', 'x-api-version', 'x-request-id', 'content-language'])
}

/** Checks that every server answers the same bytes. */
export async function sameBytes(body: Buffer, others: readonly Asked[], needed: readonly string[] = []) {
  for (const other of others) {
    const seen = await checked(other, 200, ['content-type', ...needed])
    if (digest(seen.body) === digest(body)) continue
    throw new BrokenParity(`${other.name}: ${seen.body.length} bytes that differ from ${body.length} bytes.`)
  }
}

async function checked(asked: Asked, status: number, needed: readonly string[]): Promise<Seen> {
  const seen = await ask(asked.url, { headers: asked.headers })
  if (seen.status !== status) {
    throw new BrokenParity(`${asked.name}: status ${seen.status} instead of ${status}: ${excerpt(seen)}`)
  }
  const missing = needed.filter((name) => seen.headers[name] === undefined)
  if (missing.length > 0) throw new BrokenParity(`${asked.name}: without ${missing.join(', ')}.`)
  return seen
}

const mostExcerpt = 300

function excerpt({ body }: Seen): string {
  return body.toString('utf8', 0, mostExcerpt)
}

function digest(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Checks how many rows a body has, by a member that only rows have. */
export function checkRows(name: string, { body }: Seen, rows: number) {
  const parsed: { readonly data?: readonly unknown[] } = JSON.parse(body.toString())
  const found = parsed.data?.length ?? 0
  if (found !== rows) throw new BrokenParity(`${name}: ${found} rows instead of ${rows}.`)
}
