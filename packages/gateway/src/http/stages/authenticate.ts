import type { Answer, Call, Caller } from '../../contract/call.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { sameText } from '../../kernel/crypto.ts'

/** A stage: nothing, or an answer that ends the call. What depends on the declaration is decided once. */
export type Stage = (call: Call) => Answer | undefined | Promise<Answer | undefined>
export type StageFactory = (endpoint: Endpoint, gateway: Gateway) => Stage | undefined

const mostTokenCharacters = 4096
const legacyDeprecation = Date.UTC(2026, 8, 3) / 1000

/** Who calls: a bearer token on the public contract, the admin token on the operator's endpoints. */
export const authenticate: StageFactory = (endpoint, gateway) => {
  if (endpoint.access === 'public') return undefined
  if (endpoint.access === 'admin') return (call) => requireAdmin(gateway, call)
  return (call) => identify(gateway, call)
}

/** Finds who is behind the bearer token and notes it on the call. Throws the `AUTH_*` codes. */
export function identify(gateway: Gateway, call: Call): undefined | Promise<undefined> {
  const caller = gateway.sessions.authenticate(bearerOf(call))
  if (!(caller instanceof Promise)) return admit(gateway, call, caller)
  return caller.then((decided) => admit(gateway, call, decided))
}

function admit(gateway: Gateway, call: Call, caller: Caller): undefined {
  call.caller = caller
  if (caller.token.legacy) {
    // RFC 9745 and RFC 8594: since when the token kind is deprecated, and until when it works.
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

/** The token of the Authorization header (RFC 6750 §2.1). Throws `AUTH_MISSING_TOKEN` or `AUTH_INVALID_TOKEN`. */
export function bearerOf(call: Call): string {
  const sent = call.header('authorization')
  const [header] = sent
  if (header === undefined) {
    const inQuery = /(?:^|&)(?:access_)?token=/.test(call.rawQuery)
    throw new GatewayError('AUTH_MISSING_TOKEN', inQuery ? { say: ['token_in_query'] } : {})
  }
  if (sent.length > 1) throw new GatewayError('AUTH_INVALID_TOKEN', { say: ['token_doubled'] })
  const scheme = /^bearer(?: |$)/i.test(header)
  if (!scheme) throw new GatewayError('AUTH_MISSING_TOKEN', { say: ['token_not_bearer'] })
  const token = header.slice('bearer '.length)
  if (token === '') throw new GatewayError('AUTH_MISSING_TOKEN', { say: ['token_not_bearer'] })
  if (token.length > mostTokenCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) {
    throw new GatewayError('AUTH_INVALID_TOKEN')
  }
  return token
}

/** Throws `ADMIN_DISABLED` and `ADMIN_UNAUTHORIZED`. */
export function requireAdmin(gateway: Gateway, call: Call): undefined {
  const { adminToken } = gateway.config
  if (adminToken === undefined) throw new GatewayError('ADMIN_DISABLED')
  const sent = call.header('x-admin-token')
  if (sent.length === 1 && sameText(sent[0] ?? '', adminToken)) return undefined
  gateway.log.warn(
    { request_id: call.requestId, action: 'admin refused' },
    'a request had no admin token or a wrong one',
  )
  throw new GatewayError('ADMIN_UNAUTHORIZED')
}
