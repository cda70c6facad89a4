import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { sandboxCustomers } from './erp.ts'
import { serve } from './serve.ts'

const usage = `Usage: npm run sandbox-erp -- [options]

Runs the sandbox ERP alone, for a gateway elsewhere or for testing a connector.

  --port N          port; default 18080, 0 takes any free port
  --host ADDRESS    address to listen on; default 127.0.0.1, and 0.0.0.0 inside a container
  --database FILE   the database file; by default the state is in memory
  --catalogue FILE  a catalogue file (CSV) instead of the built-in catalogue
  --seed N          seed of the built-in catalogue; default 1
  --movements FILE  stock movements to apply before the ERP accepts calls (CSV: warehouse_code, sku, quantity,
                    and optionally price_wholesale, price_retail, withdrawn)
  --activity N      simulated stock changes per minute; default 60, 0 disables them
  --help            prints this text

The bearer token for callers is read from UPSTREAM_TOKEN, or from the file that UPSTREAM_TOKEN_FILE names. Without
either, a token is generated and printed.
Example: UPSTREAM_TOKEN=secret npm run sandbox-erp -- --port 18080
`

const usageError = 64

function parseWholeNumber(flag: string, text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= max))
    throw new TypeError(`--${flag} must be a whole number from 0 to ${max}, not "${text}".`)
  return value
}

function parseSettings(argv: string[]) {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string', default: '18080' },
      host: { type: 'string', default: '127.0.0.1' },
      database: { type: 'string', default: ':memory:' },
      catalogue: { type: 'string' },
      seed: { type: 'string', default: '1' },
      movements: { type: 'string' },
      activity: { type: 'string', default: '60' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    port: parseWholeNumber('port', values.port, 65_535),
    host: values.host,
    database: values.database,
    ...(values.catalogue === undefined ? {} : { catalogue: values.catalogue }),
    ...(values.movements === undefined ? {} : { movements: values.movements }),
    seed: parseWholeNumber('seed', values.seed, 2 ** 31),
    activity: parseWholeNumber('activity', values.activity, 60_000),
  }
}

/** Reads the bearer token from the environment or from a file, as a container's secret is one. */
function readToken({ UPSTREAM_TOKEN: token, UPSTREAM_TOKEN_FILE: file }: NodeJS.ProcessEnv) {
  if (token) return token
  return file ? readFileSync(file, 'utf8').trim() : undefined
}

async function main() {
  const settings = parseSettings(process.argv.slice(2))
  if (!settings) return void process.stdout.write(usage)
  const given = readToken(process.env)
  const token = given ?? randomBytes(24).toString('base64url')
  const accounts = sandboxCustomers.map(({ customer_code, name }, index) => ({
    account_id: `acc-${index + 1}`,
    username: `buyer${index + 1}@sandbox.example`,
    password: randomBytes(12).toString('base64url'),
    name,
    customer_code,
  }))
  const running = await serve({ ...settings, token, accounts })
  for (const { line, sku, reason } of running.left_out)
    process.stderr.write(`left out: line ${line} (${sku}): ${reason}\n`)
  if (running.moved) {
    for (const { line, sku, reason } of running.moved.left_out)
      process.stderr.write(`movement left out: line ${line} (${sku}): ${reason}\n`)
    process.stdout.write(`${running.moved.applied} movements applied\n`)
  }
  process.stdout.write(`Sandbox ERP at ${running.url}\n`)
  if (given === undefined) process.stdout.write(`UPSTREAM_TOKEN=${token}\n`)
  for (const { username, password, customer_code } of accounts) {
    process.stdout.write(`account of ${customer_code}: ${username} ${password}\n`)
  }
  const stop = () => running.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${message}\n`)
  process.exit(error instanceof TypeError ? usageError : 1)
})
