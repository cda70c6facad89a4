import { exitCodes, parseArguments, runCommand, UsageError } from '@trade-gateway/connector-kit/command-line'
import type { HistoryEntry } from '../history/entry.ts'
import { HistoryError } from '../history/history.ts'
import { readHistory } from '../history/read-history.ts'
import { checkHistory, formatVerdict, type HistoryVerdict } from './check.ts'

const usage = `Judges the history of a run: what clients sent and got, the ERP's books and the inboxes of receivers.

  npm run check-history -- FILE

  FILE    JSON lines, as npm run kills, soak, replay and simulate write them with --history FILE
  --help  prints this text

npm run simulate judges more than a history has: copies of the stock, writes that are still open, and what clients
complained of. The history of a seed that breaks a promise may therefore hold here.

Exit codes: 0 the history holds, 1 it does not, 64 wrong usage, or the file is cut or no history.
`

async function run(args: readonly string[]): Promise<number | 'usage'> {
  const { values, positionals } = parseArguments(args, { help: { type: 'boolean', short: 'h' } })
  if (values.help) return 'usage'
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('Give one file.')
  if (path === '') throw new UsageError('The file must have a name, not "".')
  try {
    const verdict = judge(path, await readHistory(path))
    process.stdout.write(formatVerdict(verdict))
    return verdict.violations.length === 0 ? exitCodes.ended : exitCodes.failed
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    process.stderr.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

/** Judges the entries of a file. Throws `HistoryError`. */
function judge(path: string, entries: readonly HistoryEntry[]): HistoryVerdict {
  // The last line says only that the history is whole.
  if (entries.length === 1) throw new HistoryError(`${path} has no operations, so nothing can be judged.`)
  try {
    return checkHistory(entries)
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error
    throw new HistoryError(`${path} cannot be judged. ${error.message}`, { cause: error })
  }
}

await runCommand({ usage, run })
