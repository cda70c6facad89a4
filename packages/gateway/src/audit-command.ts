/**
 * `npm run audit`: verifies the audit log. It reads the database itself and changes nothing in it. The embedded database
 * belongs to the running gateway alone, so that then the gateway is asked, with `ADMIN_TOKEN`.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Link, NotedHead } from './audit/chain.ts'
import { readNotedHeads } from './audit/head.ts'
import { type AuditProblem, auditProblemKinds, verifyAudit } from './audit/verify.ts'
import { type Config, ConfigError, defaultDataDir, readConfig } from './config.ts'
import { formatInstant, systemClock } from './kernel/clock.ts'
import { jsonLog } from './kernel/log.ts'
import { databaseFile } from './start/data-dir.ts'
import { askAsOperator, findOwnUrl, NotConfigured, tryLockDataDir } from './start/running-gateway.ts'
import { readKeptSettings, readSettings } from './start/settings.ts'
import { readInstallation } from './store/installation.ts'
import { openPostgres } from './store/postgres.ts'
import { openSqlite } from './store/sqlite.ts'
import { type Store, StoreUnusable } from './store/store.ts'

const usage = `Usage: npm run audit -- verify [options]

Verifies that no row of the audit log was changed, removed, inserted or cut off at the end. The settings are those of
the gateway: run the command in its directory, as its user. If a running gateway has the embedded database, the command
asks that gateway, with ADMIN_TOKEN.

  --noted NUMBER:MAC   an end of the log that you kept elsewhere: rows and subject of the log line
                       "the audit log ends here"
  --url URL            asks the gateway at this address instead of opening the database
  --help               prints this text

Exit codes: 0 the log is intact, 1 it is not, 64 wrong usage, 75 it cannot be verified at the moment, 78 invalid
configuration.
`

const exit = { ok: 0, broken: 1, usage: 64, unavailable: 75, configuration: 78 } as const
/** The largest number of rows between two lines of progress. */
const progressRows = 100_000
const maxParts = 1_000_000
const requestTimeoutMs = 60_000
const verificationPath = '/admin/api/audit/verification'

/** Wrong usage; the message says what is wrong. */
class UsageError extends Error {}

interface Options {
  readonly noted: Link | undefined
  readonly url: string | undefined
}

/** The result of the whole verification. */
interface Result {
  readonly rows: number
  readonly first_problem: AuditProblem | null
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(usage)
    return exit.ok
  }
  const given = readSettings(process.env, process.cwd())
  const dataDir = given.DATA_DIR || defaultDataDir
  const config = readConfig({ ...readKeptSettings(dataDir), ...given })
  const { rows, first_problem: problem } = await verify(config, options)
  process.stdout.write(
    problem
      ? `The audit log is not intact. ${describeProblem(problem)}\n`
      : `The audit log is intact: ${rows} rows.\n`,
  )
  return problem ? exit.broken : exit.ok
}

/** Parses the arguments; undefined asks for help. Throws `UsageError`. */
function parseOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      noted: { type: 'string' },
      url: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  if (positionals.join(' ') !== 'verify') throw new UsageError('The only command is verify.')
  const { url } = values
  if (url !== undefined && !/^https?:\/\//.test(url)) throw new UsageError(`--url ${url} is not a URL.`)
  return { noted: values.noted === undefined ? undefined : parseNoted(values.noted), url }
}

function parseNoted(text: string): Link {
  const [, number, mac] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? []
  if (number === undefined || mac === undefined)
    throw new UsageError(`--noted ${text} is not a number, a colon and the 43 characters of the log line.`)
  return { number: Number(number), mac }
}

async function verify(config: Config, options: Options): Promise<Result> {
  if (options.url !== undefined) return askGateway(config, options.url, options.noted)
  if (config.databaseUrl !== undefined) {
    const store = await openPostgres(config.databaseUrl, jsonLog('silent'))
    return verifyStore(config, store, options.noted)
  }
  const path = join(config.dataDir, databaseFile)
  if (!existsSync(path))
    throw new NotConfigured(`There is no database ${path}. Set DATA_DIR or DATABASE_URL.`)
  const unlock = tryLockDataDir(config.dataDir)
  if (!unlock) return askGateway(config, findOwnUrl(config), options.noted)
  try {
    return await verifyStore(config, openSqlite(path), options.noted)
  } finally {
    unlock()
  }
}

async function verifyStore(config: Config, store: Store, noted: Link | undefined): Promise<Result> {
  try {
    const { secrets } = await readInstallation(store.db, config.secretsKeys)
    const heads = [...readNotedHeads(config.dataDir), ...toHeads(noted)]
    const report = createProgress()
    const part = { noted: heads, maxRows: Number.MAX_SAFE_INTEGER, onProgress: report }
    return await verifyAudit({ store, secrets }, part)
  } finally {
    await store.close()
  }
}

function toHeads(noted: Link | undefined): NotedHead[] {
  return noted ? [{ ...noted, at: formatInstant(systemClock.now()) }] : []
}

const verificationPart = z.object({
  data: z.object({
    rows: z.number(),
    first_problem: z
      .object({
        kind: z.enum(auditProblemKinds),
        number: z.number().nullable(),
        audit_id: z.string().nullable(),
        at: z.string().nullable(),
      })
      .nullable(),
    next_cursor: z.string().nullable(),
  }),
})

/** Asks a running gateway, part by part. Throws if it does not respond with a result. */
async function askGateway(config: Config, url: string, noted: Link | undefined): Promise<Result> {
  const report = createProgress()
  let rows = 0
  let cursor: string | null = null
  for (let parts = 0; parts < maxParts; parts++) {
    const body = { ...(cursor === null ? {} : { cursor }), ...(noted ? { noted } : {}) }
    const request = { path: verificationPath, body, actor: 'npm run audit', timeoutMs: requestTimeoutMs }
    const { data } = verificationPart.parse(await askAsOperator(config, url, request))
    rows += data.rows
    report(rows)
    cursor = data.next_cursor
    if (data.first_problem || cursor === null) return { rows, first_problem: data.first_problem }
  }
  throw new Error(`The verification did not end after ${maxParts} parts.`)
}

/** Creates a function that tells people how many rows were verified, now and then. */
function createProgress(): (rows: number) => void {
  let told = 0
  return (rows) => {
    if (rows < told + progressRows) return
    told = rows
    process.stderr.write(`${rows} rows verified\n`)
  }
}

/** Describes the first bad row in words. */
function describeProblem({ kind, number, audit_id, at }: AuditProblem): string {
  const row = [number === null ? 'A row' : `Row ${number}`, audit_id && `(${audit_id}, ${at})`]
    .filter(Boolean)
    .join(' ')
  switch (kind) {
    case 'changed':
      return `${row} is not as the gateway wrote it, or not in its place.`
    case 'missing':
      return `${row} was removed.`
    case 'inserted':
      return `${row} was not written by a gateway.`
    case 'cut_off':
      return `${row} and all rows after it were removed at the end.`
    case 'replaced':
      return `${row} is not the row that was noted outside the database: the log was replaced by another or older one.`
    case 'beginning_changed':
      return 'The mark of the rows that were removed because of their age was changed.'
    case 'key_changed':
      return 'The key of the log in the table audit_chain was removed or changed, so that no row can be verified.'
  }
}

function explainError(error: unknown): { readonly message: string; readonly code: number } {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS'))
    return { message: `${message}\n\n${usage}`, code: exit.usage }
  if (error instanceof ConfigError)
    return {
      message: `The configuration is not valid:\n${error.problems.map((each) => `  - ${each}`).join('\n')}`,
      code: exit.configuration,
    }
  if (error instanceof NotConfigured) return { message, code: exit.configuration }
  if (error instanceof StoreUnusable && error.exitCode === exit.configuration)
    return { message, code: exit.configuration }
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return {
    message: `The audit log cannot be verified at the moment: ${message}${cause}`,
    code: exit.unavailable,
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { message, code } = explainError(error)
    process.stderr.write(`${message}\n`)
    process.exit(code)
  },
)
