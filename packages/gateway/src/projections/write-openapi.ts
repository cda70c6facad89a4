import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializeConnectorOpenApi } from '@trade-gateway/connector/openapi'
import { serializeAdminOpenApi, serializeOpenApi } from './openapi.ts'

const folder = join(import.meta.dirname, '../../../../contract')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'openapi.json'), serializeOpenApi())
writeFileSync(join(folder, 'admin-openapi.json'), serializeAdminOpenApi())
writeFileSync(join(folder, 'connector-openapi.json'), serializeConnectorOpenApi())
process.stdout.write('openapi.json, admin-openapi.json and connector-openapi.json are written to contract.\n')
