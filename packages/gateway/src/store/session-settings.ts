/**
 * Settings of the sessions of PostgreSQL. Each connection sets them by a statement before its first use, and not by
 * startup parameters: PgBouncer refuses those, or drops them silently where `ignore_startup_parameters` names them. A
 * setting made in this way is no default of its session, so `reset` does not return to it.
 */

import type pg from 'pg'

export type SessionSettings = Readonly<Record<string, string | number>>

/**
 * Lets PostgreSQL end the session of a machine that is gone or cut off after 25 seconds. By default it takes two hours,
 * and nobody else gets the advisory locks of that session until then. It is longer than the silence after which a process
 * gives up its connection, so that one that lives notices first. The kernel responds for a process that is stopped, so
 * such a one keeps its locks.
 */
export const probing: SessionSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
}

/**
 * Lets the system of this machine ask, on a connection that is idle for ten seconds, whether the other end still lives.
 * Without this, it asks after two hours, and firewalls forget idle connections without a word.
 */
export const keptAlive = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const satisfies pg.ClientConfig

/** Sets up a connection before its first use. Throws if PostgreSQL refuses a setting. */
export async function applySettings(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const statements = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`)
  await client.query(statements.join('; '))
}

/**
 * Returns the option with which a pool sets up each new connection. The pool waits for the statement. If PostgreSQL
 * refuses it, the pool closes the connection, and whoever asked for one gets the error.
 */
export function withSettings(settings: SessionSettings): Pick<pg.PoolConfig, 'onConnect'> {
  return { onConnect: (client) => applySettings(client, settings) }
}
