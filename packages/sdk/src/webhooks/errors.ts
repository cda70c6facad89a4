/** Why a webhook was refused. */
export type WebhookErrorCode =
  /** The signature headers are not there: the request did not come from the gateway, or a proxy removed them. */
  | 'MISSING_HEADER'
  /** A signature header does not have the form of the contract. */
  | 'MALFORMED_HEADER'
  /** The time of the signature is too far from the clock of this machine. */
  | 'STALE'
  /** The body is an object: it was parsed before it was verified. */
  | 'BODY_PARSED'
  /** The secret is not the one of a webhook endpoint. */
  | 'WRONG_SECRET_KIND'
  /** No signature matches: another secret, or another body. */
  | 'MISMATCH'
  /** The signature is right, and the body is not an event of the contract. */
  | 'NOT_AN_EVENT'
  /** The body is larger than events are. */
  | 'BODY_TOO_LARGE'

/** A webhook that must not be trusted. `code` says why, and `message` what to do. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
