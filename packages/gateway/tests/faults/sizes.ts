import { findNginx } from '../../../trials/src/nginx.ts'
import { findRedis } from '../../../trials/src/redis-server.ts'
import { readTestDatabaseUrl } from '../harness.ts'

/** Whether to run the trials that take too long for the ordinary suite. */
export const long = process.env.TEST_FAULTS === '1'

/**
 * The sizes of the fault trials. They are small in continuous integration and large for a release:
 *
 *   FAULTS_CHANGES        row changes written by the eight connections   (4,000; a release: 100,000)
 *   FAULTS_INTERLEAVINGS  interleavings of writers, gateways and clients   (75; a release: 1,000 or more)
 *   FAULTS_SEED           seed of the trials, to reproduce a failure
 *   FAULTS_ORDERINGS      runs of clients that order through faults, for each class of ERP  (8; with TEST_FAULTS 15; a release: 10,000)
 *   FAULTS_ORDER_KILLS    kills of gateway and ERP while orders are placed          (5; a release: 1,000)
 *   FAULTS_VOIDS_AGAINST_SHIPS  interleavings of voids, a submit and a shipment of one order  (75; a release: 50,000)
 *   FAULTS_OPENERS        kills of the holder of a data directory, each with three processes that want it  (3; a release: 200)
 *   FAULTS_GUESSES        guesses of one password                         (300; a release: 10,000)
 *   FAULTS_WEBHOOK_KILLS  kills of the gateway while webhooks are delivered         (5; a release: 1,000)
 *   FAULTS_WEBHOOK_EVENTS events that several processes number and deliver together  (2,000; a release: 100,000)
 *   FAULTS_STALL_EVERY    each so many packets of a request, the database stalls  (12; a release: 1)
 *   FAULTS_SECONDS        seconds for which four processes are followed             (4; a release: 60)
 *   FAULTS_RESTARTS       restarts of processes under load, directly and through nginx  (2 each; a release: 100)
 *   FAULTS_CALLS          calls of 50 channels with which four processes are asked for points  (3,000; a release: 100,000)
 *   FAULTS_KILLS          kills of each kind                                 (2; a release: 50)
 *   TEST_FAULTS=1         runs the long trials too; without it, the suite prints which trials it skips
 */
export const sizes = {
  changes: readWholeNumber('FAULTS_CHANGES', 4_000),
  interleavings: readWholeNumber('FAULTS_INTERLEAVINGS', 75),
  orderings: readWholeNumber('FAULTS_ORDERINGS', long ? 15 : 8),
  orderKills: readWholeNumber('FAULTS_ORDER_KILLS', 5),
  voidsAgainstShips: readWholeNumber('FAULTS_VOIDS_AGAINST_SHIPS', 75),
  openers: readWholeNumber('FAULTS_OPENERS', 3),
  guesses: readWholeNumber('FAULTS_GUESSES', 300),
  webhookKills: readWholeNumber('FAULTS_WEBHOOK_KILLS', 5),
  webhookEvents: readWholeNumber('FAULTS_WEBHOOK_EVENTS', 2_000),
  stallEvery: readWholeNumber('FAULTS_STALL_EVERY', 12),
  seconds: readWholeNumber('FAULTS_SECONDS', 4),
  restarts: readWholeNumber('FAULTS_RESTARTS', 2),
  calls: readWholeNumber('FAULTS_CALLS', 3_000),
  kills: readWholeNumber('FAULTS_KILLS', 2),
} as const

/**
 * The seed of the trials. It is fixed by default. With `random` it is undefined, so each run draws its own, which a
 * failure prints.
 */
export const seed =
  process.env.FAULTS_SEED === 'random' ? undefined : readWholeNumber('FAULTS_SEED', 20_261_121)

function readWholeNumber(name: string, usual: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return usual
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new TypeError(`${name} is a whole number, not "${text}".`)
  return value
}

interface Needs {
  readonly postgres?: boolean
  readonly long?: boolean
  readonly nginx?: boolean
  readonly redis?: boolean
}

/** Whether a trial must be skipped because a requirement is missing. Prints the reasons to stderr. */
export function shouldSkip(trial: string, needs: Needs): boolean {
  const reasons = [
    ...(needs.nginx && findNginx() === undefined ? ['nginx is not installed'] : []),
    ...(needs.redis && findRedis() === undefined ? ['redis-server is not installed'] : []),
    ...(needs.postgres && readTestDatabaseUrl() === undefined
      ? ['TEST_DATABASE_URL names no PostgreSQL']
      : []),
    ...(needs.long && !long ? ['TEST_FAULTS=1 is not set'] : []),
  ]
  if (reasons.length > 0) process.stderr.write(`left out: ${trial}: ${reasons.join('; ')}\n`)
  return reasons.length > 0
}
