import { testDatabaseUrl } from '../harness.ts'

/** Whether trials that take longer than the ordinary suite allows are wanted. */
export const long = process.env.TEST_FAULTS === '1'

/**
 * How large the fault trials are. In continuous integration they are small; a release runs them large:
 *
 *   FAULTS_CHANGES        row changes written by the eight connections   (4,000; a release: 100,000)
 *   FAULTS_INTERLEAVINGS  interleavings of writers, gateways and clients   (150; a release: 1,000 or more)
 *   FAULTS_SEED           seed of the interleavings, to see a failure again
 *   FAULTS_ORDERINGS      runs of clients that order through faults, for each class of ERP  (15; with TEST_FAULTS 60; a release: 10,000)
 *   FAULTS_ORDER_KILLS    kills of gateway and ERP while orders are placed          (20; a release: 1,000)
 *   FAULTS_WEBHOOK_KILLS  kills of the gateway while webhooks are delivered         (20; a release: 1,000)
 *   FAULTS_WEBHOOK_EVENTS events that several processes number and deliver together  (2,000; a release: 100,000)
 *   FAULTS_SECONDS        how long four processes are followed               (8; a release: 60)
 *   FAULTS_KILLS          kills of each kind                                 (3; a release: 50)
 *   TEST_FAULTS=1         runs what takes long; without it the suite prints what it leaves out
 */
export const sizes = {
  changes: wholeNumber('FAULTS_CHANGES', 4_000),
  interleavings: wholeNumber('FAULTS_INTERLEAVINGS', 150),
  orderings: wholeNumber('FAULTS_ORDERINGS', long ? 60 : 15),
  orderKills: wholeNumber('FAULTS_ORDER_KILLS', 20),
  webhookKills: wholeNumber('FAULTS_WEBHOOK_KILLS', 20),
  webhookEvents: wholeNumber('FAULTS_WEBHOOK_EVENTS', 2_000),
  seconds: wholeNumber('FAULTS_SECONDS', 8),
  kills: wholeNumber('FAULTS_KILLS', 3),
} as const

/** The seed: the same each time unless another is asked for; `random` draws one, which a failure prints. */
export const seed = process.env.FAULTS_SEED === 'random' ? undefined : wholeNumber('FAULTS_SEED', 20_261_121)

function wholeNumber(name: string, usual: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return usual
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new TypeError(`${name} is a whole number, not "${text}".`)
  return value
}

/** Why a trial is left out, printed once; undefined where it runs. */
export function leftOut(trial: string, needs: { postgres?: boolean; long?: boolean }): boolean {
  const reasons = [
    ...(needs.postgres && testDatabaseUrl() === undefined ? ['TEST_DATABASE_URL names no PostgreSQL'] : []),
    ...(needs.long && !long ? ['TEST_FAULTS=1 is not set'] : []),
  ]
  if (reasons.length > 0) process.stderr.write(`left out: ${trial}: ${reasons.join('; ')}\n`)
  return reasons.length > 0
}
