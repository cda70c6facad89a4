/** `npm run tryton`: the connector and a gateway, in front of one Tryton. */
import { join } from 'node:path'
import { parseOptions, parsePort, runCommand } from '@trade-gateway/connector-kit/command-line'
import { runWithGateway } from '@trade-gateway/connector-kit/with-gateway'

const usage = `Usage: npm run tryton -- [options]

Starts the Tryton connector, and a gateway that uses it. The other settings of both come from the environment.

  --url URL             trytond; default TRYTON_URL
  --database NAME       Tryton's database; default TRYTON_DATABASE
  --user LOGIN          the user that the connector works as; default TRYTON_USER
  --config FILE         the configuration of the connector; default TRYTON_CONFIG
  --sandbox             the values of npm run tryton-sandbox for all of these, and its password
  --connector-port N    the connector's port on 127.0.0.1; default 18090
  --help                prints this text

The password is read from TRYTON_PASSWORD. The gateway's settings, such as PORT, DATA_DIR and ADMIN_TOKEN, are those of
npm start; an ADMIN_TOKEN is generated and printed if there is none.

Exit codes: 0 ended, 1 failed, 64 wrong usage, 75 Tryton does not respond, 78 the configuration does not fit.
Example: npm run tryton -- --sandbox --url http://127.0.0.1:18000
`

/** What `npm run tryton-sandbox` prints. */
const sandboxValues = {
  url: 'http://127.0.0.1:18000',
  database: 'tryton_trade',
  user: 'gateway',
  password: 'sandbox-Gateway-12345',
  config: join(import.meta.dirname, '../sandbox.json'),
}

async function run(argv: readonly string[]): Promise<number | 'usage'> {
  const { env } = process
  const values = parseOptions(argv, {
    url: { type: 'string' },
    database: { type: 'string' },
    user: { type: 'string' },
    config: { type: 'string' },
    sandbox: { type: 'boolean', default: false },
    'connector-port': { type: 'string', default: '18090' },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return 'usage'
  const standard: Partial<typeof sandboxValues> = values.sandbox ? sandboxValues : {}
  const settings = {
    TRYTON_URL: values.url ?? standard.url ?? env.TRYTON_URL,
    TRYTON_DATABASE: values.database ?? standard.database ?? env.TRYTON_DATABASE,
    TRYTON_USER: values.user ?? standard.user ?? env.TRYTON_USER,
    TRYTON_CONFIG: values.config ?? standard.config ?? env.TRYTON_CONFIG,
    TRYTON_PASSWORD: standard.password ?? env.TRYTON_PASSWORD,
  }
  const port = parsePort('connector-port', values['connector-port'])
  return runWithGateway({
    connectorFile: join(import.meta.dirname, 'main.ts'),
    port,
    env: { ...env, ...settings },
  })
}

await runCommand({ usage, run })
