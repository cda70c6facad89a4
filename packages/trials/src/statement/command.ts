import { writeFile } from 'node:fs/promises'
import { UsageError } from '@trade-gateway/connector-kit/command-line'
import { signIn } from '../client.ts'
import { readOptions, usage } from './options.ts'
import { proveStatement } from './proof.ts'
import { readRecords } from './records.ts'
import { formatSummary } from './summary.ts'

const exit = { right: 0, wrong: 1, usage: 64 } as const

async function main(args: readonly string[]): Promise<number> {
  const wanted = readOptions(args, process.env)
  if (wanted === 'help') {
    process.stdout.write(usage)
    return exit.right
  }
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new Error('Stopped before the end.')))
  const client = signIn(wanted.base_url, wanted.credentials, stop.signal)
  const proof = proveStatement(await readRecords((path) => client.get(path), wanted.days))
  const holds = proof.differences.length === 0
  if (wanted.json !== undefined)
    await writeFile(
      wanted.json,
      `${JSON.stringify({ holds, base_url: wanted.base_url, ...proof }, null, 2)}\n`,
    )
  process.stdout.write(formatSummary(proof))
  return holds ? exit.right : exit.wrong
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isMisuse = error instanceof UsageError
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(isMisuse ? `${message}\nTry: npm run statement -- --help\n` : `${message}\n`)
    process.exitCode = isMisuse ? exit.usage : exit.wrong
  },
)
