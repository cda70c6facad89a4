import type { Call } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Whether a request may come from its origin. This check prevents DNS rebinding. Programs send no `Origin`, browsers
 * always do. Allowed are the gateway's own URL, the configured origins and, if the gateway listens only on loopback,
 * pages of the same machine.
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
