import pg from 'pg'
import { StoreUnusable } from './store.ts'

const configurationExit = 78

/** The parts of a URL of PostgreSQL, decoded. */
export type PostgresParts = Pick<pg.Client, 'user' | 'password' | 'host' | 'port' | 'database'>

/**
 * Reads `DATABASE_URL` as the driver does, which completes it and accepts a `%` that encodes nothing. Throws
 * `StoreUnusable` if the driver cannot read it, or a file that it names.
 */
export function readPostgresUrl(url: string): PostgresParts {
  try {
    return new pg.Client(url)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnusable(`DATABASE_URL cannot be read: ${why}.`, configurationExit, cause)
  }
}
