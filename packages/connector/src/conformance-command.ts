/** `npm run conformance`: the suite against an ERP at a URL. */
import { parseArgs } from 'node:util'
import { erpClient } from './client.ts'
import { type ConformanceOptions, conformance, type Report, type Result } from './conformance.ts'
import { type Erp, UnknownOutcome, within } from './erp.ts'

const usage = `Usage: npm run conformance -- <url> [options]

Checks that the ERP served at <url> keeps the rules of the connector; takes about a minute at most. Only reads,
unless --warehouse and --sku are given.

  --customer CODE   a customer that the ERP knows, to look at its addresses and what it may order
  --username NAME   an account that may sign in; its password is read from UPSTREAM_PASSWORD
  --warehouse CODE  with --sku: the account makes holds and orders of at most 7 of the SKU in this warehouse and
  --sku SKU         takes them back; 50 must be available. A test ERP is the place for that
  --help            this text

The bearer token is read from UPSTREAM_TOKEN. Sign-in is tried once with a wrong password and three times with
the right one. Changes of stock are waited for, 5 seconds; run it while the ERP is at work.

Exit codes: 0 all passed, 1 something failed, 64 wrong usage.
Example: UPSTREAM_TOKEN=secret npm run conformance -- http://127.0.0.1:18080 --customer CUST-HARBOUR
`

const usageError = 64
const watchMs = 5_000
const firstAnswerMs = 10_000

/** What was asked for cannot be understood. */
class WrongUsage extends Error {}

interface Asked {
  readonly url: string
  readonly token: string
  readonly options: ConformanceOptions
}

function askedFor(argv: readonly string[], env: NodeJS.ProcessEnv): Asked | undefined {
  const { values, positionals } = argumentsOf(argv)
  if (values.help) return undefined
  const [url, ...rest] = positionals
  if (url === undefined || rest.length > 0) throw new WrongUsage('Name one URL.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new WrongUsage(`${url} is not a URL with http or https.`)
  const { UPSTREAM_TOKEN: token, UPSTREAM_PASSWORD: password } = env
  if (!token) throw new WrongUsage('Set UPSTREAM_TOKEN to the token that the ERP expects.')
  const { customer, username, warehouse, sku } = values
  if (username !== undefined && !password)
    throw new WrongUsage(`Set UPSTREAM_PASSWORD to the password of ${username}.`)
  if ((warehouse === undefined) !== (sku === undefined) || (sku !== undefined && username === undefined))
    throw new WrongUsage('Orders need --warehouse, --sku and --username.')
  return {
    url,
    token,
    options: {
      http: { url, token },
      watch_ms: watchMs,
      ...(customer === undefined ? {} : { customer_code: customer }),
      ...(username === undefined || !password ? {} : { credentials: { username, password } }),
      ...(warehouse === undefined || sku === undefined
        ? {}
        : { ordering: { warehouse_code: warehouse, sku } }),
    },
  }
}

function argumentsOf(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        customer: { type: 'string' },
        username: { type: 'string' },
        warehouse: { type: 'string' },
        sku: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Says why an ERP cannot be looked at, before every check says it anew. */
async function whyNot(erp: Erp): Promise<string | undefined> {
  try {
    await erp.describe({}, within(firstAnswerMs))
    return undefined
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error
    if (error.kind === 'malformed') return undefined
    return `${error.message} Check the URL, UPSTREAM_TOKEN, and that the ERP is running.`
  }
}

const words = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

/** One line for a result; what an ERP sent may hold anything, also what a terminal would obey. */
function lineOf({ id, outcome, states, message }: Result): string {
  const said = (message ?? states).replaceAll(/\p{Cc}+/gu, ' ')
  return `${words[outcome].padEnd(7)}  ${id}: ${said}\n`
}

function tell(text: string) {
  process.stdout.write(text)
}

async function look({ url, token, options }: Asked): Promise<boolean> {
  const client = erpClient(url, token)
  const isTerminal = process.stdout.isTTY === true
  const clearLine = isTerminal ? '\r\u001b[2K' : ''
  try {
    const reason = await whyNot(client.erp)
    if (reason !== undefined) {
      const states = 'The ERP can be reached.'
      tell(lineOf({ id: 'connect', states, outcome: 'failed', message: reason }))
      return close({ passed: 0, failed: 1, skipped: 0 })
    }
    const report = await conformance(client.erp, {
      ...options,
      onStart: ({ id }) => isTerminal && tell(`…        ${id}`),
      onResult: (result) => tell(clearLine + lineOf(result)),
    })
    return close(report)
  } finally {
    await client.close()
  }
}

function close({ passed, failed, skipped }: Omit<Report, 'results'>): boolean {
  tell(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  return failed === 0
}

async function main(): Promise<number> {
  const asked = askedFor(process.argv.slice(2), process.env)
  if (asked) return (await look(asked)) ? 0 : 1
  tell(usage)
  return 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isUsage = error instanceof WrongUsage
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`)
    process.exitCode = isUsage ? usageError : 1
  },
)
