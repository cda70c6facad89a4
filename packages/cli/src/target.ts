import { UsageError } from './failures.ts'

/** Reads where events go: a URL, `host:port/path`, `:port/path` or a port. Throws `UsageError`. */
export function readTarget(given: string): string {
  const text = /^\d+(?:\/|$)/.test(given) ? `:${given}` : given
  const full = /^https?:\/\//.test(text) ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`
  if (URL.canParse(full)) return new URL(full).href
  throw new UsageError(`--forward-to must be an address such as :3000/hook, and is "${given}".`)
}
