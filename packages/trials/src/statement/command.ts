import { exitCodes, runCommand, writeOutputFile } from '@trade-gateway/connector-kit/command-line'
import { signIn } from '../client.ts'
import { abortOnSignals, explainedFailures } from '../trial-command.ts'
import { readOptions, usage } from './options.ts'
import { proveStatement } from './proof.ts'
import { readRecords } from './records.ts'
import { formatSummary } from './summary.ts'

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const wanted = readOptions(args, process.env)
  if (wanted === 'usage') return 'usage'
  const client = signIn(wanted.base_url, wanted.credentials, abortOnSignals())
  const proof = proveStatement(await readRecords((path) => client.get(path), wanted.days))
  const holds = proof.differences.length === 0
  if (wanted.json !== undefined)
    writeOutputFile(
      wanted.json,
      `${JSON.stringify({ holds, base_url: wanted.base_url, ...proof }, null, 2)}\n`,
    )
  process.stdout.write(formatSummary(proof))
  return holds ? exitCodes.ended : exitCodes.failed
}

await runCommand({
  usage,
  advice: 'Try: npm run statement -- --help\n',
  run,
  explained: explainedFailures,
})
