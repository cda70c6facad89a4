/** Creates PostgreSQL databases for one trial, and copies and restores them as an operator would. */

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { readTestDatabaseUrl } from '../harness.ts'

export interface Database {
  readonly url: string
  /** Copies this database in its current state. Nobody may be connected to it. */
  copy(): Promise<Database>
  /** Replaces this database with a copy. Nobody may be connected to either. */
  putBack(copy: Database): Promise<void>
  drop(): Promise<void>
}

export async function createFreshDatabase(): Promise<Database> {
  return createDatabase('')
}

async function createDatabase(options: string): Promise<Database> {
  const name = `tg_faults_${randomBytes(6).toString('hex')}`
  await runOnServer(`create database ${name}${options}`)
  const url = new URL(readServerUrl())
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    copy: () => createDatabase(` template ${name}`),
    async putBack(copy) {
      await runOnServer(`drop database ${name}`)
      await runOnServer(`create database ${name} template ${new URL(copy.url).pathname.slice(1)}`)
    },
    drop: () => runOnServer(`drop database if exists ${name} with (force)`),
  }
}

/** Runs a statement on the server itself, not in one of these databases. */
export async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: readServerUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function readServerUrl(): string {
  const url = readTestDatabaseUrl()
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set.')
  return url
}
