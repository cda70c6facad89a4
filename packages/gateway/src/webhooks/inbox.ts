import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { parseJson } from '../kernel/json.ts'
import type { Posted } from './egress.ts'

/**
 * The sandbox's own inboxes: a receiver for whoever has no public URL yet. A webhook URL whose path is
 * `/sandbox/inbox/<name>` is recognised by that path and handed over in this process, signed as any other, so that the
 * guard of the way out needs no exception. Only where the ERP is the sandbox; in memory, bounded, gone with the process.
 */
const under = '/sandbox/inbox/'
const path = /^\/sandbox\/inbox\/([\w-]{1,64})$/
const mostInboxes = 100
const mostMessages = 50
const mostBytes = 1024 * 1024

export interface Message {
  readonly channel_code: string
  readonly event_id: string
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether both signatures fit the body. */
  readonly verified: boolean
  /** What the inbox answered. */
  readonly status: number
}

interface Inbox {
  readonly messages: Message[]
  bytes: number
  failures: number
  failWith: number
}

const byGateway = new WeakMap<Gateway, Map<string, Inbox>>()

/** The name of the inbox that a URL means; undefined where it means a receiver outside, or its name is none. */
export function inboxNamed(gateway: Gateway, url: string): string | undefined {
  return path.exec(inboxPath(gateway, url) ?? '')?.[1]
}

/** The path of a URL that means an inbox, whether its name is one or not. */
export function inboxPath(gateway: Gateway, url: string): string | undefined {
  if (!gateway.upstream.isSandbox || !url.includes(under) || !URL.canParse(url)) return undefined
  const { protocol, username, password, pathname } = new URL(url)
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === ''
  return isPlain && pathname.startsWith(under) ? pathname : undefined
}

/** Whether a name can be an inbox's. */
export function isInboxName(name: string): boolean {
  return path.test(`/sandbox/inbox/${name}`)
}

interface Delivered {
  readonly channel_code: string
  readonly event_id: string
  /** A flat list of names and values. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly verified: boolean
}

/** Takes a delivery and answers as it was told to. */
export function receive(gateway: Gateway, name: string, delivered: Delivered): Posted {
  const inbox = inboxOf(gateway, delivered.channel_code, name)
  const fails = inbox.failures > 0
  if (fails) inbox.failures -= 1
  const status = fails ? inbox.failWith : 200
  const { channel_code, event_id, headers, body, verified } = delivered
  const named = headers.flatMap((each, at) => (at % 2 === 0 ? [[each, headers[at + 1] ?? ''] as const] : []))
  inbox.messages.push({
    channel_code,
    event_id,
    received_at: instant(gateway.clock.now()),
    headers: Object.fromEntries(named),
    body: body.toString('utf8'),
    verified,
    status,
  })
  inbox.bytes += body.length
  while (inbox.messages.length > mostMessages || (inbox.bytes > mostBytes && inbox.messages.length > 1)) {
    inbox.bytes -= Buffer.byteLength(inbox.messages.shift()?.body ?? '')
  }
  return { status, error: fails ? 'status' : undefined, said: fails ? 'told to fail' : null }
}

/** What a channel's inbox received, newest first. */
export function inboxShown(gateway: Gateway, channel_code: string, name: string) {
  const { messages, failures, failWith } = inboxOf(gateway, channel_code, name)
  const shown = messages.toReversed().map(({ channel_code: _channel, body, ...message }) => ({
    ...message,
    body,
    event: parsed(body),
  }))
  return { name, fail_times: failures, fail_status: failWith, messages: shown }
}

/** Has an inbox answer with a failure so many times. */
export function failInbox(
  gateway: Gateway,
  channel_code: string,
  name: string,
  times: number,
  status: number,
) {
  const inbox = inboxOf(gateway, channel_code, name)
  inbox.failures = times
  inbox.failWith = status
}

export function emptyInbox(gateway: Gateway, channel_code: string, name: string) {
  byGateway.get(gateway)?.delete(keyOf(channel_code, name))
}

function inboxOf(gateway: Gateway, channel_code: string, name: string): Inbox {
  const inboxes = byGateway.get(gateway) ?? new Map<string, Inbox>()
  byGateway.set(gateway, inboxes)
  const key = keyOf(channel_code, name)
  const known = inboxes.get(key)
  if (known) return known
  const [oldest] = inboxes.keys()
  if (inboxes.size >= mostInboxes && oldest !== undefined) inboxes.delete(oldest)
  const inbox: Inbox = { messages: [], bytes: 0, failures: 0, failWith: 500 }
  inboxes.set(key, inbox)
  return inbox
}

/** Every channel has inboxes of its own. */
function keyOf(channel_code: string, name: string): string {
  return `${channel_code} ${name}`
}

function parsed(body: string): unknown {
  return parseJson(Buffer.from(body))
}
