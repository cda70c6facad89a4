import { randomBytes } from 'node:crypto'
import pg from 'pg'

const connectTimeoutMs = 10_000

/** A server that no connection reaches, or that refuses it. The message says what to do. */
export class DatabaseUnreachable extends Error {}

/** A PostgreSQL database that exists for one replay only. */
export interface TemporaryDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Creates a database on the server of `url`. Throws `DatabaseUnreachable`, and the errors of PostgreSQL. */
export async function createDatabase(url: string): Promise<TemporaryDatabase> {
  const name = `trade_gateway_replay_${randomBytes(6).toString('hex')}`
  await runOnServer(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  // `with (force)`, because connections of a killed gateway may still be open.
  return { url: own.href, drop: () => runOnServer(url, `drop database if exists ${name} with (force)`) }
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  await client.connect().catch((cause: unknown) => {
    throw new DatabaseUnreachable(describeUnreachable(url, cause), { cause })
  })
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function describeUnreachable(url: string, cause: unknown): string {
  // A name with several addresses fails with an error for each, and without a message.
  const [reason] = cause instanceof AggregateError ? cause.errors : [cause]
  const message = reason instanceof Error ? reason.message : String(reason)
  return `PostgreSQL cannot be reached at ${new URL(url).host || 'its default place'}: ${message}. Start the server, or correct --postgres.`
}
