/**
 * The sandbox's webhook inboxes, for developers who do not have a public URL yet. The gateway recognises the URL of an
 * inbox by its path, `/sandbox/inbox/<name>`, and delivers in this process, with the usual signatures. So the checks of
 * outgoing connections (`egress.ts`) need no exception. Inboxes exist only with the sandbox ERP and with limits: in the
 * memory of the process or, with `VALKEY_URL`, for all processes together. While that server is away, the process uses
 * its memory.
 */

import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { parseJson } from '../kernel/json.ts'
import type { Inbox, InboxMessage } from '../memory.ts'
import { deleteInboxKeys, failMessages, readInbox, receiveMessage } from '../valkey/inboxes.ts'
import { unlessAway, type Valkey, ValkeyAway } from '../valkey/valkey.ts'
import type { PostResult } from './egress.ts'

/** The path of inboxes. */
const inboxPrefix = '/sandbox/inbox/'
const inboxPattern = /^\/sandbox\/inbox\/([\w-]{1,64})$/
const maxInboxes = 100
const maxMessages = 50
const maxInboxBytes = 1024 * 1024

/**
 * Returns the name of the inbox in a URL; undefined if the URL belongs to another receiver, or the name is not valid.
 */
export function parseInboxName(gateway: Gateway, url: string): string | undefined {
  return inboxPattern.exec(parseInboxPath(gateway, url) ?? '')?.[1]
}

/** Returns the path of a URL that points to an inbox, even if the inbox's name is not valid; undefined for other URLs. */
export function parseInboxPath(gateway: Gateway, url: string): string | undefined {
  if (!gateway.upstream.isSandbox || !url.includes(inboxPrefix) || !URL.canParse(url)) return undefined
  const { protocol, username, password, pathname } = new URL(url)
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === ''
  return isPlain && pathname.startsWith(inboxPrefix) ? pathname : undefined
}

export function isInboxName(name: string): boolean {
  return inboxPattern.test(`/sandbox/inbox/${name}`)
}

interface InboxDelivery {
  readonly channel_code: string
  readonly event_id: string
  /** The headers, as a flat list of names and values. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly verified: boolean
}

/** Stores a delivery and responds with success, or with the failure that was set. */
export async function receiveDelivery(
  gateway: Gateway,
  name: string,
  delivered: InboxDelivery,
): Promise<PostResult> {
  const { channel_code, event_id, headers, body, verified } = delivered
  const named = headers.flatMap((each, at) => (at % 2 === 0 ? [[each, headers[at + 1] ?? ''] as const] : []))
  const message = {
    event_id,
    received_at: formatInstant(gateway.clock.now()),
    headers: Object.fromEntries(named),
    body: body.toString('utf8'),
    verified,
  }
  const status = await useInbox(
    gateway,
    { channel_code, name },
    {
      shared: (valkey, inbox) =>
        receiveMessage(valkey, inbox, {
          message: JSON.stringify(message),
          maxInboxes,
          maxMessages,
          maxBytes: maxInboxBytes,
        }),
      own: (inbox) => storeMessage(inbox, message),
    },
  )
  const isOk = status < 300
  return { status, error: isOk ? undefined : 'status', excerpt: isOk ? null : 'set to fail' }
}

function storeMessage(inbox: Inbox, message: Omit<InboxMessage, 'status'>): number {
  const fails = inbox.failures > 0
  if (fails) inbox.failures -= 1
  const status = fails ? inbox.failWith : 200
  inbox.messages.push({ ...message, status })
  inbox.bytes += Buffer.byteLength(message.body)
  while (inbox.messages.length > maxMessages || (inbox.bytes > maxInboxBytes && inbox.messages.length > 1)) {
    inbox.bytes -= Buffer.byteLength(inbox.messages.shift()?.body ?? '')
  }
  return status
}

/** Lists the messages of a channel's inbox, newest first. */
export async function toInboxMessages(gateway: Gateway, channel_code: string, name: string) {
  const { messages, failures, failWith } = await useInbox(
    gateway,
    { channel_code, name },
    {
      shared: async (valkey, inbox) => {
        const stored = await readInbox(valkey, inbox)
        return {
          ...stored,
          messages: stored.messages.map(({ status, json }) => ({ ...parseMessage(json), status })),
        }
      },
      own: (inbox) => inbox,
    },
  )
  const newestFirst = messages.toReversed().map(({ body, ...message }) => ({
    ...message,
    body,
    event: parseOrNull(body),
  }))
  return { name, fail_times: failures, fail_status: failWith, messages: newestFirst }
}

/** Parses a message that `receiveDelivery` stored. */
function parseMessage(json: string): Omit<InboxMessage, 'status'> {
  return JSON.parse(json)
}

/** Makes an inbox respond to the next `times` deliveries with `status`. */
export async function failInbox(
  gateway: Gateway,
  { channel_code, name }: { readonly channel_code: string; readonly name: string },
  failure: { readonly times: number; readonly status: number },
): Promise<void> {
  await useInbox(
    gateway,
    { channel_code, name },
    {
      shared: (valkey, inbox) => failMessages(valkey, inbox, failure),
      own(inbox) {
        inbox.failures = failure.times
        inbox.failWith = failure.status
      },
    },
  )
}

/** Deletes an inbox with its messages and the failure that was set. */
export async function deleteInbox(gateway: Gateway, channel_code: string, name: string): Promise<void> {
  gateway.memory.inboxes.delete(toInboxKey(channel_code, name))
  const { valkey } = gateway
  if (valkey) await unlessAway(deleteInboxKeys(valkey, toInboxKey(channel_code, name)))
}

/** What is done with an inbox that processes share, and with one of this process. */
interface InboxUse<T> {
  shared(valkey: Valkey, key: string): Promise<T>
  own(inbox: Inbox): T
}

async function useInbox<T>(
  gateway: Gateway,
  { channel_code, name }: { readonly channel_code: string; readonly name: string },
  { shared, own }: InboxUse<T>,
): Promise<T> {
  const { valkey } = gateway
  if (!valkey) return own(findOrCreateInbox(gateway, channel_code, name))
  try {
    return await shared(valkey, toInboxKey(channel_code, name))
  } catch (error) {
    if (!(error instanceof ValkeyAway)) throw error
    return own(findOrCreateInbox(gateway, channel_code, name))
  }
}

function findOrCreateInbox(gateway: Gateway, channel_code: string, name: string): Inbox {
  const { inboxes } = gateway.memory
  const key = toInboxKey(channel_code, name)
  const known = inboxes.get(key)
  if (known) return known
  const [oldest] = inboxes.keys()
  if (inboxes.size >= maxInboxes && oldest !== undefined) inboxes.delete(oldest)
  const inbox: Inbox = { messages: [], bytes: 0, failures: 0, failWith: 500 }
  inboxes.set(key, inbox)
  return inbox
}

/**
 * Builds the key of an inbox. It includes the channel, because channels do not share inboxes, even if these have the
 * same name.
 */
function toInboxKey(channel_code: string, name: string): string {
  return `${channel_code} ${name}`
}

function parseOrNull(body: string): unknown {
  return parseJson(Buffer.from(body))
}
