/** `npm run tryton-connector`: serves one Tryton to a gateway. */
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { serve } from './serve.ts'

const usage = `Usage: npm run tryton-connector -- [options]

Serves a Tryton 6.0 to a gateway. Checks the configuration, the modules and the rights of its user at the start.

  --host HOST   the address to listen on; default 127.0.0.1
  --port N      the port; default 18090, 0 takes any free port
  --help        prints this text

Environment: TRYTON_URL, TRYTON_DATABASE, TRYTON_USER, TRYTON_PASSWORD, TRYTON_CONFIG (the path of a JSON file), and
UPSTREAM_TOKEN, the bearer token that the gateway sends. The README of the package describes them.

Exit codes: 0 ended, 1 failed, 64 wrong usage, 78 the configuration does not fit Tryton.
`

const usageError = 64
const configurationError = 78
const maxPort = 65_535
const minTokenCharacters = 8

class UsageError extends Error {}

function parseCommand(argv: readonly string[]): { host: string; port: number } | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '18090' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return undefined
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
    if (!(port <= maxPort)) throw new UsageError(`--port must be a whole number up to ${maxPort}.`)
    return { host: values.host, port }
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

function requireToken(env: NodeJS.ProcessEnv): string {
  const token = env.UPSTREAM_TOKEN ?? ''
  if (token.length >= minTokenCharacters) return token
  throw new ConfigError(`Set UPSTREAM_TOKEN to a secret of at least ${minTokenCharacters} characters.`)
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2))
  if (!command) return void process.stdout.write(usage)
  const log = (line: string) => void process.stderr.write(`tryton: ${line}\n`)
  const token = requireToken(process.env)
  const running = await serve(await readConfig(process.env), { ...command, token, log })
  process.stdout.write(`Tryton connector at ${running.url}\n`)
  const stop = () => void running.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${usage}` : `${message}\n`)
  process.exit(
    error instanceof UsageError ? usageError : error instanceof ConfigError ? configurationError : 1,
  )
})
