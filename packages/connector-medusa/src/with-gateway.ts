/** `npm run medusa`: the connector and a gateway, in front of one Medusa. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run medusa -- [options]

Starts the Medusa connector, and a gateway that uses it. The other settings of both come from the environment.

  --url URL             Medusa; default MEDUSA_URL
  --config FILE         the configuration of the connector; default MEDUSA_CONFIG
  --sandbox             the configuration of npm run medusa-sandbox
  --connector-port N    the connector's port on 127.0.0.1; default 18890
  --help                prints this text

The keys are read from MEDUSA_SECRET_KEY and MEDUSA_PUBLISHABLE_KEY. The gateway's settings, such as PORT, DATA_DIR and
ADMIN_TOKEN, are those of npm start; an ADMIN_TOKEN is generated and printed if there is none.

Exit codes: 0 ended, 1 failed, 64 wrong usage or configuration.
Example: npm run medusa -- --sandbox --url http://127.0.0.1:19000
`

const usageError = 64
const maxReadyMs = 60_000
const pollMs = 200
const connectorFile = join(import.meta.dirname, 'main.ts')
const gatewayFile = join(import.meta.dirname, '../../gateway/src/main.ts')
const sandboxConfig = join(import.meta.dirname, '../sandbox.json')

class UsageError extends Error {}

interface Command {
  readonly port: string
  /** The environment of both processes. */
  readonly env: NodeJS.ProcessEnv
  /** An admin token that nobody knows yet. */
  readonly newAdminToken: string | undefined
}

function parseCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Command | undefined {
  const values = parseArguments(argv)
  if (values.help) return undefined
  const createToken = () => randomBytes(24).toString('base64url')
  const newAdminToken = env.ADMIN_TOKEN ? undefined : createToken()
  return {
    port: values['connector-port'],
    env: {
      ...env,
      MEDUSA_URL: values.url ?? env.MEDUSA_URL,
      MEDUSA_CONFIG: values.config ?? (values.sandbox ? sandboxConfig : env.MEDUSA_CONFIG),
      UPSTREAM_TOKEN: env.UPSTREAM_TOKEN || createToken(),
      ADMIN_TOKEN: newAdminToken ?? env.ADMIN_TOKEN,
    },
    newAdminToken,
  }
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        url: { type: 'string' },
        config: { type: 'string' },
        sandbox: { type: 'boolean', default: false },
        'connector-port': { type: 'string', default: '18890' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

interface Started {
  readonly child: ChildProcess
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
}

/** Starts a process whose output is this one's. */
function start(args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(process.execPath, [...args], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
  return { child, ended }
}

async function waitUntilReady(url: string, { child }: Started): Promise<boolean> {
  for (let waited = 0; waited < maxReadyMs && child.exitCode === null; waited += pollMs) {
    const isUp = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(pollMs) }).then(
      () => true,
      () => false,
    )
    if (isUp) return true
    await pause(pollMs)
  }
  return false
}

/** Runs both until one ends or this process is to stop. Returns the exit code. */
async function run({ port, env, newAdminToken }: Command): Promise<number> {
  const url = `http://127.0.0.1:${port}`
  const children: ChildProcess[] = []
  let isStopping = false
  const stop = () => {
    isStopping = true
    for (const child of children) child.kill('SIGTERM')
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  const connector = start([connectorFile, '--port', port], env)
  children.push(connector.child)
  if (!(await waitUntilReady(url, connector))) {
    stop()
    return (await connector.ended) || 1
  }
  if (newAdminToken !== undefined) process.stdout.write(`ADMIN_TOKEN=${newAdminToken}\n`)
  const gateway = start([gatewayFile], { ...env, UPSTREAM_URL: url })
  children.push(gateway.child)
  if (isStopping) stop()
  const first = await Promise.race([connector.ended, gateway.ended])
  const wasAsked = isStopping
  stop()
  await Promise.all([connector.ended, gateway.ended])
  return wasAsked ? 0 : first || 1
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2), process.env)
  if (command) process.exitCode = await run(command)
  else process.stdout.write(usage)
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`)
  process.exitCode = isUsage ? usageError : 1
})
