#!/usr/bin/env node
/** `npm create trade-gateway-channel`: writes the project of a channel. */
import { parseArgs } from 'node:util'
import { CannotWrite, writeProject } from './write-project.ts'

const usage = `Usage: npm create trade-gateway-channel -- <directory> [--packages FOLDER]

Writes the project of a channel in TypeScript: a receiver of webhooks, a copy of the stock, a first order, and tests.
The tests start a sandbox of their own, and need no network.

  --packages FOLDER  installs the tarballs of a folder that \`npm run pack\` wrote, instead of the published versions
  --help             prints this text

Exit codes: 0 written, 1 the directory is not empty or cannot be written, 64 wrong usage.
`

const exit = { written: 0, failed: 1, usage: 64 } as const

/** The error for a command line that is not valid. Its message says why. */
class UsageError extends Error {}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { packages: { type: 'string' }, help: { type: 'boolean', default: false } },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args)
  if (values.help) {
    process.stdout.write(usage)
    return exit.written
  }
  const [directory, ...rest] = positionals
  if (directory === undefined || rest.length > 0) throw new UsageError('Give exactly one directory.')
  await writeProject(directory, values.packages)
  process.stdout.write(`${directory} has a channel. It requires Node 24.12 or newer. Next:

  cd ${directory}
  npm install
  npm test

README.md says which file does what.
`)
  return exit.written
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${usage}`)
    else if (error instanceof CannotWrite) process.stderr.write(`${error.message}\n`)
    else throw error
    process.exitCode = error instanceof UsageError ? exit.usage : exit.failed
  },
)
