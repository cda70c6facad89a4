/**
 * Detects a connection pooler in transaction mode. Such a pooler gives each transaction another backend and silently
 * breaks session locks: the lock stays with a backend that the gateway never sees again. Two sessions reveal it.
 * While both are open, each must keep a backend of its own, even while the other one is in a transaction.
 */

export interface Session {
  /** The process id of the backend that runs the query; `begin` opens a transaction first. */
  backend(begin?: 'begin'): Promise<number>
}

/** Whether statements of one session reach different backends, or two sessions share one. */
export async function isPooled(first: Session, second: Session): Promise<boolean> {
  const before = await first.backend()
  const other = await second.backend('begin')
  const after = await first.backend()
  return before === other || before !== after || after === other
}
