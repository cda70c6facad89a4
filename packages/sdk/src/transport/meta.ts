/** The points of a call, from its response. They are undefined for what costs none. */
export interface Points {
  /** What this call cost. */
  readonly cost: number | undefined
  /** What is left of the quota. */
  readonly remaining: number | undefined
  /** The quota of a minute. */
  readonly limit: number | undefined
  /** Seconds until the full quota is there again. */
  readonly resetSeconds: number | undefined
}

/** What a response says beside its data. */
export class Meta {
  readonly status: number
  readonly headers: Headers
  /** How many requests the call took. */
  readonly attempts: number
  /** The key of a write. */
  readonly idempotencyKey: string | undefined

  constructor(response: Response, attempts: number, idempotencyKey: string | undefined) {
    this.status = response.status
    this.headers = response.headers
    this.attempts = attempts
    this.idempotencyKey = idempotencyKey
  }

  /** The id of the request. Quote it to support. */
  get requestId(): string {
    return this.headers.get('x-request-id') ?? ''
  }

  get apiVersion(): string {
    return this.headers.get('x-api-version') ?? ''
  }

  /** Whether this is the stored response of an earlier request with the same key. */
  get isReplayed(): boolean {
    return this.headers.get('idempotent-replayed') === 'true'
  }

  /**
   * How many seconds ago the gateway last compared the stock of this response with the ERP; undefined for other
   * responses.
   */
  get stockAgeSeconds(): number | undefined {
    return readNumber(this.headers.get('x-stock-age'))
  }

  get points(): Points {
    return readPoints(this.headers)
  }
}

export function readPoints(headers: Headers): Points {
  return {
    cost: readNumber(headers.get('ratelimit-cost')),
    remaining: readNumber(headers.get('ratelimit-remaining')),
    limit: readNumber(headers.get('ratelimit-limit')),
    resetSeconds: readNumber(headers.get('ratelimit-reset')),
  }
}

function readNumber(value: string | null): number | undefined {
  if (value === null) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
