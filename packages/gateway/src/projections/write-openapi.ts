import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializeOpenApi } from './openapi.ts'

const folder = join(import.meta.dirname, '../../../../contract')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'openapi.json'), serializeOpenApi())
process.stdout.write('contract/openapi.json is written.\n')
