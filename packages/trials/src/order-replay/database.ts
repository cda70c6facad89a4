import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A PostgreSQL database that exists for one replay only. */
export interface TemporaryDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Creates a database on the server of `url`. */
export async function createDatabase(url: string): Promise<TemporaryDatabase> {
  const name = `trade_gateway_replay_${randomBytes(6).toString('hex')}`
  await runOnServer(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  // `with (force)`, because connections of a killed gateway may still be open.
  return { url: own.href, drop: () => runOnServer(url, `drop database if exists ${name} with (force)`) }
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
