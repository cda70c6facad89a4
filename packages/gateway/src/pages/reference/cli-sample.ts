import type { DocumentedEndpoint } from '../../endpoint.ts'
import { type EndpointSample, formatBody, formatQuery } from './samples.ts'

/** A command of `tgw` that calls an endpoint. */
interface CommandForm {
  /** The words after `tgw`. A `{name}` is a value of the path, the query or the body. */
  readonly words: string
  /** The options that take values of the query or the body, by the name of the value. */
  readonly options?: Readonly<Record<string, string>>
  /** Whether the command reads the body from a file. */
  readonly file?: true
  /** Whether the command makes the call by itself, or prints how another program makes it. */
  readonly isWithoutBody?: true
}

const page = { page_size: 'limit' } as const
const orderFilters = { ...page, status: 'status', client_order_number: 'number' } as const

/** The commands by the id of the endpoint that each calls. For all others there is `tgw api`. */
const forms: Readonly<Record<string, CommandForm>> = {
  'auth.token': { words: 'token', isWithoutBody: true },
  me: { words: 'whoami' },
  'warehouses.list': { words: 'warehouses' },
  'stock.list': {
    words: 'stock get',
    options: { product_code: 'style', warehouse_code: 'warehouse', ...page },
  },
  'stock.changes': { words: 'stock watch {warehouse_code}', options: { since: 'since' } },
  'products.list': { words: 'products search {q}', options: page },
  'products.read': { words: 'products get {product_code}' },
  'shipping_methods.list': { words: 'shipping-methods', options: page },
  'addresses.list': { words: 'addresses', options: page },
  'orders.create': { words: 'order create', file: true },
  'orders.list': { words: 'order list', options: orderFilters },
  'orders.read': { words: 'order get {order_id}' },
  'orders.preview': { words: 'order preview {order_id}', file: true },
  'orders.submit': { words: 'order submit {order_id}', file: true },
  'orders.void': { words: 'order void {order_id}' },
  'dropship.preview': { words: 'dropship preview', file: true },
  'dropship.submit': { words: 'dropship submit', file: true },
  'dropship.list': { words: 'dropship list', options: { ...orderFilters, serial_number: 'serial' } },
  'dropship.read': { words: 'dropship get {dropship_order_id}' },
  'dropship.release': { words: 'dropship release {dropship_order_id}' },
  'dropship.void': { words: 'dropship void {dropship_order_id}' },
  'webhook_endpoints.create': { words: 'webhooks add {url}', options: { event_types: 'events' } },
  'webhook_endpoints.list': { words: 'webhooks list', options: page },
  'webhook_endpoints.delete': { words: 'webhooks remove {endpoint_id}' },
  'webhook_endpoints.rotate': { words: 'webhooks rotate-secret {endpoint_id}' },
  'requests.read': { words: 'requests get {request_id}' },
  'errors.list': { words: 'errors list' },
  'errors.read': { words: 'errors explain {code}' },
  mcp: { words: 'mcp config claude-code', isWithoutBody: true },
  'sandbox.faults': { words: 'sandbox faults', file: true },
  'sandbox.clock': { words: 'sandbox clock {advance_seconds}s' },
  'sandbox.stock': { words: 'sandbox stock {warehouse_code} {sku} {on_hand}' },
  'sandbox.price': { words: 'sandbox price {sku} {price_wholesale}' },
  'sandbox.ship': { words: 'sandbox ship {order_id}' },
  'sandbox.intercept': { words: 'sandbox intercept {dropship_order_id}' },
  'sandbox.inbox.read': { words: 'sandbox inbox {name}' },
}

/**
 * Formats the request as a command of `tgw`, which has its own sign-in. Undefined if there is no command: for the
 * operator's endpoints, and for a request with a value that the endpoint's command does not take.
 */
export function toCli(endpoint: DocumentedEndpoint, sample: EndpointSample): string | undefined {
  return formatCommand(forms[endpoint.id], sample) ?? formatApiCommand(endpoint, sample)
}

function formatCommand(form: CommandForm | undefined, sample: EndpointSample): string | undefined {
  if (!form) return undefined
  const { words, options = {}, file, isWithoutBody } = form
  const body = Object.entries(sample.body ?? {})
  const values = new Map<string, unknown>([
    ...Object.entries(sample.params),
    ...Object.entries(sample.query),
    ...(file || isWithoutBody ? [] : body),
  ])
  const take = (name: string) => {
    const value = values.get(name)
    values.delete(name)
    return value === undefined ? undefined : quoteWord(Array.isArray(value) ? value.join(',') : String(value))
  }
  const named = words.replace(/\{(\w+)\}/g, (whole, name: string) => take(name) ?? whole)
  if (named.includes('{')) return undefined
  const chosen = Object.entries(options).flatMap(([name, option]) => {
    const value = take(name)
    return value === undefined ? [] : [`--${option} ${value}`]
  })
  // A value is left that the command has no place for.
  if (values.size > 0) return undefined
  return withBody(['tgw', named, ...chosen].join(' '), file ? sample.body : undefined)
}

function formatApiCommand(endpoint: DocumentedEndpoint, sample: EndpointSample): string | undefined {
  if (endpoint.access !== 'bearer') return undefined
  const { method, path, query, body } = sample
  return withBody(`tgw api ${method} ${quoteWord(path + formatQuery(query))}`, body)
}

/** The body follows on standard input. The shell fills variables only if the end mark is bare. */
function withBody(command: string, body: unknown): string {
  if (body === undefined) return command
  const text = formatBody(body)
  const mark = /\$[A-Z]/.test(text) ? 'JSON' : "'JSON'"
  return `${command} -f - <<${mark}\n${text}\nJSON`
}

/** Quotes a word for the shell if it has to be. */
function quoteWord(text: string): string {
  if (/^(?:[\w@%+=:,./-]|\$[A-Z_]+)+$/.test(text)) return text
  if (/\$[A-Z]/.test(text)) return `"${text.replace(/["\\`]/g, (character) => `\\${character}`)}"`
  return `'${text.replaceAll("'", `'\\''`)}'`
}
