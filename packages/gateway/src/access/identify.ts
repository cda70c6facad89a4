import type { Call, Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { isSameText } from '../kernel/crypto.ts'

const maxTokenCharacters = 4096
const legacyDeprecation = Date.UTC(2026, 8, 3) / 1000

/** Authenticates the bearer token and sets the call's caller. Throws the `AUTH_*` codes. */
export function identifyCaller(gateway: Gateway, call: Call): undefined | Promise<undefined> {
  const caller = gateway.sessions.authenticate(readBearerToken(call))
  if (!(caller instanceof Promise)) return attachCaller(gateway, call, caller)
  return caller.then((decided) => attachCaller(gateway, call, decided))
}

function attachCaller(gateway: Gateway, call: Call, caller: Caller): undefined {
  call.caller = caller
  if (caller.token.legacy) {
    // `Deprecation` (RFC 9745) and `Sunset` (RFC 8594): since when this kind of token is deprecated, and when it stops
    // working.
    call.extraHeaders = [
      ...(call.extraHeaders ?? []),
      'Deprecation',
      `@${legacyDeprecation}`,
      'Sunset',
      new Date(gateway.config.legacyTokens.until).toUTCString(),
      'Link',
      '</api/v1/auth/token>; rel="successor-version"',
    ]
  }
  return undefined
}

/**
 * Returns the token of the Authorization header (RFC 6750 §2.1). Throws `AUTH_MISSING_TOKEN` or `AUTH_INVALID_TOKEN`.
 */
export function readBearerToken(call: Call): string {
  const sent = call.header('authorization')
  const [header] = sent
  if (header === undefined) {
    const inQuery = /(?:^|&)(?:access_)?token=/.test(call.rawQuery)
    throw new GatewayError('AUTH_MISSING_TOKEN', inQuery ? { say: ['token_in_query'] } : undefined)
  }
  if (sent.length > 1) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_doubled'] })
  const scheme = /^bearer(?: |$)/i.test(header)
  if (!scheme) throw new GatewayError('AUTH_MISSING_TOKEN', { say: ['token_not_bearer'] })
  const token = header.slice('bearer '.length)
  if (token === '') throw new GatewayError('AUTH_MISSING_TOKEN', { say: ['token_not_bearer'] })
  if (token.length > maxTokenCharacters) throw new GatewayError('AUTH_INVALID_TOKEN')
  return token
}

/**
 * Checks the admin token. Throws `ADMIN_DISABLED`, `ADMIN_UNAUTHORIZED`, and `RATE_LIMITED` after too many wrong
 * tokens.
 */
export async function requireAdmin(gateway: Gateway, call: Call): Promise<undefined> {
  const { adminGuard, config } = gateway
  const { adminToken } = config
  if (adminToken === undefined) throw new GatewayError('ADMIN_DISABLED')
  const sent = call.header('x-admin-token')
  const isRight = () => sent.length === 1 && isSameText(sent[0] ?? '', adminToken)
  try {
    // A request without a token is not a guess, so the guard does not count it.
    if (sent.join('') !== '' && (await adminGuard.compare(call.address, isRight))) return undefined
    throw new GatewayError('ADMIN_UNAUTHORIZED')
  } catch (error) {
    adminGuard.noteRefusal(call.requestId)
    throw error
  }
}
