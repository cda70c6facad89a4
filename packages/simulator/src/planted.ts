/** Faults that are planted to prove that the simulator finds their kind. Each wraps what the gateway gets. */

import { callOperation, createErp, type Erp, UnknownOutcome } from '@trade-gateway/connector'
import type { Gateway } from '@trade-gateway/gateway/gateway'
import type { PlantedName } from './planted-names.ts'
import { outside, type Scheduler } from './scheduler.ts'
import type { SharedDatabase } from './shared-database.ts'

export type { PlantedName }

/** The ERP's own database. */
interface Books {
  all(sql: string): Record<string, unknown>[]
  run(sql: string, ...values: (string | number)[]): number
}

interface Planting {
  readonly scheduler: Scheduler
  readonly database: SharedDatabase
  readonly books: Books
}

const retryMs = 400
const hiddenMs = 400
const heldRows = 'select warehouse_code, sku, held from stock where held > 0'
const overwrite = 'update stock set held = ? where warehouse_code = ? and sku = ?'

/** Plants faults into the ERP as a process sees it. */
export function plantFaults(erp: Erp, names: readonly PlantedName[], planting: Planting): Erp {
  const { scheduler, database, books } = planting
  return createErp(async (id, input, options) => {
    const call = () => callOperation(erp, id, input, options)
    const isOverwritten = names.includes('lost-update-in-release') && id === 'release'
    const before = isOverwritten ? books.all(heldRows) : []
    const result = await call().catch((error: unknown) => {
      if (names.includes('key-freed-in-doubt') && id === 'submit' && error instanceof UnknownOutcome)
        freeKeys(database)
      throw error
    })
    for (const { warehouse_code, sku, held } of before)
      books.run(overwrite, Number(held), String(warehouse_code), String(sku))
    if (names.includes('hold-of-nothing') && id === 'hold' && 'ok' in result) await releaseHold(erp, input)
    if (names.includes('retry-after-rejected') && id === 'submit' && 'rejected' in result)
      scheduler.setTimer(() => void call().catch(() => {}), retryMs)
    return result
  })
}

/** Releases a hold at once, of which the gateway and its client are told that it holds. */
async function releaseHold(erp: Erp, input: unknown) {
  const { reference } = Object(input)
  await callOperation(erp, 'release', { reference, reason: 'release' }).catch(() => {})
}

function freeKeys(database: SharedDatabase) {
  database.write('delete from idempotency_keys')
}

/** Plants faults into the database: an event gets its number before it can be read. */
export function plantIntoDatabase(
  names: readonly PlantedName[],
  database: SharedDatabase,
  scheduler: Scheduler,
): void {
  if (!names.includes('event-numbered-early')) return
  let newest = 0
  database.onCommit(() => {
    const [last] = database.read('select number from events order by number desc limit 1')
    const number = Number(last?.number ?? 0)
    if (number <= newest) return
    newest = number
    database.write('update events set number = -number where number = ?', number)
    scheduler.runAs(outside, () =>
      scheduler.setTimer(
        () => database.write('update events set number = -number where number = ?', -number),
        hiddenMs,
      ),
    )
  })
}

/** Plants faults into a gateway process: its cached tokens outlive their revocation. */
export function plantIntoGateway(names: readonly PlantedName[], gateway: Gateway): void {
  if (names.includes('revocation-missed')) gateway.sessions.forget = () => {}
}
