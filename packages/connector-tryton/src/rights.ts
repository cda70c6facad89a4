/**
 * The rights of the connector's user, checked at the start: otherwise a missing one would be met in the middle of an
 * order, after Tryton has confirmed it.
 */
import { ConfigError } from '@trade-gateway/connector-kit/settings'
import { z } from 'zod'
import type { Rpc } from './rpc.ts'
import { id, ids } from './values.ts'

const wanted = {
  'sale.sale': ['read', 'write', 'create'],
  'sale.line': ['read', 'create'],
  'stock.move': ['read', 'create', 'delete'],
  'stock.shipment.internal': ['read', 'write', 'create'],
  'stock.shipment.out': ['read', 'write'],
  'account.invoice': ['read', 'write'],
  'account.move.line': ['read'],
  'party.party': ['read', 'create'],
  'party.address': ['read', 'create'],
} as const

/** The buttons that the connector presses. */
const pressed = {
  'sale.sale': [
    'draft',
    'quote',
    'confirm',
    'cancel',
    'handle_shipment_exception',
    'handle_invoice_exception',
  ],
  'stock.shipment.internal': ['assign_try', 'assign_force', 'cancel'],
  'stock.shipment.out': ['assign_try', 'assign_force', 'cancel'],
  'account.invoice': ['cancel'],
} as const

const buttonRow = z.object({
  name: z.string(),
  groups: ids,
  'model.': z.object({ model: z.string() }),
})

/** Throws `ConfigError` if the user lacks a right. */
export async function requireRights(rpc: Rpc, user: string): Promise<void> {
  const missing = [...(await listMissingAccess(rpc)), ...(await listMissingButtons(rpc))]
  if (missing.length === 0) return
  throw new ConfigError(
    `The user ${user} may not ${missing.join(', ')}: give it the groups that the README lists.`,
  )
}

async function listMissingAccess(rpc: Rpc): Promise<string[]> {
  const right = z.union([z.boolean(), z.number()])
  const rights = z.record(z.string(), z.record(z.string(), right))
  const found = await rpc.call('model.ir.model.access.get_access', [Object.keys(wanted)], rights)
  return Object.entries(wanted).flatMap(([model, modes]) =>
    modes.filter((mode) => !found[model]?.[mode]).map((mode) => `${mode} ${model}`),
  )
}

/** Lists the groups of the user, with those from which they inherit. */
async function listGroups(rpc: Rpc): Promise<ReadonlySet<number>> {
  const preferences = z.object({ groups: ids })
  const { groups } = await rpc.call('model.res.user.get_preferences', [true], preferences)
  const row = z.object({ id, parent: id.nullish() })
  const rows = await rpc.searchRead('res.group', [], row, { fields: ['parent'] })
  const parents = new Map(rows.map(({ id: group, parent }) => [group, parent]))
  const all = new Set<number>()
  for (let group of groups) {
    while (!all.has(group)) {
      all.add(group)
      group = parents.get(group) ?? group
    }
  }
  return all
}

/** A button without groups is everybody's. */
async function listMissingButtons(rpc: Rpc): Promise<string[]> {
  const own = await listGroups(rpc)
  const domain = [['model.model', 'in', Object.keys(pressed)]]
  const fields = ['name', 'groups', 'model.model']
  const buttons = await rpc.searchRead('ir.model.button', domain, buttonRow, { fields })
  return Object.entries(pressed).flatMap(([model, names]) =>
    buttons
      .filter((button) => button['model.'].model === model && names.some((name) => name === button.name))
      .filter(({ groups }) => groups.length > 0 && !groups.some((group) => own.has(group)))
      .map(({ name }) => `press ${name} of ${model}`),
  )
}
