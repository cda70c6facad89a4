/** `npm run medusa-connector`: serves one Medusa to a gateway. */
import { runConnectorCommand } from '@trade-gateway/connector-kit/connector-command'
import { readConfig } from './config.ts'
import { serve } from './serve.ts'

const usage = `Usage: npm run medusa-connector -- [options]

Serves a Medusa to a gateway. Checks the configuration at the start. Run one for each Medusa: it keeps calls with the
same reference apart.

  --host HOST   the address to listen on; default 127.0.0.1
  --port N      the port; default 18890, 0 takes any free port
  --help        prints this text

Environment:
  MEDUSA_URL              the address of Medusa
  MEDUSA_SECRET_KEY       a secret API key
  MEDUSA_PUBLISHABLE_KEY  a publishable API key of the sales channels of all warehouses
  MEDUSA_CONFIG           the path of the configuration file; packages/connector-medusa/sandbox.json is an example
  UPSTREAM_TOKEN          the bearer token that the gateway sends, of at least 8 characters

Exit codes: 0 ended, 1 failed, 64 wrong usage, 75 Medusa does not respond, 78 the configuration does not fit Medusa.
`

await runConnectorCommand({
  name: 'Medusa',
  usage,
  defaultPort: 18_890,
  serve: async (options) => serve(await readConfig(process.env), options),
})
