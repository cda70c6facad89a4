import type { OptionSpecs } from './declaration.ts'
import { UsageError } from './failures.ts'
import { type Input, readJson } from './input.ts'

/** The options of commands that send a body. */
export const bodyOptions = {
  file: { type: 'string', short: 'f', value: 'FILE', help: 'the JSON of the body; - reads standard input' },
  set: {
    type: 'string',
    multiple: true,
    value: 'PATH=TEXT',
    help: 'set a field, such as recipient.city=Sydney; PATH:=JSON for a number, such as quantity:=2',
  },
  example: { type: 'boolean', help: 'print a body to start from, and send nothing' },
} as const satisfies OptionSpecs

export interface BodyGiven {
  readonly file: string | undefined
  readonly set: readonly string[]
}

const assignment = /^([A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\d{1,3}))*)(:?=)([\s\S]*)$/

/** Reads the body from the file, and sets the given fields in it. Undefined if neither is given. */
export async function readBody(
  input: Input,
  { file, set }: BodyGiven,
  more: object = {},
): Promise<object | undefined> {
  const added = Object.entries(more).filter(([, value]) => value !== undefined)
  if (file === undefined && set.length === 0 && added.length === 0) return undefined
  const read = file === undefined ? {} : await readJson(input, file)
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new UsageError(`${file === '-' ? 'Standard input' : file} must have a JSON object.`)
  const body: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(read)),
    ...Object.fromEntries(added),
  }
  for (const each of set) assign(body, each)
  return body
}

function assign(body: Record<string, unknown>, text: string): void {
  const [, path, sign, value = ''] = assignment.exec(text) ?? []
  if (path === undefined) throw new UsageError(`--set must be PATH=TEXT or PATH:=JSON, and is "${text}".`)
  const names = path.split('.')
  const last = names.pop() ?? ''
  let place: unknown = body
  for (const name of names) {
    const holder = place
    if (!isHolder(holder)) throw new UsageError(`--set ${path}: there is no object at ${name}.`)
    if (!Object.hasOwn(holder, name)) holder[name] = {}
    place = holder[name]
  }
  if (!isHolder(place)) throw new UsageError(`--set ${path}: the field above ${last} is no object.`)
  place[last] = sign === '=' ? value : parseValue(path, value)
}

function parseValue(path: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new UsageError(`--set ${path}:= must be followed by JSON, and is followed by "${value}".`)
  }
}

/** Arrays take their index as a name, so that lines.0.quantity is a path. */
function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The gateway validates a body, and names each wrong field. The types of the SDK are for programs. */
export function asBody<Body>(value: object | undefined): Body {
  return value as Body
}

/** Returns a body that must be there. */
export function requireBody<Body>(value: object | undefined): Body {
  if (value !== undefined) return asBody<Body>(value)
  throw new UsageError('The body is missing.', 'Give -f FILE, or print one to start from with --example.')
}
