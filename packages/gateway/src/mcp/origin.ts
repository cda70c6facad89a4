import type { Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Programs send no `Origin`; a page in a browser always does, and one that is not ours has no business here (DNS
 * rebinding). Known are our own address, those that the operator names, and pages of the same machine while we
 * listen on it alone.
 */
export function isKnownOrigin({ config }: Gateway, call: Call): boolean {
  const [origin, ...more] = call.header('origin')
  if (origin === undefined) return true
  if (more.length > 0 || !URL.canParse(origin)) return false
  const known = [config.baseUrl, ...config.mcpAllowedOrigins].filter((each) => each !== undefined)
  if (known.some((each) => new URL(each).origin === new URL(origin).origin)) return true
  return isLoopback(config.host) && isLoopback(new URL(origin).hostname)
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
