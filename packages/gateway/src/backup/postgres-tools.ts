/** Runs PostgreSQL's own programs. The password never becomes an argument, which every user of the machine could read. */

import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type PostgresParts, readPostgresUrl } from '../store/postgres-url.ts'
import { BackupFailed } from './files.ts'

const compression = 6
const maxErrorCharacters = 2_000

/** The database, and the environment of the command, in which the programs are found. */
export interface PostgresTarget {
  readonly url: string
  readonly environment: NodeJS.ProcessEnv
}

/** Writes everything that a snapshot shows to a file: SQL, compressed with gzip. */
export async function dump(target: PostgresTarget, snapshot: string, file: string): Promise<void> {
  const args = [`--snapshot=${snapshot}`, '--format=plain', `--compress=${compression}`, `--file=${file}`]
  await run(target, 'pg_dump', [...args, '--no-owner', '--no-privileges']).ended
}

/** Loads such a file into an empty database, in one transaction. */
export async function load(target: PostgresTarget, file: string): Promise<void> {
  const args = [
    '--no-psqlrc',
    '--quiet',
    '--set=ON_ERROR_STOP=1',
    '--single-transaction',
    '--output=/dev/null',
  ]
  const { stdin, ended } = run(target, 'psql', args)
  // If psql ends early, its own message says why, and not that its input broke.
  const sent = pipeline(createReadStream(file), createGunzip(), stdin).catch((error: unknown) => error)
  await ended
  const failure = await sent
  if (failure) throw failure
}

function run({ url, environment }: PostgresTarget, program: string, args: readonly string[]) {
  const parts = readPostgresUrl(url)
  const child = spawn(program, [...args, `--dbname=${writeAddress(url, parts)}`], {
    env: { ...environment, ...(parts.password ? { PGPASSWORD: parts.password } : {}) },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-maxErrorCharacters)
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', () =>
      reject(new BackupFailed(`${program} could not be started. Install the client programs of PostgreSQL.`)),
    )
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new BackupFailed(`${program} ended with ${code}: ${errors.trim()}`)),
    )
  })
  return { stdin: child.stdin, ended }
}

/** Writes the URL anew, without the password: PostgreSQL's programs read fewer spellings than the gateway's driver. */
function writeAddress(url: string, { user, host, port, database }: PostgresParts): string {
  const { password: _secret, ...given } = Object.fromEntries(new URL(url).searchParams)
  const parameters = Object.entries({ ...given, user, host, port: String(port), dbname: database })
  const written = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return `postgresql:///?${written.join('&')}`
}
