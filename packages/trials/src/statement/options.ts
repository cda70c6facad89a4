import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOptions, parseOutputFile, UsageError } from '@trade-gateway/connector-kit/command-line'
import { z } from 'zod'
import type { Credentials } from '../client.ts'
import { maxDays } from './records.ts'

export const usage = `Reads the statements of a period through the public API and proves that they are consistent.

  npm run statement -- [--from YYYY-MM-DD] [--to YYYY-MM-DD] [options]

In each currency the opening balance and all amounts must sum to the closing balance. Every balance must be the
previous one plus the amount, also across pages. Every bill must be the sum of its transactions. Every completed
refund and every freight bill must be booked with its amount.

  --from DAY        first day, UTC; default: 29 days before the last
  --to DAY          last day, UTC; default: the ERP's current day. At most 366 days
  --base-url URL    the gateway; default: the sandbox's
  --client-id ID    a channel; its secret is read from TGW_CLIENT_SECRET
  --username NAME   or an OMS account; its password is read from TGW_PASSWORD
  --json FILE       writes the proof with all figures to a JSON file; amounts in minor units (9097 is 90.97 AUD)
  --help            prints this text

Missing options are read from sandbox.json in DATA_DIR (./data), which \`npm start\` writes. If the quota is exhausted,
the command waits for points.

Exit codes: 0 the statement is consistent, 1 it is not, or the proof failed, 64 wrong usage.
Example: npm run statement -- --from 2026-09-01 --to 2026-11-30 --json proof.json
`

/** The options of a proof. */
export interface StatementOptions {
  readonly days: { readonly from?: string; readonly to?: string }
  readonly base_url: string
  readonly credentials: Credentials
  readonly json: string | undefined
}

const dayMs = 24 * 60 * 60 * 1000
const sandbox = z.object({ base_url: z.string(), client_id: z.string(), client_secret: z.string() })

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  'base-url': { type: 'string' },
  'client-id': { type: 'string' },
  username: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Parses the arguments and the environment. Throws `UsageError`. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StatementOptions | 'usage' {
  const values = parseOptions(args, options)
  if (values.help) return 'usage'
  const { from, to } = values
  for (const [name, day] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (day !== undefined && !z.iso.date().safeParse(day).success)
      throw new UsageError(`${name} must be a day such as 2026-11-30, not "${day}".`)
  }
  if (from !== undefined && to !== undefined) {
    if (from > to) throw new UsageError(`--from ${from} is after --to ${to}.`)
    if (Date.parse(to) - Date.parse(from) >= maxDays * dayMs)
      throw new UsageError(`From ${from} to ${to} is longer than ${maxDays} days: choose a shorter period.`)
  }
  return {
    days: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    ...readGateway(values, env),
    json: parseOutputFile('json', values.json),
  }
}

type Values = ReturnType<typeof parseOptions<typeof options>>

/**
 * Reads the address and the credentials of the gateway. Secrets come from the environment or the sandbox's own file,
 * never from arguments.
 */
function readGateway(
  values: Values,
  env: NodeJS.ProcessEnv,
): Pick<StatementOptions, 'base_url' | 'credentials'> {
  const { 'base-url': given, 'client-id': client_id, username } = values
  if (client_id !== undefined && username !== undefined)
    throw new UsageError('Give a channel (--client-id) or an account (--username), not both.')
  if (given !== undefined && !(URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)))
    throw new UsageError(`--base-url must be an http or https URL, not "${given}".`)
  const base_url = given?.replace(/\/+$/, '')
  if (client_id !== undefined) {
    const client_secret = readSecret(env, 'TGW_CLIENT_SECRET', client_id)
    return { base_url: base_url ?? readSandbox(env).base_url, credentials: { client_id, client_secret } }
  }
  if (username !== undefined) {
    const password = readSecret(env, 'TGW_PASSWORD', username)
    return { base_url: base_url ?? readSandbox(env).base_url, credentials: { username, password } }
  }
  const { base_url: own, client_id: id, client_secret } = readSandbox(env)
  return { base_url: base_url ?? own, credentials: { client_id: id, client_secret } }
}

function readSecret(env: NodeJS.ProcessEnv, name: string, whose: string): string {
  const secret = env[name]
  if (!secret) throw new UsageError(`Set ${name} to the secret of ${whose}.`)
  return secret
}

function readSandbox(env: NodeJS.ProcessEnv): z.infer<typeof sandbox> {
  const file = join(env.DATA_DIR || './data', 'sandbox.json')
  try {
    return sandbox.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    const help =
      'Start the sandbox (npm start), set DATA_DIR, or give --base-url with --client-id or --username.'
    throw new UsageError(`${file} cannot be read. ${help}`, { cause })
  }
}
