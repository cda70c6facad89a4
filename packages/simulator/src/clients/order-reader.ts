/** Reads orders through the gateway and records what it says of them. */
import type { HistoryRecorder } from '../history/recorder.ts'
import type { Scheduler } from '../scheduler.ts'
import { type GatewayClient, type Reply, readData } from './gateway-client.ts'

interface ReaderParts {
  readonly client: GatewayClient
  readonly scheduler: Scheduler
  readonly recorder: HistoryRecorder
}

/** A wholesale or a drop-ship order, as far as a reader looks at it. Drafts and previews have no `submitted_at`. */
interface ReadOrder {
  /** Only wholesale orders have it. */
  readonly order_id?: string
  readonly client_order_number: string | null
  readonly status: string
  readonly in_doubt: boolean
  readonly submitted_at: string | null
}

interface Page {
  readonly data: readonly ReadOrder[]
  readonly has_more: boolean
  readonly next_cursor?: string
}

const lists = ['/api/v1/orders', '/api/v1/dropship-orders'] as const
const pageSize = 100
const maxTries = 60
const pauseMs = 300

/** Reads an order at a path of its own, and records it unless its outcome is in doubt. */
export async function readOrder(
  { client, recorder }: ReaderParts,
  order: string,
  path: string,
): Promise<void> {
  const end = recorder.begin(client.name, 'order.read', { order })
  const reply = await client.request({ method: 'GET', path })
  const read = reply?.status === 200 ? readData<ReadOrder>(reply) : undefined
  if (read?.status === undefined || read.in_doubt) end({ type: 'unknown' })
  else end({ type: 'ok', output: { status: toStatus(read as ReadOrder) } })
}

/** Reads all orders of the channel, and records each. Returns false if the lists could not be read to their ends. */
export async function readAllOrders(parts: ReaderParts, isRestored: boolean): Promise<boolean> {
  for (const path of lists) {
    let cursor = ''
    for (let hasMore = true; hasMore; ) {
      const query = `page_size=${pageSize}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
      const reply = await readPatiently(parts, path, query)
      if (!reply) return false
      const { data, has_more, next_cursor = '' } = reply.json as Page
      for (const order of data) await recordListed(parts, order, { path, isRestored })
      cursor = next_cursor
      hasMore = has_more
    }
  }
  return true
}

/**
 * Records an order of a list. A draft is read by its id, which finds one whose submit a restored database has lost. Such
 * a drop-ship order is found only when its submit is repeated, so that its preview says nothing.
 */
async function recordListed(
  parts: ReaderParts,
  listed: ReadOrder,
  { path, isRestored }: { readonly path: string; readonly isRestored: boolean },
): Promise<void> {
  const { client_order_number: order, order_id, status, in_doubt } = listed
  if (order === null || in_doubt) return
  if (order_id !== undefined && status === 'draft') return readOrder(parts, order, `${path}/${order_id}`)
  if (isRestored && toStatus(listed) === 'absent') return
  const end = parts.recorder.begin(parts.client.name, 'order.read', { order })
  end({ type: 'ok', output: { status: toStatus(listed) } })
}

async function readPatiently(
  { client, scheduler }: ReaderParts,
  path: string,
  query: string,
): Promise<Reply | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const reply = await client.request({ method: 'GET', path, query })
    if (reply?.status === 200) return reply
    await scheduler.sleep(pauseMs)
  }
  return undefined
}

/** A draft or a preview is no order, whatever became of it. */
function toStatus({ status, submitted_at }: ReadOrder) {
  if (submitted_at === null) return 'absent'
  return status === 'cancelled' || status === 'intercepted' ? 'cancelled' : 'confirmed'
}
