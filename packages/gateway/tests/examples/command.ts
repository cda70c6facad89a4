/** `npm run examples` records the examples of the endpoints again. */

import { writeFileSync } from 'node:fs'
import { errorExamplesFile } from '../../src/projections/error-examples.ts'
import { examplesFile } from '../../src/projections/examples.ts'
import { recordExamples } from './record.ts'
import { recordErrors } from './record-errors.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(
    'Usage: npm run examples\n\nRecords the examples of the endpoints again, from a journey over a fresh sandbox, and a response with each error code.\n',
  )
  process.exit(0)
}
const examples = await recordExamples()
writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`)
process.stdout.write(`${examples.length} examples are written to ${examplesFile}.\n`)
const errors = await recordErrors()
writeFileSync(errorExamplesFile, `${JSON.stringify(errors, null, 2)}\n`)
process.stdout.write(`${Object.keys(errors).length} error responses are written to ${errorExamplesFile}.\n`)
