/**
 * Settings of the sessions of PostgreSQL. Each connection sets them by a statement before its first use, and not by
 * startup parameters: PgBouncer refuses those, or drops them silently where `ignore_startup_parameters` names them. A
 * setting made in this way is no default of its session, so `reset` does not return to it.
 */

import type pg from 'pg'

export type SessionSettings = Readonly<Record<string, string | number>>

/**
 * Returns the option with which a pool sets up each new connection. The pool waits for the statement. If PostgreSQL
 * refuses it, the pool closes the connection, and whoever asked for one gets the error.
 */
export function withSettings(settings: SessionSettings): Pick<pg.PoolConfig, 'onConnect'> {
  const statement = Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ')
  return {
    async onConnect(client) {
      await client.query(statement)
    },
  }
}
