/** `npm run tryton`: the connector and a gateway, in front of one Tryton. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

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

Exit codes: 0 ended, 1 failed, 64 wrong usage, 78 the configuration does not fit.
Example: npm run tryton -- --sandbox --url http://127.0.0.1:18000
`

const usageError = 64
const maxReadyMs = 60_000
const pollMs = 200
const connectorFile = join(import.meta.dirname, 'main.ts')
const gatewayFile = join(import.meta.dirname, '../../gateway/src/main.ts')
/** What `npm run tryton-sandbox` prints. */
const sandboxValues = {
  url: 'http://127.0.0.1:18000',
  database: 'tryton_trade',
  user: 'gateway',
  password: 'sandbox-Gateway-12345',
  config: join(import.meta.dirname, '../sandbox.json'),
}

class UsageError extends Error {}

interface Command {
  readonly port: string
  /** The environment of both processes. */
  readonly env: NodeJS.ProcessEnv
}

function parseCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Command | undefined {
  const values = parseArguments(argv)
  if (values.help) return undefined
  const standard: Partial<typeof sandboxValues> = values.sandbox ? sandboxValues : {}
  const settings = {
    TRYTON_URL: values.url ?? standard.url ?? env.TRYTON_URL,
    TRYTON_DATABASE: values.database ?? standard.database ?? env.TRYTON_DATABASE,
    TRYTON_USER: values.user ?? standard.user ?? env.TRYTON_USER,
    TRYTON_CONFIG: values.config ?? standard.config ?? env.TRYTON_CONFIG,
    TRYTON_PASSWORD: standard.password ?? env.TRYTON_PASSWORD,
  }
  const token = () => randomBytes(24).toString('base64url')
  const secrets = {
    UPSTREAM_TOKEN: env.UPSTREAM_TOKEN || token(),
    ADMIN_TOKEN: env.ADMIN_TOKEN || token(),
  }
  return { port: values['connector-port'], env: { ...env, ...settings, ...secrets } }
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        url: { type: 'string' },
        database: { type: 'string' },
        user: { type: 'string' },
        config: { type: 'string' },
        sandbox: { type: 'boolean', default: false },
        'connector-port': { type: 'string', default: '18090' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Starts a process whose output is this one's. Resolves `ended` with its exit code. */
function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...args], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
  return { child, ended }
}

async function waitUntilReady(url: string, isOver: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < maxReadyMs && !isOver(); waited += pollMs) {
    const isUp = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(pollMs) }).then(
      () => true,
      () => false,
    )
    if (isUp) return true
    await pause(pollMs)
  }
  return false
}

async function run({ port, env }: Command): Promise<number> {
  const connector = start([connectorFile, '--port', port], env)
  const children: ChildProcess[] = [connector.child]
  let isStopping = false
  const stop = () => {
    isStopping = true
    for (const child of children) child.kill('SIGTERM')
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  let connectorCode: number | undefined
  void connector.ended.then((code) => {
    connectorCode = code
  })
  const url = `http://127.0.0.1:${port}`
  if (!(await waitUntilReady(url, () => connectorCode !== undefined || isStopping))) {
    stop()
    return isStopping && connectorCode === undefined ? await connector.ended : (connectorCode ?? 1)
  }
  if (!process.env.ADMIN_TOKEN) process.stdout.write(`ADMIN_TOKEN=${env.ADMIN_TOKEN}\n`)
  const gateway = start([gatewayFile], { ...env, UPSTREAM_URL: url })
  children.push(gateway.child)
  const first = await Promise.race([connector.ended, gateway.ended])
  const isOrdered = isStopping
  stop()
  await Promise.all([connector.ended, gateway.ended])
  return isOrdered ? 0 : first || 1
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2), process.env)
  if (command) return run(command)
  process.stdout.write(usage)
  return 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isUsage = error instanceof UsageError
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`)
    process.exitCode = isUsage ? usageError : 1
  },
)
