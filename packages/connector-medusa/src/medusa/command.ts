/** `npm run medusa-sandbox`: installs, fills, starts and stops a Medusa with goods and customers. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  exitCodes,
  parseNumber,
  parseOptions,
  parsePort,
  runCommand,
} from '@trade-gateway/connector-kit/command-line'
import { NotInstalled } from '@trade-gateway/connector-kit/sandbox/npm-packages'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { findMedusaHome, installMedusa } from './install.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import {
  admin,
  customerPassword,
  customers,
  medusaVersion,
  type SandboxSettings,
  warehouses,
} from './settings.ts'

const usage = `Usage: npm run medusa-sandbox -- [options]

Runs Medusa ${medusaVersion} without its dashboard, with three warehouses, goods, price lists and customers, to try the
connector with. The first start installs Medusa from npm (700 MB); later ones take seconds. Ends with SIGTERM or Ctrl-C.

  --home DIR           where Medusa is installed and filled databases are kept; default MEDUSA_HOME, or a folder in the
                       user's cache
  --port N             port of Medusa on 127.0.0.1; default 19000
  --postgres-port N    port of the sandbox's own PostgreSQL on 127.0.0.1; default 26543
  --database-url URL   an empty PostgreSQL database to use instead; it stays filled
  --styles N           the number of styles of four SKUs each; default 60
  --install-only       installs Medusa and ends
  --help               prints this text

Exit codes: 0 ended, 1 failed, 2 Medusa could not be installed, 64 wrong usage.
Example: npm run medusa-sandbox -- --port 19010
`

const notInstalled = 2
const maxStyles = 9_999

interface Command extends Omit<SandboxSettings, 'work'> {
  readonly isInstallOnly: boolean
}

function parseCommand(argv: readonly string[]): Command | undefined {
  const values = parseOptions(argv, {
    home: { type: 'string' },
    port: { type: 'string', default: '19000' },
    'postgres-port': { type: 'string', default: '26543' },
    'database-url': { type: 'string' },
    styles: { type: 'string', default: '60' },
    'install-only': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  return {
    home: resolve(values.home ?? findMedusaHome(process.env)),
    port: parsePort('port', values.port),
    postgresPort: parsePort('postgres-port', values['postgres-port']),
    databaseUrl: values['database-url'],
    styles: parseNumber('styles', values.styles, { min: 1, max: maxStyles }),
    warehouses: warehouses.length,
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

async function runOrInstall(command: Command): Promise<number> {
  try {
    if (command.isInstallOnly) await installMedusa(command.home, command.report)
    else await run(command)
    return exitCodes.ended
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    process.stderr.write(`${error.message}\n`)
    return notInstalled
  }
}

await runCommand({
  usage,
  explained: [SandboxError],
  run: async (argv) => {
    const command = parseCommand(argv)
    return command ? runOrInstall(command) : 'usage'
  },
})
