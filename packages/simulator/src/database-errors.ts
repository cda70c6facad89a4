/** The errors of a database, as their drivers report them. */
import { CommitUnanswered } from '@trade-gateway/gateway/store/trouble'

/** The error of a full disk, as `node:sqlite` reports it. */
export class DiskFull extends Error {
  readonly errcode = 13

  constructor() {
    super('database or disk is full')
  }
}

/** The error of a connection that broke, as the driver of PostgreSQL reports it. */
export class ConnectionLost extends Error {
  readonly code = 'ECONNRESET'
}

/** Creates the error of a commit that got no answer. */
export function createUnanswered(): CommitUnanswered {
  return new CommitUnanswered(new ConnectionLost('The connection broke at a commit.'))
}
