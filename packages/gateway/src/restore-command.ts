/** `npm run restore`: restores a backup of `npm run backup`, and compares the database with the backup's proof. */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeProof, exit, explainFailure, readCommandConfig, UsageError } from './backup/command.ts'
import { restore } from './backup/restore.ts'

const usage = `Usage: npm run restore -- [options] FILE

Restores the backup FILE, with FILE.json beside it. Stop the gateway before. An embedded database takes the place of the
present one, which is kept beside it; a PostgreSQL database is restored into an empty one, which DATABASE_URL names.
SECRETS_KEY must be the key of the backup. The first start after that has clients read all stock again, ends all tokens,
and looks up at the ERP the orders that are newer than the backup.

  --help   prints this text

Exit codes: 0 the database is restored, 1 it is not, 64 wrong usage, 75 the gateway runs, 78 invalid configuration.
`

async function main(): Promise<number> {
  process.umask(0o077)
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(usage)
    return exit.ok
  }
  const [file] = positionals
  if (file === undefined || positionals.length > 1) throw new UsageError('Name one file.')
  const { config, environment } = readCommandConfig(process.env, process.cwd())
  const proof = await restore({ config, file: resolve(file), environment })
  process.stdout.write(`The database is restored and equals the backup. ${describeProof(proof)}\n`)
  return exit.ok
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { message, code } = explainFailure(error, usage)
    process.stderr.write(`${message}\n`)
    process.exit(code)
  },
)
