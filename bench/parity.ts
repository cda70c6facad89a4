import { createHash } from 'node:crypto'
import { variedPart } from './load.ts'
import { type HttpExchange, sendRequest } from './send-request.ts'

/** The error for a response that is not the expected one, which makes the measured figures meaningless. */
export class ParityError extends Error {}

export interface ComparedRequest {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The range of numbers that replace `variedPart` in URL and headers. */
  readonly varied?: { readonly from: number; readonly to: number }
}

/** The headers that every stock response of the gateway must have, so that no change gains speed by omitting one. */
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

/** Sends the request once before it is measured, and checks for status 200 and the required headers. */
export async function checkRead(
  target: ComparedRequest,
  required: readonly string[] = stockHeaders,
): Promise<HttpExchange> {
  return sendChecked(target, 200, required)
}

/** Sends a request that must fail with `status` and checks the response. */
export async function checkRefusal(target: ComparedRequest, status: number): Promise<HttpExchange> {
  return sendChecked(target, status, ['content-type', 'x-api-version', 'x-request-id', 'content-language'])
}

/** Checks that every server returns the same bytes, but for cursors, which are sealed anew for each response. */
export async function requireSameBytes(
  body: Buffer,
  others: readonly ComparedRequest[],
  required: readonly string[] = [],
) {
  for (const other of others) {
    const seen = await sendChecked(other, 200, ['content-type', ...required])
    if (hashBody(omitCursor(seen.body)) === hashBody(omitCursor(body))) continue
    throw new ParityError(`${other.name}: ${seen.body.length} bytes that differ from ${body.length} bytes.`)
  }
}

function omitCursor(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1').replace(/"next_cursor":"[\w-]+"/, '"next_cursor":""'), 'latin1')
}

async function sendChecked(
  target: ComparedRequest,
  status: number,
  required: readonly string[],
): Promise<HttpExchange> {
  const number = String(target.varied?.from ?? '')
  const headers = Object.entries(target.headers).map(([name, value]) => [
    name,
    value.replace(variedPart, number),
  ])
  const seen = await sendRequest(target.url.replace(variedPart, number), {
    headers: Object.fromEntries(headers),
  })
  if (seen.status !== status) {
    throw new ParityError(
      `${target.name}: status ${seen.status} instead of ${status}: ${formatExcerpt(seen)}`,
    )
  }
  const missing = required.filter((name) => seen.headers[name] === undefined)
  if (missing.length > 0)
    throw new ParityError(`${target.name}: without ${missing.join(', ')}: ${formatExcerpt(seen)}`)
  return seen
}

const maxExcerpt = 300

function formatExcerpt({ body }: HttpExchange): string {
  return body.toString('utf8', 0, maxExcerpt)
}

function hashBody(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Checks the number of rows in the `data` of a response. */
export function checkRows(name: string, { body }: HttpExchange, rows: number) {
  const parsed: { readonly data?: readonly unknown[] } = JSON.parse(body.toString())
  const found = parsed.data?.length ?? 0
  if (found !== rows) throw new ParityError(`${name}: ${found} rows instead of ${rows}.`)
}
