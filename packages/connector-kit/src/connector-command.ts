import { exitCodes, parseOptions, parsePort, runCommand } from './command-line.ts'
import type { RunningConnector, ServeOptions } from './serve.ts'
import { ConfigError } from './settings.ts'

const minTokenCharacters = 8

interface ConnectorCommand {
  /** The name of the system: `Tryton`. */
  readonly name: string
  readonly usage: string
  readonly defaultPort: number
  readonly serve: (options: ServeOptions) => Promise<RunningConnector>
}

/**
 * Runs the command of a connector as this process, until SIGTERM or SIGINT: `--host`, `--port` and `--help`, and
 * `UPSTREAM_TOKEN` from the environment. Prints `<name> connector at <url>` when it serves. With an IPC channel, it runs
 * until SIGTERM or the end of its parent.
 */
export function runConnectorCommand({ name, usage, defaultPort, serve }: ConnectorCommand): Promise<void> {
  return runCommand({
    usage,
    run: async (argv) => {
      const values = parseOptions(argv, {
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: String(defaultPort) },
        help: { type: 'boolean', default: false },
      })
      if (values.help) return 'usage'
      const log = (entry: string) => void process.stderr.write(`${name} connector: ${entry}\n`)
      const port = parsePort('port', values.port, 0)
      const running = await serve({ host: values.host, port, token: requireToken(process.env), log })
      process.stdout.write(`${name} connector at ${running.url}\n`)
      await waitForStop()
      await running.close()
      // Timers and pooled connections of the connector do not keep the process.
      process.exit(exitCodes.ended)
    },
  })
}

/** Returns the token that the gateway sends. Throws `ConfigError` for none or a short one. */
export function requireToken(env: NodeJS.ProcessEnv): string {
  const token = env.UPSTREAM_TOKEN ?? ''
  if (token.length >= minTokenCharacters) return token
  throw new ConfigError(`Set UPSTREAM_TOKEN to a secret of at least ${minTokenCharacters} characters.`)
}

function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    if (process.connected === undefined) {
      process.once('SIGINT', resolve)
      return
    }
    // Ctrl-C in a terminal reaches the whole process group. The parent decides when this process ends.
    process.on('SIGINT', () => {})
    process.once('disconnect', resolve)
    if (!process.connected) resolve()
  })
}
