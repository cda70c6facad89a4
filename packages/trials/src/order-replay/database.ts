import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A PostgreSQL database of our own. */
export interface OwnDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Makes a database beside the one that `url` names. */
export async function ownDatabase(url: string): Promise<OwnDatabase> {
  const name = `trade_gateway_replay_${randomBytes(6).toString('hex')}`
  await onServer(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  // What a killed gateway had open may still be there.
  return { url: own.href, drop: () => onServer(url, `drop database if exists ${name} with (force)`) }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
