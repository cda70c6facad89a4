/** `npm run console-types`: writes the types of the operator's API for the console. */
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { runGenerator } from './generator.ts'

const contractFile = new URL('../../contract/admin-openapi.json', import.meta.url)

await runGenerator({
  script: 'console-types',
  summary: "Writes the console's types from contract/admin-openapi.json.",
  generate: async () => ({
    'packages/console/src/api/schema.ts': COMMENT_HEADER + astToString(await openapiTS(contractFile)),
  }),
})
