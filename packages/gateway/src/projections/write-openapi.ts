import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { serializeConnectorOpenApi } from '@trade-gateway/connector/openapi'
import { runPlainCommand } from '../kernel/plain-command.ts'
import { serializeAsyncApi } from './asyncapi.ts'
import { buildBrunoFiles } from './collections/bruno.ts'
import { buildPostmanCollection } from './collections/postman.ts'
import { defaultServer, serializeAdminOpenApi, serializeOpenApi } from './openapi.ts'

const usage = `Usage: npm run contract

Writes the documents and the collections of contract from the catalogue and the operations of the connector.
`
const folder = join(import.meta.dirname, '../../../../contract')

function writeDocuments(): number {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'openapi.json'), serializeOpenApi())
  writeFileSync(join(folder, 'admin-openapi.json'), serializeAdminOpenApi())
  writeFileSync(join(folder, 'connector-openapi.json'), serializeConnectorOpenApi())
  writeFileSync(join(folder, 'asyncapi.json'), serializeAsyncApi())
  const postman = buildPostmanCollection(defaultServer)
  writeFileSync(join(folder, 'postman.json'), `${JSON.stringify(postman, null, 2)}\n`)
  rmSync(join(folder, 'bruno'), { recursive: true, force: true })
  for (const [name, text] of buildBrunoFiles(defaultServer)) {
    const file = join(folder, 'bruno', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  process.stdout.write('The documents and the collections are written to contract.\n')
  return 0
}

await runPlainCommand(usage, writeDocuments)
