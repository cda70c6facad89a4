/** `npm run examples` records the examples of the endpoints again. */

import { writeFileSync } from 'node:fs'
import { examplesFile } from '../../src/projections/examples.ts'
import { recordExamples } from './record.ts'

const examples = await recordExamples()
writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`)
process.stdout.write(`${examples.length} examples are written to ${examplesFile}.\n`)
