/** The content security policy of pages. It allows no inline scripts or styles, and nothing from other origins. */
const contentPolicy = buildContentPolicy("'self'")

/**
 * Builds the policy of a page whose scripts add style elements: those of Mantine in the console. Only elements with the
 * nonce of this response take effect. Style attributes in markup stay forbidden; scripts may set styles of elements.
 */
function buildConsolePolicy(styleNonce: string): string {
  return `${buildContentPolicy(`'self' 'nonce-${styleNonce}'`)}; font-src 'self'`
}

function buildContentPolicy(styleSources: string): string {
  return `default-src 'none'; script-src 'self'; style-src ${styleSources}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'`
}

const yearSeconds = 31_536_000

/**
 * Builds the security headers of all pages. Strict-Transport-Security (RFC 6797) is sent only if the gateway's public
 * URL is https, and without `includeSubDomains`, because the operator may use other subdomains.
 */
export function buildPagePolicy(
  baseUrl: string | undefined,
  styleNonce?: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  const isHttps = baseUrl?.startsWith('https:') === true
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Content-Security-Policy', styleNonce === undefined ? contentPolicy : buildConsolePolicy(styleNonce)],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(isHttps ? ([['Strict-Transport-Security', `max-age=${yearSeconds}`]] as const) : []),
  ]
}
