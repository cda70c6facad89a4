import { exitCodes, runCommand, UsageError } from '@trade-gateway/connector-kit/command-line'
import { HistoryError } from '../history/history.ts'
import { readHistory } from '../history/read-history.ts'
import { checkHistory, formatVerdict } from './check.ts'

const usage = `Judges the history of a run: what clients sent and got, the ERP's books and the inboxes of receivers.

  npm run check-history -- FILE

  FILE    JSON lines, as npm run kills and npm run replay write them with --history FILE
  --help  prints this text

Exit codes: 0 the history holds, 1 it does not, 64 wrong usage, or the file is cut or no history.
`

async function run(args: readonly string[]): Promise<number | 'usage'> {
  if (args.includes('--help') || args.includes('-h')) return 'usage'
  const [path, ...more] = args
  if (path === undefined || more.length > 0) throw new UsageError('Give one file.')
  if (path.startsWith('-')) throw new UsageError(`There is no option ${path}.`)
  try {
    const verdict = checkHistory(await readHistory(path))
    process.stdout.write(formatVerdict(verdict))
    return verdict.violations.length === 0 ? exitCodes.ended : exitCodes.failed
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    process.stderr.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

await runCommand({ usage, run })
