/** What happens to Tryton while an order is placed, besides a kill after a step. Each ends by itself, and Tryton runs. */
import { setTimeout as pause } from 'node:timers/promises'
import { crashPostgres, freezePostgres, killBeforeProcessing, type OwnSandbox } from './own-sandbox.ts'
import type { RecordingProxy } from './proxy.ts'

/** Longer than the connector waits for one call. */
const frozenMs = 20_000

interface Scene {
  readonly sandbox: OwnSandbox
  /** What stands between the connector and Tryton. */
  readonly proxy: RecordingProxy
}

/** Places an order during a blow. `submit` may fail; the blow is over when the returned promise settles. */
type Blow = <T>(scene: Scene, reference: string, submit: () => Promise<T>) => Promise<T>

/** The calls of an order whose responses are cut, in turns. */
const cutMethods = ['sale.sale.create', 'sale.sale.confirm', 'stock.shipment.out.assign_force']
let cuts = 0

/** The blows by name, the quick ones first. */
export const blows: Readonly<Record<string, Blow>> = {
  'trytond killed before it processes': ({ sandbox }, reference, submit) =>
    killBeforeProcessing(sandbox, reference, submit),

  'session deleted': async ({ sandbox }, _reference, submit) => {
    const submitting = submit()
    submitting.catch(() => undefined)
    await sandbox.postgres.query('delete from ir_session')
    return submitting
  },

  'response cut': async ({ proxy }, _reference, submit) => {
    const wanted = `model.${cutMethods[cuts++ % cutMethods.length]}`
    proxy.setFault(({ method }) => (method === wanted ? 'cut' : undefined))
    return submit().finally(() => proxy.setFault(() => undefined))
  },

  'PostgreSQL crashed': async ({ sandbox }, _reference, submit) => {
    const submitting = submit()
    submitting.catch(() => undefined)
    await crashPostgres(sandbox)
    return submitting
  },

  'trytond frozen': ({ sandbox }, _reference, submit) =>
    freeze(submit, () => {
      const { pid } = sandbox.trytond
      process.kill(pid, 'SIGSTOP')
      return () => void process.kill(pid, 'SIGCONT')
    }),

  'PostgreSQL frozen': ({ sandbox }, _reference, submit) => freeze(submit, () => freezePostgres(sandbox)),
}

/** Freezes something for 20 s, a moment after an order was sent. */
async function freeze<T>(submit: () => Promise<T>, stop: () => () => void): Promise<T> {
  const submitting = submit()
  submitting.catch(() => undefined)
  await pause(Math.random() * 1_000)
  const resume = stop()
  await pause(frozenMs)
  resume()
  return submitting
}
