/**
 * The sandbox's webhook inboxes, for developers who do not have a public URL yet. The gateway recognises the URL of an
 * inbox by its path, `/sandbox/inbox/<name>`, and delivers in this process, with the usual signatures. So the checks of
 * outgoing connections (`egress.ts`) need no exception. Inboxes exist only with the sandbox ERP, in memory and with
 * limits.
 */

import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { parseJson } from '../kernel/json.ts'
import type { Inbox } from '../memory.ts'
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
export function receiveDelivery(gateway: Gateway, name: string, delivered: InboxDelivery): PostResult {
  const inbox = findOrCreateInbox(gateway, delivered.channel_code, name)
  const fails = inbox.failures > 0
  if (fails) inbox.failures -= 1
  const status = fails ? inbox.failWith : 200
  const { channel_code, event_id, headers, body, verified } = delivered
  const named = headers.flatMap((each, at) => (at % 2 === 0 ? [[each, headers[at + 1] ?? ''] as const] : []))
  inbox.messages.push({
    channel_code,
    event_id,
    received_at: formatInstant(gateway.clock.now()),
    headers: Object.fromEntries(named),
    body: body.toString('utf8'),
    verified,
    status,
  })
  inbox.bytes += body.length
  while (inbox.messages.length > maxMessages || (inbox.bytes > maxInboxBytes && inbox.messages.length > 1)) {
    inbox.bytes -= Buffer.byteLength(inbox.messages.shift()?.body ?? '')
  }
  return { status, error: fails ? 'status' : undefined, excerpt: fails ? 'set to fail' : null }
}

/** Lists the messages of a channel's inbox, newest first. */
export function toInboxMessages(gateway: Gateway, channel_code: string, name: string) {
  const { messages, failures, failWith } = findOrCreateInbox(gateway, channel_code, name)
  const newestFirst = messages.toReversed().map(({ channel_code: _channel, body, ...message }) => ({
    ...message,
    body,
    event: parseOrNull(body),
  }))
  return { name, fail_times: failures, fail_status: failWith, messages: newestFirst }
}

/** Makes an inbox respond to the next `times` deliveries with `status`. */
export function failInbox(
  gateway: Gateway,
  { channel_code, name }: { readonly channel_code: string; readonly name: string },
  { times, status }: { readonly times: number; readonly status: number },
) {
  const inbox = findOrCreateInbox(gateway, channel_code, name)
  inbox.failures = times
  inbox.failWith = status
}

/** Deletes an inbox with its messages and the failure that was set. */
export function deleteInbox(gateway: Gateway, channel_code: string, name: string) {
  gateway.memory.inboxes.delete(toInboxKey(channel_code, name))
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
