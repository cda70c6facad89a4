import { LRUCache } from 'lru-cache'
import { GatewayError } from '../contract/errors.ts'
import type { SentenceId } from '../contract/texts/en.ts'
import type { Endpoint } from '../endpoint.ts'

/** A tree of path segments; a `{parameter}` matches one segment. */
interface Node<T> {
  readonly fixed: Map<string, Node<T>>
  parameter?: { readonly name: string; readonly node: Node<T> }
  readonly methods: Map<string, T>
}

export interface Match<T> {
  readonly route: T
  readonly params: Readonly<Record<string, string>>
}

const maxEchoedPath = 100
/** The largest number of cached matches. Clients call the same few paths repeatedly. */
const maxKnownPaths = 1_000

/** Finds the route for a method and path. */
export class Router<T> {
  readonly #root: Node<T> = { fixed: new Map(), methods: new Map() }
  readonly #known = new LRUCache<string, Match<T>>({ max: maxKnownPaths })

  add(endpoint: Endpoint, route: T) {
    let node = this.#root
    for (const segment of endpoint.path.split('/').slice(1)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      let next = name === undefined ? node.fixed.get(segment) : node.parameter?.node
      if (!next) {
        next = { fixed: new Map(), methods: new Map() }
        if (name === undefined) node.fixed.set(segment, next)
        else node.parameter = { name, node: next }
      }
      node = next
    }
    node.methods.set(endpoint.method, route)
  }

  /**
   * Finds the route of a call. Throws `BAD_REQUEST`: 400 for a malformed path, 404 for an unknown one, 405 with `Allow`
   * for a wrong method.
   */
  match(method: string, path: string): Match<T> {
    const key = `${method} ${path}`
    let match = this.#known.get(key)
    if (!match) {
      match = this.#matchRoute(method, path)
      this.#known.set(key, match)
    }
    return match
  }

  #matchRoute(method: string, path: string): Match<T> {
    const why = findPathFlaw(path)
    if (why !== undefined) throw new GatewayError('BAD_REQUEST', { say: [why] })
    const params: Record<string, string> = {}
    let node: Node<T> | undefined = this.#root
    for (const raw of path.split('/').slice(1)) {
      const segment = decodeParameter(raw) ?? raw
      const fixed: Node<T> | undefined = node.fixed.get(segment)
      if (!fixed && node.parameter) params[node.parameter.name] = segment
      node = fixed ?? node.parameter?.node
      if (!node) break
    }
    if (!node || node.methods.size === 0) {
      throw new GatewayError('BAD_REQUEST', {
        status: 404,
        say: ['path_unknown', { method, path: path.slice(0, maxEchoedPath) }],
      })
    }
    const route = node.methods.get(method === 'HEAD' ? 'GET' : method)
    if (route !== undefined) return { route, params }
    const allowed = [...node.methods.keys()]
      .flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
      .join(', ')
    throw new GatewayError('BAD_REQUEST', {
      status: 405,
      say: ['method_not_allowed', { method, path: path.slice(0, maxEchoedPath), allowed }],
      headers: ['Allow', allowed],
    })
  }
}

/** Matches paths that need no closer check, which most paths are. */
const soundPath = /^(?:\/[\w-]+)+$/

/** Finds why a path is ambiguous, such as an encoded slash that a proxy could decode; undefined if it is not. */
export function findPathFlaw(path: string): SentenceId | undefined {
  if (soundPath.test(path)) return undefined
  for (const raw of path.split('/').slice(1)) {
    const segment = decodeParameter(raw)
    if (segment === undefined) return 'path_encoding'
    if (segment === '') return 'path_empty_segment'
    if (segment === '.' || segment === '..') return 'path_dot_segment'
    if (/[/\\\0]/.test(segment)) return 'path_character'
  }
  return undefined
}

/** Decodes a path segment once; undefined if it is not percent-encoded UTF-8. */
function decodeParameter(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}
