#!/usr/bin/env node
/** `npm create trade-gateway-connector`: writes the project of a connector. */
import { parseArgs } from 'node:util'
import { CannotWrite, isTemplate, templates, writeProject } from './write-project.ts'

const usage = `Usage: npm create trade-gateway-connector -- <directory> [--template typescript|python]
In a checkout of the gateway: npm run -s create-connector -- <directory> [--template typescript|python]

Writes the project of a connector, the HTTP server between Trade Gateway and an ERP. It serves four SKUs that are
written in a file, refuses orders and statements with not_supported, and passes the conformance suite. You replace one
subject after the other by calls to your ERP.

  --template NAME   typescript (the default; Node 24.12 or newer) or python (3.11 or newer, standard library only)
  --connector FILE  a tarball of @trade-gateway/connector that the project installs, instead of the published version
  --help            prints this text

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
      options: {
        template: { type: 'string', default: 'typescript' },
        connector: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
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
  const { template, connector } = values
  if (!isTemplate(template))
    throw new UsageError(`There is no template "${template}". Templates: ${templates.join(', ')}.`)
  await writeProject({ directory, template, connectorTarball: connector })
  process.stdout.write(describeNextSteps(directory, template))
  return exit.written
}

function describeNextSteps(directory: string, template: (typeof templates)[number]): string {
  const steps = {
    typescript: ['npm install', 'npm test', 'UPSTREAM_TOKEN=a-token-of-your-own npm start'],
    python: ['python3 -m unittest', 'UPSTREAM_TOKEN=a-token-of-your-own python3 -m connector'],
  }[template]
  const commands = [`cd ${directory}`, ...steps].map((command) => `  ${command}\n`).join('')
  return `${directory} has a connector that serves an example. Next:\n\n${commands}
README.md says which file holds which operation.\n`
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
