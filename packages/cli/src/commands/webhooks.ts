import type { TradeGateway } from '@trade-gateway/sdk'
import { asBody } from '../body.ts'
import { command } from '../command.ts'
import { say } from '../context.ts'
import type { ArgumentSpecs } from '../declaration.ts'
import { eventTypes } from '../event-types.ts'
import { UsageError } from '../failures.ts'
import { listOptions, printDocument, printRows } from '../print.ts'
import { keyOption, performWrite } from '../writes.ts'

const endpoint = {
  endpoint_id: { help: 'the id of the endpoint, such as whe_…' },
} as const satisfies ArgumentSpecs
const defaultTypes = eventTypes.join(',')

export const webhooksList = command({
  name: 'webhooks list',
  summary: 'list the webhook endpoints, with their last success and failure',
  isReading: true,
  examples: [['webhooks list', '']],
  options: listOptions,
  async run(context, { options }) {
    const client = await context.connect()
    const rows = client.webhookEndpoints.list({}, { signal: context.signal })
    await printRows(
      context,
      rows,
      ['endpoint_id', 'url', 'last_success_at', 'last_failure_at', 'last_failure_status'],
      options,
    )
  },
})

export const webhooksAdd = command({
  name: 'webhooks add',
  summary: 'register a webhook endpoint',
  description: 'The output alone has its secret.',
  examples: [['webhooks add https://shop.example/hook --events order.created', '']],
  args: { url: { help: 'the address of your receiver' } },
  options: {
    events: { type: 'string', value: 'TYPES', help: `the types to send; default ${defaultTypes}` },
    ...keyOption,
  },
  async run(context, { args, options }) {
    const client = await context.connect()
    const event_types = (options.events ?? defaultTypes).split(',')
    const body = asBody<Parameters<typeof client.webhookEndpoints.create>[0]>({ url: args.url, event_types })
    const facts = { what: `register ${args.url}`, key: options['idempotency-key'] }
    await printDocument(
      context,
      await performWrite(context, facts, (write) => client.webhookEndpoints.create(body, write)),
    )
  },
})

export const webhooksRemove = command({
  name: 'webhooks remove',
  summary: 'delete a webhook endpoint',
  examples: [['webhooks remove whe_01J…', '']],
  args: endpoint,
  options: keyOption,
  async run(context, { args, options }) {
    const client = await context.connect()
    const facts = { what: `delete ${args.endpoint_id}`, key: options['idempotency-key'] }
    const deleted = await performWrite(context, facts, (write) =>
      client.webhookEndpoints.delete(args.endpoint_id, write),
    )
    await printDocument(context, deleted)
  },
})

export const webhooksRotate = command({
  name: 'webhooks rotate-secret',
  summary: 'replace the secret of an endpoint; both sign for 24 hours',
  examples: [['webhooks rotate-secret whe_01J…', '']],
  args: endpoint,
  options: keyOption,
  async run(context, { args, options }) {
    const client = await context.connect()
    const facts = { what: `replace the secret of ${args.endpoint_id}`, key: options['idempotency-key'] }
    const rotated = await performWrite(context, facts, (write) =>
      client.webhookEndpoints.rotate(args.endpoint_id, write),
    )
    await printDocument(context, rotated)
  },
})

const modes = ['failed', 'all'] as const

export const webhooksReplay = command({
  name: 'webhooks replay',
  summary: 'send earlier events again',
  description:
    'Deliveries are sent again to their endpoint at once; those to deleted endpoints are skipped. Events that were never sent to an endpoint are not deliveries: forward these to your machine with `tgw webhooks listen --since`.',
  examples: [
    ['webhooks replay --failed --dry-run', 'how many dead letters there are'],
    ['webhooks replay --failed --endpoint whe_01J…', 'send them again'],
    ['webhooks replay --event evt_01J…', 'one event, to every endpoint that it was for'],
  ],
  agents: '--failed never sends an event again that an endpoint has accepted.',
  options: {
    failed: { type: 'boolean', help: 'the dead letters: deliveries that were given up' },
    all: { type: 'boolean', help: 'also what was delivered' },
    event: { type: 'string', value: 'EVENT_ID', help: 'only this event; delivered or not' },
    endpoint: { type: 'string', value: 'ENDPOINT_ID', help: 'only to this endpoint' },
    from: { type: 'string', value: 'DATE', help: 'the first day of the events, YYYY-MM-DD (UTC)' },
    to: { type: 'string', value: 'DATE', help: 'the last day of the events' },
    'dry-run': { type: 'boolean', help: 'count, and send nothing' },
  },
  async run(context, { options }) {
    const { failed, all, event } = options
    if ([failed, all, event !== undefined].filter(Boolean).length !== 1)
      throw new UsageError(
        `Give exactly one of --${modes.join(', --')}, --event.`,
        'Count first, with --dry-run.',
      )
    const { globals, out, signal } = context
    const client = await context.connect()
    const filters = asBody<DeliveryFilters>({
      page_size: 200,
      ...(failed ? { status: 'dead_letter' } : {}),
      ...(event === undefined ? {} : { event_id: event }),
      ...(options.endpoint === undefined ? {} : { endpoint_id: options.endpoint }),
      ...(options.from === undefined ? {} : { start_date: options.from }),
      ...(options.to === undefined ? {} : { end_date: options.to }),
    })
    const { ids, skipped } = await selectDeliveries(client, filters, signal)
    if (skipped > 0) await say(context, `Deliveries skipped, because their endpoint was deleted: ${skipped}.`)
    if (!options['dry-run'])
      for (const delivery_id of ids) {
        const facts = { what: `send ${ids.length} deliveries again` }
        const sent = await performWrite(context, facts, (write) =>
          client.webhookDeliveries.redeliver(delivery_id, write),
        )
        if (globals.json) await out.json(sent)
      }
    const text = options['dry-run'] ? `${ids.length} would be sent again.` : `${ids.length} are sent again.`
    if (globals.json) {
      if (options['dry-run']) await out.json({ count: ids.length, skipped })
    } else await out.line(text)
    if (options['dry-run'] && ids.length > 0)
      await say(context, 'Send them: the same command without --dry-run')
  },
})

type DeliveryFilters = Parameters<TradeGateway['webhookDeliveries']['list']>[0]

interface SelectedDeliveries {
  readonly ids: readonly string[]
  /** How many are left out, because their endpoint was deleted. The gateway refuses to send them again. */
  readonly skipped: number
}

/** Selects the deliveries that can be sent again: they are finished, and their endpoint exists. */
async function selectDeliveries(
  client: TradeGateway,
  filters: DeliveryFilters,
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  // What is sent again gets another status, so the list is read to its end first.
  const finished: { delivery_id: string; endpoint_id: string }[] = []
  for await (const delivery of client.webhookDeliveries.list(filters, { signal }))
    if (delivery.status !== 'pending') finished.push(delivery)
  // The endpoints are read after the deliveries, so that an endpoint that is missing was deleted, and is not just new.
  const existing = new Set<string>()
  for await (const { endpoint_id } of client.webhookEndpoints.list({}, { signal })) existing.add(endpoint_id)
  const ids = finished
    .filter(({ endpoint_id }) => existing.has(endpoint_id))
    .map(({ delivery_id }) => delivery_id)
  return { ids, skipped: finished.length - ids.length }
}
