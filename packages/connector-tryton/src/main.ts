/** `npm run tryton-connector`: serves one Tryton to a gateway. */
import { runConnectorCommand } from '@trade-gateway/connector-kit/connector-command'
import { readConfig } from './config.ts'
import { serve } from './serve.ts'

const usage = `Usage: npm run tryton-connector -- [options]

Serves a Tryton 6.0 to a gateway. Checks the configuration, the modules and the rights of its user at the start.

  --host HOST   the address to listen on; default 127.0.0.1
  --port N      the port; default 18090, 0 takes any free port
  --help        prints this text

Environment: TRYTON_URL, TRYTON_DATABASE, TRYTON_USER, TRYTON_PASSWORD, TRYTON_CONFIG (the path of a JSON file), and
UPSTREAM_TOKEN, the bearer token that the gateway sends. The README of the package describes them.

Exit codes: 0 ended, 1 failed, 64 wrong usage, 75 Tryton does not respond, 78 the configuration does not fit Tryton.
`

await runConnectorCommand({
  name: 'Tryton',
  usage,
  defaultPort: 18_090,
  serve: async (options) => serve(await readConfig(process.env), options),
})
