#!/usr/bin/env node
/** `npm run conformance`: runs the conformance suite against an ERP at a URL. */
import { parseArgs } from 'node:util'
import { erpClient } from './client.ts'
import { type ConformanceOptions, conformance, type Report, type Result } from './conformance.ts'
import { type Erp, UnknownOutcome, withTimeout } from './erp.ts'

const usage = `Usage: npm run conformance -- <url> [options]

Checks that the connector at <url> keeps the rules. Takes about a minute. Only reads, unless --warehouse and --sku
are given.

  --customer CODE   a customer of the ERP, whose addresses, catalogue and statements are checked
  --username NAME   an account that can sign in; its password is read from UPSTREAM_PASSWORD
  --warehouse CODE  with --sku: creates holds and orders of at most 7 units of the SKU in this warehouse for the
  --sku SKU         account, and cancels them. 50 units must be available. Use a test ERP
  --other-customer CODE
                    a customer of the ERP to which the account does not belong; orders for it must be refused
  --help            prints this text

The bearer token is read from UPSTREAM_TOKEN. The suite signs in once with a wrong password and three times with the
right one. It watches for stock changes for 5 seconds: run it while stock changes.

Exit codes: 0 all passed, 1 a check failed, 64 wrong usage.
Example: UPSTREAM_TOKEN=secret npm run conformance -- http://127.0.0.1:18080 --customer CUST-HARBOUR
`

const usageError = 64
const watchMs = 5_000
const firstCallMs = 10_000
/** A check that took at least this long is printed with its duration. */
const shownFromMs = 1_000

/** The error for a command line that is not valid. Its message says why. */
class UsageError extends Error {}

interface Command {
  readonly url: string
  readonly token: string
  readonly options: ConformanceOptions
}

function parseCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Command | undefined {
  const { values, positionals } = parseArguments(argv)
  if (values.help) return undefined
  const [url, ...rest] = positionals
  if (url === undefined || rest.length > 0) throw new UsageError('Give exactly one URL.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${url} is not an http or https URL.`)
  const { UPSTREAM_TOKEN: token, UPSTREAM_PASSWORD: password } = env
  if (!token) throw new UsageError('Set UPSTREAM_TOKEN to the token that the ERP expects.')
  const { customer, username, warehouse, sku, 'other-customer': otherCustomer } = values
  if (username !== undefined && !password)
    throw new UsageError(`Set UPSTREAM_PASSWORD to the password of ${username}.`)
  if ((warehouse === undefined) !== (sku === undefined) || (sku !== undefined && username === undefined))
    throw new UsageError('Orders require --warehouse, --sku and --username.')
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
      ...(otherCustomer === undefined ? {} : { other_customer_code: otherCustomer }),
    },
  }
}

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        customer: { type: 'string' },
        username: { type: 'string' },
        warehouse: { type: 'string' },
        sku: { type: 'string' },
        'other-customer': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

/**
 * Calls the ERP once before the suite, so that an unreachable ERP is reported once instead of by every check. Returns
 * why it is unreachable; undefined if it responds.
 */
async function explainUnreachable(erp: Erp): Promise<string | undefined> {
  try {
    await erp.describe({}, withTimeout(firstCallMs))
    return undefined
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error
    if (error.kind === 'malformed') return undefined
    return `${error.message} Check the URL, UPSTREAM_TOKEN, and that the ERP is running.`
  }
}

const outcomeWords = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

/**
 * Formats a result as one line, with the duration of a slow check. Control characters are removed, because text from the
 * ERP could contain terminal escapes.
 */
function formatResult({ id, outcome, states, message, took_ms }: Result): string {
  const text = (message ?? states).replaceAll(/\p{Cc}+/gu, ' ')
  const duration = took_ms < shownFromMs ? '' : ` (${(took_ms / 1_000).toFixed(1)} s)`
  return `${outcomeWords[outcome].padEnd(7)}  ${id}: ${text}${duration}\n`
}

function print(text: string) {
  process.stdout.write(text)
}

/** Runs the suite and prints each result. Returns true if no check failed. */
async function runSuite({ url, token, options }: Command): Promise<boolean> {
  const client = erpClient(url, token)
  const isTerminal = process.stdout.isTTY === true
  const clearLine = isTerminal ? '\r\u001b[2K' : ''
  try {
    const reason = await explainUnreachable(client.erp)
    if (reason !== undefined) {
      const states = 'The ERP can be reached.'
      print(formatResult({ id: 'connect', states, outcome: 'failed', message: reason, took_ms: 0 }))
      printSummary({ passed: 0, failed: 1, skipped: 0 })
      return false
    }
    const report = await conformance(client.erp, {
      ...options,
      onStart: ({ id }) => isTerminal && print(`…        ${id}`),
      onResult: (result) => print(clearLine + formatResult(result)),
    })
    printSummary(report)
    return report.failed === 0
  } finally {
    await client.close()
  }
}

function printSummary({ passed, failed, skipped }: Omit<Report, 'results'>) {
  print(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2), process.env)
  if (command) return (await runSuite(command)) ? 0 : 1
  print(usage)
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
