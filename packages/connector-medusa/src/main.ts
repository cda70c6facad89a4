/** `npm run medusa-connector`: the connector alone, for a gateway elsewhere. */
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { systemEnvironment } from './environment.ts'
import { serve } from './serve.ts'

const usage = `Usage: npm run medusa-connector -- [options]

Runs the connector for a Medusa, on 127.0.0.1. Run one for each Medusa: it keeps calls with the same reference apart.

  --port N      port; default 18890, 0 takes any free port
  --help        prints this text

Environment:
  MEDUSA_URL              the address of Medusa
  MEDUSA_SECRET_KEY       a secret API key
  MEDUSA_PUBLISHABLE_KEY  a publishable API key of the sales channels of all warehouses
  MEDUSA_CONFIG           the path of the configuration file; packages/connector-medusa/sandbox.json is an example
  UPSTREAM_TOKEN          the bearer token for callers; without it, one is generated and printed

Exit codes: 0 ended, 1 failed, 64 wrong usage or configuration.
`

const usageError = 64
const maxPort = 65_535

function parsePort(argv: string[]): number | undefined {
  const { values } = parseArgs({
    args: argv,
    options: { port: { type: 'string', default: '18890' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return undefined
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
  if (port <= maxPort) return port
  throw new ConfigError(`--port must be a whole number from 0 to ${maxPort}, not "${values.port}".`)
}

async function main(): Promise<void> {
  const port = parsePort(process.argv.slice(2))
  if (port === undefined) return void process.stdout.write(usage)
  const given = process.env.UPSTREAM_TOKEN
  const token = given || systemEnvironment.createId()
  const running = await serve(await readConfig(process.env), { port, token })
  process.stdout.write(`Medusa connector at ${running.url}\n`)
  if (!given) process.stdout.write(`UPSTREAM_TOKEN=${token}\n`)
  const stop = () => running.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  const isUsage = error instanceof ConfigError || error instanceof TypeError
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(isUsage ? usageError : 1)
})
