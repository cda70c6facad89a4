import type pg from 'pg'

/**
 * Destroys a connection without waiting for the database, which may not respond. An orderly end would wait for a reply,
 * and the session would keep its locks until then.
 */
export function destroyConnection(client: pg.Client): void {
  const { stream } = (client as pg.Client & { connection: pg.Connection }).connection
  stream.destroy()
}
