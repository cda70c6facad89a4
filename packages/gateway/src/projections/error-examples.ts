import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../contract/error-table.ts'
import { errorBody } from '../contract/fields.ts'
import { type Language, languages } from '../contract/language.ts'

/** A response with an error code, as a sandbox gave it to a reader of each language. */
export interface ErrorExample {
  readonly status: number
  readonly bodies: Readonly<Record<Language, z.infer<typeof errorBody>>>
}

export type ErrorExamples = Readonly<Record<ErrorCode, ErrorExample>>

/** The file with the recorded responses, which `npm run examples` writes. */
export const errorExamplesFile = join(import.meta.dirname, 'error-examples.json')

const schema = z.record(
  z.enum(errorCodes),
  z.object({ status: z.int(), bodies: z.record(z.enum(languages), errorBody) }),
)

let recorded: ErrorExamples | undefined

/** Returns the recorded response with a code. */
export function errorExampleOf(code: ErrorCode): ErrorExample {
  recorded ??= schema.parse(JSON.parse(readFileSync(errorExamplesFile, 'utf8')))
  return recorded[code]
}
