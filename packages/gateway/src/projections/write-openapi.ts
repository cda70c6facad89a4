import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializeAdminOpenApi, serializeOpenApi } from './openapi.ts'

const folder = join(import.meta.dirname, '../../../../contract')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'openapi.json'), serializeOpenApi())
writeFileSync(join(folder, 'admin-openapi.json'), serializeAdminOpenApi())
process.stdout.write('contract/openapi.json and contract/admin-openapi.json are written.\n')
