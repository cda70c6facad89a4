/** `npm run examples` records the examples of the endpoints again. */

import { writeFileSync } from 'node:fs'
import { runPlainCommand } from '../../src/kernel/plain-command.ts'
import { errorExamplesFile } from '../../src/projections/error-examples.ts'
import { examplesFile } from '../../src/projections/examples.ts'
import { recordExamples } from './record.ts'
import { recordErrors } from './record-errors.ts'

const usage = `Usage: npm run examples

Records the examples of the endpoints again, from a journey over a fresh sandbox, and a response with each error code.
`

async function writeExamples(): Promise<number> {
  const examples = await recordExamples()
  writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`)
  process.stdout.write(`${examples.length} examples are written to ${examplesFile}.\n`)
  const errors = await recordErrors()
  writeFileSync(errorExamplesFile, `${JSON.stringify(errors, null, 2)}\n`)
  process.stdout.write(`${Object.keys(errors).length} error responses are written to ${errorExamplesFile}.\n`)
  return 0
}

await runPlainCommand(usage, writeExamples)
