/** `npm run medusa-sandbox`: installs, fills, starts and stops a Medusa with goods and customers. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installMedusa, NotInstalled } from './install.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import {
  admin,
  customerPassword,
  customers,
  medusaVersion,
  type SandboxSettings,
  warehouses,
} from './settings.ts'
import { SandboxError } from './system.ts'

const usage = `Usage: npm run medusa-sandbox -- [options]

Runs Medusa ${medusaVersion} without its dashboard, with three warehouses, goods, price lists and customers, to try the
connector with. The first start installs Medusa from npm (700 MB); later ones take seconds. Ends with SIGTERM or Ctrl-C.

  --home DIR           where Medusa is installed and filled databases are kept; default a folder in the user's cache
  --port N             port of Medusa on 127.0.0.1; default 19000
  --postgres-port N    port of the sandbox's own PostgreSQL on 127.0.0.1; default 26543
  --database-url URL   an empty PostgreSQL database to use instead; it stays filled
  --styles N           the number of styles of four SKUs each; default 60
  --install-only       installs Medusa and ends
  --help               prints this text

Exit codes: 0 ended, 1 failed, 2 Medusa could not be installed, 64 wrong usage.
Example: npm run medusa-sandbox -- --port 19010
`

const usageError = 64
const notInstalled = 2
const maxPort = 65_535
const maxStyles = 9_999

class UsageError extends Error {}

interface Command extends Omit<SandboxSettings, 'work'> {
  readonly isInstallOnly: boolean
}

function parseNumber(flag: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && value <= max) return value
  throw new UsageError(`--${flag} must be a whole number from 1 to ${max}, not "${text}".`)
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        home: { type: 'string' },
        port: { type: 'string', default: '19000' },
        'postgres-port': { type: 'string', default: '26543' },
        'database-url': { type: 'string' },
        styles: { type: 'string', default: '60' },
        'install-only': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

function findDefaultHome(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(cache, 'trade-gateway', `medusa-${medusaVersion}`)
}

function parseCommand(argv: readonly string[]): Command | undefined {
  const values = parseArguments(argv)
  if (values.help) return undefined
  return {
    home: resolve(values.home ?? findDefaultHome()),
    port: parseNumber('port', values.port, maxPort),
    postgresPort: parseNumber('postgres-port', values['postgres-port'], maxPort),
    databaseUrl: values['database-url'],
    styles: parseNumber('styles', values.styles, maxStyles),
    isInstallOnly: values['install-only'],
    report: (line) => void process.stdout.write(`… ${line}\n`),
  }
}

function describeSandbox({ url, keys }: Sandbox): string {
  return [
    `MEDUSA_URL=${url}`,
    `MEDUSA_SECRET_KEY=${keys.secretKey}`,
    `MEDUSA_PUBLISHABLE_KEY=${keys.publishableKey}`,
    `warehouses: ${warehouses.map(({ code }) => code).join(', ')}`,
    ...customers.map(({ name, email }) => `customer ${name}: ${email} ${customerPassword}`),
    `administrator: ${admin.email} ${admin.password}`,
    'ready',
    '',
  ].join('\n')
}

async function run(command: Command): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'medusa-sandbox-'))
  // PostgreSQL runs as another user and must reach its folder below.
  await chmod(work, 0o755)
  const ending = Promise.withResolvers<void>()
  process.once('SIGTERM', () => ending.resolve())
  process.once('SIGINT', () => ending.resolve())
  try {
    const sandbox = await startSandbox({ ...command, work })
    try {
      process.stdout.write(describeSandbox(sandbox))
      await Promise.race([ending.promise, sandbox.server.ended])
    } finally {
      await sandbox.stop()
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2))
  if (!command) return void process.stdout.write(usage)
  if (command.isInstallOnly) await installMedusa(command.home, command.report)
  else await run(command)
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError
  const isExplained = isUsage || error instanceof SandboxError
  const text = isExplained ? error.message : String(error instanceof Error ? error.stack : error)
  process.stderr.write(isUsage ? `${text}\n\n${usage}` : `${text}\n`)
  process.exitCode = isUsage ? usageError : error instanceof NotInstalled ? notInstalled : 1
})
