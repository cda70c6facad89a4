/** What every part of the seed uses: the administrator's session and short forms of its calls. */

import { SandboxError } from '@trade-gateway/connector-kit/sandbox/programs'
import { z } from 'zod'
import type { CallSettings, Domain, Rpc } from '../rpc.ts'

const maxCallMs = 300_000

export class Seeder {
  readonly rpc: Rpc
  readonly #signal: AbortSignal | undefined

  constructor(rpc: Rpc, signal?: AbortSignal) {
    this.rpc = rpc
    this.#signal = signal
  }

  get #settings(): CallSettings {
    return { maxMs: maxCallMs, signal: this.#signal }
  }

  async createOne(model: string, values: object): Promise<number> {
    const [id] = await this.createAll(model, [values])
    if (id === undefined) throw new SandboxError(`Tryton created no ${model}.`)
    return id
  }

  createAll(model: string, values: readonly object[]): Promise<number[]> {
    return this.rpc.create(model, values, this.#settings)
  }

  async findOne(model: string, domain: Domain): Promise<number> {
    const [id] = await this.rpc.search(model, domain, { ...this.#settings, limit: 1 })
    if (id === undefined) throw new SandboxError(`Tryton has no ${model} with ${JSON.stringify(domain)}.`)
    return id
  }

  /** Finds a record of a module's own data. */
  async findModuleRecord(module: string, name: string): Promise<number> {
    const domain = [
      ['module', '=', module],
      ['fs_id', '=', name],
    ]
    const row = z.object({ db_id: z.int() })
    const [found] = await this.rpc.searchRead('ir.model.data', domain, row, { fields: ['db_id'] })
    if (!found) throw new SandboxError(`Tryton has no ${module}.${name}.`)
    return found.db_id
  }

  async press(model: string, button: string, ids: readonly number[]): Promise<void> {
    await this.rpc.press(model, button, ids, this.#settings)
  }

  async write(model: string, ids: readonly number[], values: object): Promise<void> {
    await this.rpc.write(model, ids, values, this.#settings)
  }

  async readOne<T>(model: string, id: number, row: z.ZodType<T>, fields: readonly string[]): Promise<T> {
    const [found] = await this.rpc.searchRead(model, [['id', '=', id]], row, { fields })
    if (found === undefined) throw new SandboxError(`Tryton has no ${model} ${id}.`)
    return found
  }

  /**
   * Runs a wizard through its states. A function as `form` gets the defaults of the form that the state before
   * returned: Tryton expects every field of a form, also the empty ones.
   */
  async runWizard(
    name: string,
    active: { readonly model: string; readonly id: number } | undefined,
    states: readonly (readonly [state: string, form: (defaults: Form) => object])[],
  ): Promise<void> {
    const created = z.tuple([z.int(), z.string(), z.string()])
    const [session] = await this.rpc.call(`wizard.${name}.create`, [], created)
    const context = active
      ? { active_model: active.model, active_id: active.id, active_ids: [active.id] }
      : {}
    let defaults: Form = {}
    for (const [state, toForm] of states) {
      const params = [session, toForm(defaults), state]
      const settings = { ...this.#settings, context }
      const { view } = await this.rpc.call(`wizard.${name}.execute`, params, wizardResult, settings)
      defaults = withoutDotted(view?.defaults ?? {})
    }
    await this.rpc.call(`wizard.${name}.delete`, [session], z.unknown())
  }
}

export type Form = Readonly<Record<string, unknown>>

const wizardResult = z.object({
  view: z.object({ defaults: z.record(z.string(), z.unknown()).nullish() }).nullish(),
})

/** Fields such as `party.` are for display and must not be sent back. */
function withoutDotted(form: Form): Form {
  return Object.fromEntries(Object.entries(form).filter(([name]) => !name.includes('.')))
}
