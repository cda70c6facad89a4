import type { HistoryEntry } from './entry.ts'
import {
  type ClientOperation,
  clientOperations,
  isClientOperation,
  isObservation,
  type Observation,
  type Observed,
  type OperationInput,
  type OperationOutput,
  observations,
} from './operations.ts'

/** The error for entries that are no history. The message is a sentence that names the line. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
}

/** An operation with its beginning and its end, as positions in the history. */
export interface Operation<Name extends ClientOperation = ClientOperation> {
  readonly name: Name
  readonly client: string
  readonly begin: number
  /** `Infinity` if its end is not known. */
  readonly end: number
  readonly type: 'ok' | 'refused' | 'unknown'
  readonly input: OperationInput<Name>
  /** Undefined unless the operation ended with `ok`. */
  readonly output: OperationOutput<Name> | undefined
  /** Why it was refused, in the words of its recorder; undefined if it was not, or if nobody noted why. */
  readonly reason: string | undefined
}

/** An observation, with its position in the history. */
export interface Seen<Name extends Observation = Observation> {
  readonly name: Name
  readonly client: string
  readonly position: number
  readonly output: Observed<Name>
}

/** Operations and observations, each in the order of their beginning. */
export class History {
  readonly #operations: Operation[] = []
  readonly #observed: Seen[] = []
  readonly length: number

  /** Pairs beginnings with ends, and parses inputs and outputs. Throws `HistoryError`. */
  constructor(entries: readonly HistoryEntry[]) {
    this.length = entries.length
    const ends = collectEnds(entries)
    for (const [position, entry] of entries.entries()) {
      if (entry.type === 'observed') this.#observed.push(toSeen(entry, position))
      else if (entry.type === 'invoke') this.#operations.push(toOperation(entry, position, ends))
    }
  }

  list<Name extends ClientOperation>(...names: readonly Name[]): Operation<Name>[] {
    return this.#operations.filter((each): each is Operation<Name> =>
      names.some((name) => name === each.name),
    )
  }

  listSeen<Name extends Observation>(name: Name): Seen<Name>[] {
    return this.#observed.filter((each): each is Seen<Name> => each.name === name)
  }
}

interface End {
  readonly entry: HistoryEntry
  readonly position: number
}

/** Finds the end of each operation. Throws `HistoryError` if an operation ends twice, or before it begins. */
function collectEnds(entries: readonly HistoryEntry[]): Map<number, End> {
  const begun = new Map<number, HistoryEntry>()
  const ends = new Map<number, End>()
  for (const [position, entry] of entries.entries()) {
    if (entry.type === 'observed') continue
    if (entry.type === 'invoke') {
      if (begun.has(entry.id)) fail(position, `operation ${entry.id} begins twice`)
      begun.set(entry.id, entry)
      continue
    }
    const beginning = begun.get(entry.id)
    if (!beginning) fail(position, `operation ${entry.id} ends and has not begun`)
    if (beginning?.operation !== entry.operation)
      fail(position, `operation ${entry.id} began as ${beginning?.operation} and ends as ${entry.operation}`)
    if (ends.has(entry.id)) fail(position, `operation ${entry.id} ends twice`)
    ends.set(entry.id, { entry, position })
  }
  return ends
}

function fail(position: number, story: string): never {
  throw new HistoryError(`Line ${position + 1} of the history is not valid: ${story}.`)
}

function toSeen({ operation, client, output }: HistoryEntry, position: number): Seen {
  if (!isObservation(operation)) fail(position, `nothing is observed as "${operation}"`)
  const parsed = observations[operation].safeParse(output)
  if (!parsed.success) fail(position, `the output of ${operation} does not have its shape`)
  // The schema of the name has parsed the output of the name, which the union of names does not show.
  return { name: operation, client, position, output: parsed.data } as Seen
}

function toOperation(
  { operation, client, id, input }: HistoryEntry,
  position: number,
  ends: ReadonlyMap<number, End>,
): Operation {
  if (!isClientOperation(operation)) fail(position, `there is no operation "${operation}"`)
  const end = ends.get(id)
  const type = end?.entry.type ?? 'unknown'
  const shapes = clientOperations[operation]
  const parsedInput = shapes.input.safeParse(input)
  if (!parsedInput.success) fail(position, `the input of ${operation} does not have its shape`)
  const isOk = type === 'ok'
  const parsedOutput = isOk ? shapes.output.safeParse(end?.entry.output) : undefined
  if (parsedOutput?.success === false)
    fail(end?.position ?? position, `the output of ${operation} does not have its shape`)
  return {
    name: operation,
    client,
    begin: position,
    end: end === undefined || type === 'unknown' ? Number.POSITIVE_INFINITY : end.position,
    type: type === 'ok' || type === 'refused' ? type : 'unknown',
    input: parsedInput.data,
    output: parsedOutput?.data,
    reason: type === 'refused' && typeof end?.entry.output === 'string' ? end.entry.output : undefined,
    // The schemas of the name have parsed input and output of the name, which the union of names does not show.
  } as Operation
}
