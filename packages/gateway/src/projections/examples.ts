import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One call of the journey with its response, as a sandbox gave it. Lists have their first items only; secrets are
 * placeholders such as `<password>`.
 */
export interface RecordedExample {
  /** The id of the endpoint. */
  readonly endpoint: string
  readonly request: {
    readonly method: string
    /** The path with the values of its parameters, without the query. */
    readonly path: string
    /** The values of the path's parameters by name. */
    readonly params?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    /** The headers that the endpoint reads, without `Authorization` and `Content-Type`. */
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly response: { readonly status: number; readonly body: unknown }
}

/** The file with the recorded examples, which `npm run examples` writes. */
export const examplesFile = join(import.meta.dirname, 'examples.json')

let recorded: ReadonlyMap<string, RecordedExample> | undefined

/** Finds the recorded example of an endpoint by its id; undefined if the journey does not call the endpoint. */
export function exampleOf(operationId: string): RecordedExample | undefined {
  recorded ??= readExamples()
  return recorded.get(operationId)
}

function readExamples(): ReadonlyMap<string, RecordedExample> {
  const examples: readonly RecordedExample[] = JSON.parse(readFileSync(examplesFile, 'utf8'))
  return new Map(examples.map((example) => [example.endpoint, example]))
}
