/** `npm run medusa`: the connector and a gateway, in front of one Medusa. */
import { join } from 'node:path'
import { parseOptions, parsePort, runCommand } from '@trade-gateway/connector-kit/command-line'
import { runWithGateway } from '@trade-gateway/connector-kit/with-gateway'

const usage = `Usage: npm run medusa -- [options]

Starts the Medusa connector, and a gateway that uses it. The other settings of both come from the environment.

  --url URL             Medusa; default MEDUSA_URL
  --config FILE         the configuration of the connector; default MEDUSA_CONFIG
  --sandbox             the configuration of npm run medusa-sandbox
  --connector-port N    the connector's port on 127.0.0.1; default 18890
  --help                prints this text

The keys are read from MEDUSA_SECRET_KEY and MEDUSA_PUBLISHABLE_KEY. The gateway's settings, such as PORT, DATA_DIR and
ADMIN_TOKEN, are those of npm start; an ADMIN_TOKEN is generated and printed if there is none.

Exit codes: 0 ended, 1 failed, 64 wrong usage, 75 Medusa does not respond, 78 the configuration does not fit.
Example: npm run medusa -- --sandbox --url http://127.0.0.1:19000
`

const sandboxConfig = join(import.meta.dirname, '../sandbox.json')

async function run(argv: readonly string[]): Promise<number | 'usage'> {
  const { env } = process
  const values = parseOptions(argv, {
    url: { type: 'string' },
    config: { type: 'string' },
    sandbox: { type: 'boolean', default: false },
    'connector-port': { type: 'string', default: '18890' },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return 'usage'
  const settings = {
    MEDUSA_URL: values.url ?? env.MEDUSA_URL,
    MEDUSA_CONFIG: values.config ?? (values.sandbox ? sandboxConfig : env.MEDUSA_CONFIG),
  }
  const port = parsePort('connector-port', values['connector-port'])
  return runWithGateway({
    connectorFile: join(import.meta.dirname, 'main.ts'),
    port,
    env: { ...env, ...settings },
  })
}

await runCommand({ usage, run })
