/**
 * Works in a sandbox as staff do, until it is stopped: packs and ships the order that the conformance suite watches.
 * Medusa is named as for the live tests.
 *
 *   TEST_MEDUSA_URL=… TEST_MEDUSA_SECRET_KEY=… TEST_MEDUSA_PUBLISHABLE_KEY=… \
 *     node packages/connector-medusa/tests/staff.ts
 */
import { setTimeout as pause } from 'node:timers/promises'
import { watchedOrderNumber } from '@trade-gateway/connector/conformance'
import { openAdmin } from './live.ts'
import { listUnpacked, pack, ship } from './warehouse.ts'

const everyMs = 700
const maxRounds = 5_000

const admin = openAdmin()
process.once('SIGTERM', () => process.exit(0))

for (let round = 0; round < maxRounds; round++) {
  for (const reference of await listUnpacked(admin, watchedOrderNumber)) {
    await pack(admin, reference)
    await ship(admin, reference, 'TRACK-STAFF')
  }
  await pause(everyMs)
}
