/** Commands that repeat or look up a request. Secrets stay names of shell variables. */

interface Loggable {
  readonly method: string
  readonly route: string
  readonly idempotency: string | null
}

/**
 * Writes the call of a logged request as a curl command. The log has the route and not the values in its braces, the
 * query or the body, so these stay to be filled in.
 */
export function toCurl({ method, route, idempotency }: Loggable): string {
  const lines = [`curl -s -X ${method} "$BASE${route}"`, '-H "Authorization: Bearer $TOKEN"']
  if (idempotency !== null) lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (method === 'POST' || method === 'PATCH') lines.push("-H 'Content-Type: application/json'", "-d '{}'")
  return lines.join(' \\\n  ')
}

/** Writes the look-up of a request by an operator as a curl command. */
export function toLookUpCurl(requestId: string): string {
  return `curl -s "$BASE/admin/api/requests/${encodeURIComponent(requestId)}" \\\n  -H "x-admin-token: $ADMIN_TOKEN"`
}
