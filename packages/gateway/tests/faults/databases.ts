import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { testDatabaseUrl } from '../harness.ts'

/** PostgreSQL databases of one trial alone, by their URLs, and what an operator does with them. */
export interface Database {
  readonly url: string
  /** A database with this one's rows as they are now; nobody may be connected to this one. */
  copy(): Promise<Database>
  /** Becomes what a copy is; nobody may be connected to either. */
  putBack(copy: Database): Promise<void>
  drop(): Promise<void>
}

export async function freshDatabase(): Promise<Database> {
  return created('')
}

async function created(options: string): Promise<Database> {
  const name = `tg_faults_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name}${options}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    copy: () => created(` template ${name}`),
    async putBack(copy) {
      await onServer(`drop database ${name}`)
      await onServer(`create database ${name} template ${new URL(copy.url).pathname.slice(1)}`)
    },
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = testDatabaseUrl()
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set.')
  return url
}
