import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Credentials } from '../client.ts'
import { mostDays } from './records.ts'

export const usage = `Fetches the statements of a period through the public API, and proves that they add up.

  npm run statement -- [--from YYYY-MM-DD] [--to YYYY-MM-DD] [options]

In each currency: the opening balance and all amounts make the closing balance; every balance follows from the one
before it, also from page to page; every bill is what its transactions come to; every completed refund and every
freight bill is booked with its amount.

  --from DAY        first day, UTC; default: 29 days before the last
  --to DAY          last day, UTC; default: the present one of the ERP. At most 366 days in all
  --base-url URL    the gateway; default: that of the sandbox
  --client-id ID    a channel; its secret is read from TGW_CLIENT_SECRET
  --username NAME   or an OMS account; its password is read from TGW_PASSWORD
  --json FILE       write the proof with all figures there, as JSON; amounts in minor units (9097 is 90.97 AUD)
  --help            this text

What is not given is read from sandbox.json in DATA_DIR (./data), which \`npm start\` writes. Waits for points where the
quota is used up.

Exit codes: 0 everything adds up, 1 it does not, or a failure, 64 called wrongly.
Example: npm run statement -- --from 2026-09-01 --to 2026-11-30 --json proof.json
`

/** What a proof is asked for. */
export interface Wanted {
  readonly days: { readonly from?: string; readonly to?: string }
  readonly base_url: string
  readonly credentials: Credentials
  readonly json: string | undefined
}

/** What the arguments are wrong in, as a sentence. */
export class Misused extends Error {
  override readonly name = 'Misused'
}

const dayMs = 24 * 60 * 60 * 1000
const sandbox = z.object({ base_url: z.string(), client_id: z.string(), client_secret: z.string() })

/** What arguments and environment ask for. Throws `Misused`. */
export function wantedBy(args: readonly string[], env: NodeJS.ProcessEnv): Wanted | 'help' {
  const values = parsed(args)
  if (values.help) return 'help'
  const { from, to } = values
  for (const [name, day] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (day !== undefined && !z.iso.date().safeParse(day).success)
      throw new Misused(`${name} is a day such as 2026-11-30, not "${day}".`)
  }
  if (from !== undefined && to !== undefined) {
    if (from > to) throw new Misused(`--from ${from} is after --to ${to}.`)
    if (Date.parse(to) - Date.parse(from) >= mostDays * dayMs)
      throw new Misused(`From ${from} to ${to} is longer than ${mostDays} days: prove it in parts.`)
  }
  return {
    days: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    ...gatewayIn(values, env),
    json: values.json,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        'base-url': { type: 'string' },
        'client-id': { type: 'string' },
        username: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    if (error instanceof TypeError) throw new Misused(error.message, { cause: error })
    throw error
  }
}

type Values = ReturnType<typeof parsed>

/** Where the gateway is, and who asks it: secrets come from the environment or the sandbox's own file, never from arguments. */
function gatewayIn(values: Values, env: NodeJS.ProcessEnv): Pick<Wanted, 'base_url' | 'credentials'> {
  const { 'base-url': given, 'client-id': client_id, username } = values
  if (client_id !== undefined && username !== undefined)
    throw new Misused('Name a channel (--client-id) or an account (--username), not both.')
  if (given !== undefined && !(URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)))
    throw new Misused(`--base-url is a URL with http or https, not "${given}".`)
  const base_url = given?.replace(/\/+$/, '')
  if (client_id !== undefined) {
    const client_secret = secretIn(env, 'TGW_CLIENT_SECRET', client_id)
    return { base_url: base_url ?? sandboxIn(env).base_url, credentials: { client_id, client_secret } }
  }
  if (username !== undefined) {
    const password = secretIn(env, 'TGW_PASSWORD', username)
    return { base_url: base_url ?? sandboxIn(env).base_url, credentials: { username, password } }
  }
  const { base_url: own, client_id: id, client_secret } = sandboxIn(env)
  return { base_url: base_url ?? own, credentials: { client_id: id, client_secret } }
}

function secretIn(env: NodeJS.ProcessEnv, name: string, whose: string): string {
  const secret = env[name]
  if (!secret) throw new Misused(`Set ${name} to the secret of ${whose}.`)
  return secret
}

function sandboxIn(env: NodeJS.ProcessEnv): z.infer<typeof sandbox> {
  const file = join(env.DATA_DIR || './data', 'sandbox.json')
  try {
    return sandbox.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    const help =
      'Start the sandbox (npm start), set DATA_DIR, or give --base-url with --client-id or --username.'
    throw new Misused(`${file} cannot be read. ${help}`, { cause })
  }
}
