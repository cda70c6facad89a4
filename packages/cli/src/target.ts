import { UsageError } from './failures.ts'

/** What can be an address without `http://`: it names a port, or a host that is no single word. */
const addressForm = /^(?:[^/]*:\d+|localhost|[^/]+\.[^/]+)(?:\/|$)/

/** Reads where events go: a URL, `host:port/path`, `:port/path` or a port. Throws `UsageError`. */
export function readTarget(given: string): string {
  const text = /^\d+(?:\/|$)/.test(given) ? `:${given}` : given
  const hasScheme = /^https?:\/\//.test(text)
  const full = hasScheme ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`
  if ((hasScheme || addressForm.test(text)) && URL.canParse(full)) return new URL(full).href
  throw new UsageError(`--forward-to must be an address such as :3000/hook, and is "${given}".`)
}
