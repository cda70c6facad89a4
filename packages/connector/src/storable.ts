/**
 * Text that a database cannot store: NUL, which PostgreSQL rejects, and lone surrogates, which UTF-8 cannot encode. The
 * public API rejects both in requests. In an ERP's response each of these characters becomes U+FFFD, so that a person
 * can read the rest. A code or a cursor cannot be repaired, because it would name something else: a row of such a code
 * is dropped, so that one row does not block all others.
 */

/** A response whose text can be stored. */
export interface Storable {
  readonly body: unknown
  /** The codes of the dropped rows, escaped for printing. */
  readonly leftOut: ReadonlySet<string>
  /** The codes of the rows of which text was repaired, or the name of the member outside a list; escaped for printing. */
  readonly repaired: ReadonlySet<string>
  /** Whether a code or a cursor cannot be stored that is in no row that may be dropped. */
  readonly isBroken: boolean
}

/**
 * A quick test of the JSON text: unstorable text can only be written with these escapes. A valid surrogate pair may
 * match too and is then checked.
 */
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i
const maxDepth = 32
const maxCodeCharacters = 80

/** The members that name something, or a place in a list of the ERP. */
const codes: ReadonlySet<string> = new Set([
  ...['sku', 'product_code', 'reference', 'shipping_method_id', 'address_id', 'warehouse_code'],
  ...['account_id', 'customer_code', 'session', 'cursor', 'next'],
])
/** The members by which a row is reported: the first that it has. */
const reportedBy = [...codes, 'number', 'currency']
/**
 * The lists whose rows the gateway stores by their codes, with the name of the code. Nothing can have been stored under an
 * unstorable code. Every other row is kept, because the gateway would take it for absent.
 */
const codeOfList: ReadonlyMap<string, string> = new Map([
  ['rows', 'sku'],
  ['products', 'product_code'],
  ['skus', 'sku'],
  ['warehouses', 'warehouse_code'],
  ['shipping_methods', 'shipping_method_id'],
  ['addresses', 'address_id'],
])

/** Stands for a value that cannot be repaired. */
const unstorable = Symbol('unstorable')
/** Stands for a row of which nothing can be stored: its own code cannot, or none of its SKUs. */
const nameless = Symbol('nameless')

/** What was found in a response so far. */
interface Found {
  readonly leftOut: Set<string>
  readonly repaired: Set<string>
}

interface Place {
  /** The name of the member. */
  readonly name: string
  /** What the member is reported by. */
  readonly row: string
  readonly depth: number
  /** The name of the code of a row, if its list may lack it. */
  readonly code?: string | undefined
}

/** Repairs a response. `text` is the JSON from which `body` was parsed. */
export function makeStorable(text: string, body: unknown): Storable {
  const found: Found = { leftOut: new Set(), repaired: new Set() }
  if (!suspiciousEscape.test(text)) return { ...found, body, isBroken: false }
  const kept = repair(found, body, { name: '', row: '', depth: 0 })
  return { ...found, body: kept, isBroken: kept === unstorable || kept === nameless }
}

/** Returns a value that can be stored, `unstorable` or `nameless`. */
function repair(found: Found, value: unknown, place: Place): unknown {
  if (typeof value === 'string') return repairText(found, value, place)
  if (typeof value !== 'object' || value === null) return value
  if (place.depth > maxDepth) return unstorable
  return Array.isArray(value) ? repairList(found, value, place) : repairRecord(found, value, place)
}

function repairText(found: Found, value: string, { name, row }: Place): unknown {
  if (value.isWellFormed() && !value.includes('\0')) return value
  if (codes.has(name)) return unstorable
  found.repaired.add(row)
  return value.replaceAll('\0', '\ufffd').toWellFormed()
}

function repairRecord(found: Found, value: object, { row, depth, code }: Place): unknown {
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    repair(found, member, { name, row: row || printCode(name), depth: depth + 1 }),
  ])
  const isNameless = members.some(
    ([name, member]) => (name === code && member === unstorable) || member === nameless,
  )
  if (code !== undefined && isNameless) return nameless
  return members.some(([, member]) => member === unstorable || member === nameless)
    ? unstorable
    : Object.fromEntries(members)
}

function repairList(found: Found, value: readonly unknown[], { name, row, depth }: Place): unknown {
  const kept: unknown[] = []
  for (const element of value) {
    // Texts in a list are codes.
    const isCode = typeof element === 'string'
    const said = findCode(element) ?? row
    const place = { name: isCode ? 'sku' : '', row: said, depth: depth + 1, code: codeOfList.get(name) }
    const one = repair(found, element, place)
    if (one === nameless || (isCode && one === unstorable)) found.leftOut.add(said)
    else if (one === unstorable) return unstorable
    else kept.push(one)
  }
  const isStyle = name === 'skus' && value.some((element) => typeof element === 'object')
  return isStyle && kept.length === 0 && value.length > 0 ? nameless : kept
}

/** Finds what a row is reported by, which is never text about a person. */
function findCode(row: unknown): string | undefined {
  if (typeof row === 'string') return printCode(row)
  if (typeof row !== 'object' || row === null) return undefined
  const members = new Map<string, unknown>(Object.entries(row))
  const code = reportedBy.map((name) => members.get(name)).find((member) => typeof member === 'string')
  return code === undefined ? undefined : printCode(code)
}

function printCode(code: string): string {
  return JSON.stringify(code).slice(0, maxCodeCharacters)
}
