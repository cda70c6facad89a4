/** The JSON of webhook endpoints and deliveries. */

import { z } from 'zod'
import { instantField, toListSchema, warehouseCode } from '../contract/fields.ts'
import { eventTypes, testType } from '../events/outbox.ts'
import { formatInstant, formatInstantOrNull } from '../kernel/clock.ts'
import type { WebhookDeliveryRow, WebhookEndpointRow, WebhookQueueRow } from '../store/tables.ts'
import { postErrors } from './egress.ts'
import { listActiveFormers } from './sign.ts'

/** The states of a delivery. */
export const deliveryStates = ['pending', 'delivered', 'dead_letter', 'cancelled'] as const
const time = instantField.nullable()

export const webhookEndpoint = z
  .object({
    endpoint_id: z.string(),
    url: z.string(),
    event_types: z.array(z.enum(eventTypes)),
    description: z.string().nullable(),
    warehouse_codes: z.array(warehouseCode).meta({ description: 'Empty: every warehouse of the channel' }),
    former_secret_until: time.meta({
      description: 'Until when the secret before the last rotation signs too',
    }),
    last_success_at: time,
    last_failure_at: time,
    last_failure_status: z.int().nullable().meta({ description: 'Null where no answer came' }),
    created_at: instantField,
    updated_at: instantField,
  })
  .meta({ id: 'WebhookEndpoint' })

export const endpointWithSecret = webhookEndpoint
  .extend({ secret: z.string().meta({ description: 'Shown this once' }) })
  .meta({ id: 'WebhookEndpointWithSecret' })

export const endpointPage = toListSchema(webhookEndpoint)

export const webhookDelivery = z
  .object({
    delivery_id: z.string(),
    endpoint_id: z.string(),
    event_id: z.string(),
    event_type: z.enum([...eventTypes, testType]),
    status: z.enum(deliveryStates),
    attempts: z.int().meta({ description: 'Attempts that are over' }),
    next_attempt_at: time,
    last_status: z.int().nullable().meta({ description: 'The HTTP status of the last answer' }),
    last_error: z.enum(postErrors).nullable(),
    last_response: z.string().nullable().meta({ description: 'The first 200 printable characters of it' }),
    created_at: instantField,
    attempted_at: time,
    finished_at: time,
  })
  .meta({ id: 'WebhookDelivery' })

export const deliveryPage = toListSchema(webhookDelivery)

/** A delivery as the operator's lists show it. */
export const operatorsDelivery = z
  .object({
    delivery_id: z.string(),
    channel_code: z.string(),
    endpoint_id: z.string(),
    event_id: z.string(),
    type: z.enum([...eventTypes, testType]),
    status: z.enum(deliveryStates),
    attempts: z.int(),
    last_status: z.int().nullable(),
    last_error: z.enum(postErrors).nullable(),
    last_attempt_at: time,
    next_attempt_at: time,
    created_at: instantField,
  })
  .meta({ id: 'OperatorsDelivery' })

type EndpointRow = WebhookEndpointRow &
  Pick<WebhookQueueRow, 'last_success_at' | 'last_failure_at' | 'last_failure_status'>

export function toEndpointJson(row: EndpointRow, now: number): z.input<typeof webhookEndpoint> {
  const named: string[] = JSON.parse(row.event_types)
  const [former] = listActiveFormers(row, now)
  return {
    endpoint_id: row.endpoint_id,
    url: row.url,
    event_types: eventTypes.filter((type) => named.includes(type)),
    description: row.description,
    warehouse_codes: JSON.parse(row.warehouse_codes),
    former_secret_until: formatInstantOrNull(former?.until ?? null),
    last_success_at: formatInstantOrNull(row.last_success_at),
    last_failure_at: formatInstantOrNull(row.last_failure_at),
    last_failure_status: row.last_failure_status,
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  }
}

export function toDeliveryJson(row: WebhookDeliveryRow): z.input<typeof webhookDelivery> {
  return {
    delivery_id: row.delivery_id,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: eventTypes.find((type) => type === row.event_type) ?? testType,
    status: deliveryStates.find((state) => state === row.status) ?? 'pending',
    attempts: row.attempts,
    next_attempt_at: formatInstantOrNull(row.due_at),
    last_status: row.last_status,
    last_error: postErrors.find((error) => error === row.last_error) ?? null,
    last_response: row.last_response,
    created_at: formatInstant(row.created_at),
    attempted_at: formatInstantOrNull(row.attempted_at),
    finished_at: formatInstantOrNull(row.finished_at),
  }
}

export function toOperatorsDelivery(row: WebhookDeliveryRow): z.input<typeof operatorsDelivery> {
  const shown = toDeliveryJson(row)
  return {
    delivery_id: shown.delivery_id,
    channel_code: row.channel_code,
    endpoint_id: shown.endpoint_id,
    event_id: shown.event_id,
    type: shown.event_type,
    status: shown.status,
    attempts: shown.attempts,
    last_status: shown.last_status,
    last_error: shown.last_error,
    last_attempt_at: shown.attempted_at,
    next_attempt_at: shown.next_attempt_at,
    created_at: shown.created_at,
  }
}
