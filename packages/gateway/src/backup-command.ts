/** `npm run backup`: makes a backup of the gateway's database while the gateway runs, and a proof of its contents. */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp } from './backup/back-up.ts'
import { describeProof, exit, explainFailure, readCommandConfig, UsageError } from './backup/command.ts'

const usage = `Usage: npm run backup -- [options] FILE

Makes a backup of the gateway's database in FILE, and FILE.json with its checksums and counts. The settings are those of
the gateway: run the command in its directory, as its user. The gateway goes on serving. It is asked for the copy of an
embedded database, with ADMIN_TOKEN; a PostgreSQL database is read with pg_dump. SECRETS_KEY is not in the backup: keep
it apart.

  --url URL   asks the gateway at this address, if it is not the one of the settings
  --help      prints this text

Exit codes: 0 the backup is complete, 1 it failed, 64 wrong usage, 75 not possible at the moment, 78 invalid
configuration.
`

async function main(): Promise<number> {
  // A backup is readable only by its owner.
  process.umask(0o077)
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(usage)
    return exit.ok
  }
  const [file] = positionals
  if (file === undefined || positionals.length > 1) throw new UsageError('Name one file.')
  const { config, environment } = readCommandConfig(process.env, process.cwd())
  const proof = await backUp({ config, file: resolve(file), environment, url: values.url })
  process.stdout.write(`The backup is complete. ${describeProof(proof)}\n`)
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
