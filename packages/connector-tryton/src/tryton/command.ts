/** `npm run tryton-sandbox`: installs, fills, starts and stops a Tryton with goods and customers. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  exitCodes,
  parseNumber,
  parseOptions,
  parsePort,
  runCommand,
  UsageError,
} from '@trade-gateway/connector-kit/command-line'
import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { timezone } from '@trade-gateway/connector-kit/settings'
import { bookHistory, startSandbox } from './sandbox.ts'
import { warehouses } from './seed-goods.ts'
import {
  admin,
  committedDump,
  connectorUser,
  customerPassword,
  customers,
  databaseName,
  type SandboxSettings,
  shopName,
} from './settings.ts'

const usage = `Usage: npm run tryton-sandbox -- [options]

Runs Tryton 6.0 with PostgreSQL, three warehouses, goods, customers and a few bookings, to try the connector with.
Installs Debian's packages of both if they are missing, which requires root. Ends with SIGTERM or Ctrl-C.

  --home DIR           where the database and the configuration are kept; default a new folder, which is removed
  --port N             port of Tryton on 127.0.0.1; default 18000
  --postgres-port N    port of PostgreSQL on 127.0.0.1; default 15432
  --styles N           the number of styles of four SKUs each, instead of the dump's 60
  --dump FILE          restores this dump; default the committed one, which takes seconds
  --timezone ZONE      the company's time zone, by which Tryton dates what is booked; default Australia/Sydney
  --no-dump            creates and fills the database instead, which takes minutes
  --save-dump FILE     creates and fills a database, writes a dump of it to FILE, and ends
  --help               prints this text

Exit codes: 0 ended, 1 failed, 64 wrong usage.
Example: npm run tryton-sandbox -- --home /var/tmp/tryton --port 18010
`

const maxStyles = 9_999
/** A dump has no sessions. */
const deleteSessions = 'delete from ir_session; delete from web_user_session; delete from ir_cache'

interface Command extends Omit<SandboxSettings, 'home'> {
  readonly home: string | undefined
  readonly saveDump: string | undefined
}

function parseCommand(argv: readonly string[]): Command | undefined {
  const values = parseOptions(argv, {
    home: { type: 'string' },
    port: { type: 'string', default: '18000' },
    'postgres-port': { type: 'string', default: '15432' },
    styles: { type: 'string' },
    dump: { type: 'string' },
    timezone: { type: 'string' },
    'no-dump': { type: 'boolean', default: false },
    'save-dump': { type: 'string' },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  if (!timezone.optional().safeParse(values.timezone).success) {
    throw new UsageError(
      `--timezone must be a name of the IANA time zone database, such as Asia/Shanghai; it is "${values.timezone}".`,
    )
  }
  const isFilled = values['no-dump'] || values.styles !== undefined || values['save-dump'] !== undefined
  if (isFilled && values.dump !== undefined)
    throw new UsageError('--dump cannot be combined with --no-dump, --styles or --save-dump.')
  const standard = existsSync(committedDump) ? committedDump : undefined
  return {
    home: values.home === undefined ? undefined : resolve(values.home),
    port: parsePort('port', values.port),
    postgresPort: parsePort('postgres-port', values['postgres-port']),
    styles: parseNumber('styles', values.styles ?? '60', { min: 1, max: maxStyles }),
    dump: isFilled ? undefined : (values.dump ?? standard),
    timezone: values.timezone,
    saveDump: values['save-dump'],
    report: (line) => void process.stdout.write(`… ${line}\n`),
  }
}

function describeAccounts({ port }: SandboxSettings): string {
  const accounts = customers.map(
    ({ code, username }) => `customer ${code}: ${username} ${customerPassword} (shop ${shopName})`,
  )
  return [
    `Tryton at http://127.0.0.1:${port}, database ${databaseName}`,
    `warehouses: ${warehouses.map(({ code }) => code).join(', ')}`,
    `user of the connector: ${connectorUser.user} ${connectorUser.password}`,
    `administrator: ${admin.user} ${admin.password}`,
    ...accounts,
    'ready',
    '',
  ].join('\n')
}

async function run(command: Command): Promise<void> {
  const isTemporary = command.home === undefined
  const home = command.home ?? (await mkdtemp(join(tmpdir(), 'tryton-sandbox-')))
  const settings: SandboxSettings = { ...command, home }
  const ending = Promise.withResolvers<void>()
  process.once('SIGTERM', () => ending.resolve())
  process.once('SIGINT', () => ending.resolve())
  const sandbox = await startSandbox(settings).catch(async (error: unknown) => {
    if (isTemporary) await rm(home, { recursive: true, force: true })
    throw error
  })
  try {
    if (command.saveDump === undefined) {
      await bookHistory(settings)
      process.stdout.write(describeAccounts(settings))
      await Promise.race([ending.promise, sandbox.trytond.ended])
    } else {
      await sandbox.postgres.query(deleteSessions)
      await sandbox.postgres.save(resolve(command.saveDump))
      process.stdout.write(`wrote ${command.saveDump}\n`)
    }
  } finally {
    await sandbox.stop({ forget: isTemporary })
  }
}

await runCommand({
  usage,
  explained: [SandboxError],
  run: async (argv) => {
    const command = parseCommand(argv)
    if (!command) return 'usage'
    await run(command)
    return exitCodes.ended
  },
})
