/** The content security policy of pages. It allows no inline scripts or styles, and nothing from other origins. */
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

const yearSeconds = 31_536_000

/**
 * Builds the security headers of all pages. Strict-Transport-Security (RFC 6797) is sent only if the gateway's public
 * URL is https, and without `includeSubDomains`, because the operator may use other subdomains.
 */
export function buildPagePolicy(
  baseUrl: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  const isHttps = baseUrl?.startsWith('https:') === true
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Content-Security-Policy', contentPolicy],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(isHttps ? ([['Strict-Transport-Security', `max-age=${yearSeconds}`]] as const) : []),
  ]
}
