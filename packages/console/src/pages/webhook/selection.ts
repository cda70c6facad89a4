import type { InputOf } from '../../api/client.ts'

export type Selection = InputOf<'/admin/api/webhook-redeliveries/count', 'post'>['body']
export type Which = Selection['which']

/** The filters of the list of deliveries. */
export interface DeliveryFilters {
  readonly channel_code?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly event_id?: string | undefined
  readonly status?: string | undefined
  readonly type?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Selects what is sent again: everything of a kind that the filters leave. */
export function toSelection(which: Which, filters: DeliveryFilters): Selection {
  const { channel_code, endpoint_id, type, since, until } = filters
  return {
    which,
    ...(channel_code === undefined ? {} : { channel_code }),
    ...(endpoint_id === undefined ? {} : { endpoint_id }),
    ...(type === 'stock.changed' || type === 'order.created' ? { type } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }
}

/** Finds the filters of the list that a selection cannot have: with them, more would be sent than the list shows. */
export function findUnusable({ event_id, status, type }: DeliveryFilters): readonly string[] {
  const unusable = { event_id, status, type: type === 'webhook.test' ? type : undefined }
  return describeFilters(unusable)
}

/** Describes filters that are set: `type = order.created`. */
export function describeFilters(filters: object): readonly string[] {
  return Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} = ${value}`)
}
