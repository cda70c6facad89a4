import type { Endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'

/** A tree of path segments; a `{parameter}` matches one segment. */
interface Node<T> {
  readonly fixed: Map<string, Node<T>>
  parameter?: { readonly name: string; readonly node: Node<T> }
  readonly methods: Map<string, T>
}

export interface Match<T> {
  readonly route: T
  readonly params: Record<string, string>
}

const mostEchoedPath = 100

/** Finds the route of a method and path, from the endpoints' own paths. */
export class Router<T> {
  readonly #root: Node<T> = { fixed: new Map(), methods: new Map() }

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

  /** Throws `BAD_REQUEST`: 400 for a malformed path, 404 for an unknown one, 405 with `Allow` for a wrong method. */
  match(method: string, path: string): Match<T> {
    const params: Record<string, string> = {}
    let node: Node<T> | undefined = this.#root
    for (const raw of path.split('/').slice(1)) {
      const segment = decodedSegment(raw)
      const fixed: Node<T> | undefined = node.fixed.get(segment)
      if (!fixed && node.parameter) params[node.parameter.name] = segment
      node = fixed ?? node.parameter?.node
      if (!node) break
    }
    if (!node || node.methods.size === 0) {
      throw new GatewayError('BAD_REQUEST', {
        status: 404,
        say: ['path_unknown', { method, path: path.slice(0, mostEchoedPath) }],
      })
    }
    const route = node.methods.get(method === 'HEAD' ? 'GET' : method)
    if (route !== undefined) return { route, params }
    const allowed = [...node.methods.keys()]
      .flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
      .join(', ')
    throw new GatewayError('BAD_REQUEST', {
      status: 405,
      say: ['method_not_allowed', { method, path: path.slice(0, mostEchoedPath), allowed }],
      headers: ['Allow', allowed],
    })
  }
}

/** One segment, decoded once. Throws `BAD_REQUEST` for what could mean two things to two readers. */
function decodedSegment(raw: string): string {
  if (raw === '') throw malformed('it has an empty segment')
  let segment = raw
  if (raw.includes('%')) {
    try {
      segment = decodeURIComponent(raw)
    } catch {
      throw malformed('it is not valid percent-encoded UTF-8')
    }
  }
  if (segment === '.' || segment === '..') throw malformed('it has a dot segment')
  if (/[/\\\0]/.test(segment)) throw malformed('a segment has a slash, a backslash or a NUL')
  return segment
}

function malformed(why: string): GatewayError {
  return new GatewayError('BAD_REQUEST', { say: ['path_malformed', { why }] })
}
