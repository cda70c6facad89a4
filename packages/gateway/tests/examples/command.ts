/** `npm run examples` records the examples of the endpoints again. */

import { writeFileSync } from 'node:fs'
import { examplesFile } from '../../src/projections/examples.ts'
import { recordExamples } from './record.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(
    'Usage: npm run examples\n\nRecords the examples of the endpoints again, from a journey over a fresh sandbox.\n',
  )
  process.exit(0)
}
const examples = await recordExamples()
writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`)
process.stdout.write(`${examples.length} examples are written to ${examplesFile}.\n`)
