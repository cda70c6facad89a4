import type { RowOf } from '../../api/client.ts'

export type Channel = RowOf<'/admin/api/channels'>

/** The fields that an operator may change. */
export type ChannelDraft = Pick<
  Channel,
  | 'name'
  | 'plan'
  | 'warehouse_allowlist'
  | 'customer_code'
  | 'points_per_minute'
  | 'wholesale_enabled'
  | 'dropship_enabled'
  | 'webhooks_enabled'
>

/** The state of a channel. The API shows no deleted one. */
export function readState({ paused }: Pick<Channel, 'paused'>): 'active' | 'paused' {
  return paused ? 'paused' : 'active'
}

export const functionNames = ['wholesale_enabled', 'dropship_enabled', 'webhooks_enabled'] as const
export const planNames = ['reader', 'trader', 'full'] as const satisfies readonly Channel['plan'][]

export function isPlan(word: string | null): word is Channel['plan'] {
  return planNames.some((plan) => plan === word)
}

/** Whether the plan would let a channel order, but it has no customer of the ERP to order for. */
export function lacksCustomer({ plan, customer_code }: Pick<Channel, 'plan' | 'customer_code'>): boolean {
  return plan !== 'reader' && customer_code === null
}

export const newDraft: ChannelDraft = {
  name: '',
  plan: 'reader',
  warehouse_allowlist: [],
  customer_code: null,
  points_per_minute: null,
  wholesale_enabled: true,
  dropship_enabled: true,
  webhooks_enabled: true,
}

/** Takes the changeable fields of a channel. */
export function toDraft(channel: ChannelDraft): ChannelDraft {
  const { name, plan, warehouse_allowlist, customer_code, points_per_minute } = channel
  const { wholesale_enabled, dropship_enabled, webhooks_enabled } = channel
  return {
    ...{ name, plan, warehouse_allowlist, customer_code, points_per_minute },
    ...{ wholesale_enabled, dropship_enabled, webhooks_enabled },
  }
}

/** Finds the fields of a draft that differ from the channel, with their new values. */
export function findChanges(channel: ChannelDraft, draft: ChannelDraft): Partial<ChannelDraft> {
  const before = toDraft(channel)
  return Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(Object.entries(before).find(([each]) => each === name)?.[1]),
    ),
  )
}
