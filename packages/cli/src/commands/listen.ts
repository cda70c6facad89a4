import { randomBytes } from 'node:crypto'
import { command } from '../command.ts'
import { requireChoice } from '../command-line.ts'
import { findIdentity } from '../connect.ts'
import { type Context, say } from '../context.ts'
import { type EventType, eventTypes } from '../event-types.ts'
import { UsageError } from '../failures.ts'
import { openCursor } from '../listen/cursor.ts'
import { type FeedEvent, waitOut } from '../listen/feed.ts'
import type { HandlerResponse } from '../listen/forward.ts'
import { listen, type Start } from '../listen/listen.ts'
import { readDuration } from '../print.ts'
import { provideFileSecret, readSecret } from '../profiles/secrets.ts'
import { readTarget } from '../target.ts'

/** The name of the signing secret of this machine. No profile can have it. */
const secretName = ':listen'
const secretBytes = 32

export const webhooksListen = command({
  name: 'webhooks listen',
  summary: 'forward events to a handler on this machine, signed like webhooks',
  description:
    'It continues after the last event that the handler accepted with a 2xx, also after a restart, sleep or a cut network; each address of --forward-to has a place of its own, for each set of --events. An event that is not accepted is sent again, and the later ones wait. The body of stock.changed has no rows: read the change feed.',
  examples: [
    ['webhooks listen --print-secret', 'the secret with which your handler verifies'],
    ['webhooks listen --forward-to :3000/hook', 'to a port of this machine'],
    ['webhooks listen --forward-to :3000/hook --since 1h', 'with the events of the last hour'],
  ],
  agents:
    'Runs until it is ended. With --json, each line is one attempt: event_id, type, attempt, status, duration_ms. Costs 1 point for each question.',
  options: {
    'forward-to': { type: 'string', value: 'URL', help: 'the handler: a URL, :PORT/PATH or PORT' },
    events: { type: 'string', value: 'TYPES', help: 'only these types, such as order.created,stock.changed' },
    since: {
      type: 'string',
      value: 'WHEN',
      help: 'last (default: after the last accepted event; now at the first time), now, oldest, an event_id, a time, or a duration ago such as 1h',
    },
    'print-secret': { type: 'boolean', help: 'print the signing secret of this machine, and end' },
    interval: { type: 'string', value: 'DURATION', help: 'how often to ask for events; default 2s' },
    'give-up': {
      type: 'string',
      value: 'DURATION',
      help: 'end if the gateway is away for longer; default 5m',
    },
  },
  async run(context, { options }) {
    const secret = await provideSecret(context)
    if (options['print-secret']) {
      const { json } = context.globals
      return json ? context.out.json({ secret }) : context.out.line(secret)
    }
    const { 'forward-to': to, since = 'last', events = '' } = options
    if (to === undefined)
      throw new UsageError('The handler is missing.', 'Give --forward-to, such as :3000/hook.')
    const target = readTarget(to)
    const types = readTypes(events)
    const start = readStart(since)
    const intervalMs = readDuration('interval', options.interval ?? '2s')
    const giveUpMs = readDuration('give-up', options['give-up'] ?? '5m')
    const client = await context.connect()
    const { baseUrl } = await findIdentity(context)
    const { signal } = context
    const report = (text: string) => say(context, text)
    const { channel } = await waitOut({ signal, giveUpMs, report }, (options) => client.me(options))
    const stream = { base_url: baseUrl, channel_code: channel.channel_code, forward_to: target, types }
    const cursor = await openCursor(context.paths, stream)
    try {
      await listen({
        client,
        signal,
        target,
        secret,
        cursor,
        start,
        intervalMs,
        giveUpMs,
        types,
        report,
        onStart: () =>
          say(context, `Forwarding the events of ${channel.channel_code} to ${target}. Ctrl-C ends.`),
        tell: (event, response, attempt) => tell(context, event, response, attempt),
      })
    } finally {
      await cursor.release()
    }
  },
})

async function tell(
  { globals, out, paint }: Context,
  { event_id, type }: FeedEvent,
  { status, durationMs, problem }: HandlerResponse,
  attempt: number,
): Promise<void> {
  if (globals.json)
    return out.json({
      event_id,
      type,
      attempt,
      status: status ?? null,
      duration_ms: durationMs,
      ...(problem === undefined ? {} : { problem }),
    })
  const isAccepted = status !== undefined && status >= 200 && status < 300
  const result = status === undefined ? (problem ?? 'no response') : `${status} in ${durationMs} ms`
  const shown = isAccepted
    ? paint.out.green(result)
    : paint.out.red(`${result}, sent again soon (attempt ${attempt})`)
  await out.line(`${event_id}  ${type.padEnd(13)}  ${shown}`)
}

/** Reads the signing secret of this machine, or makes it at the first time. */
export async function provideSecret({ paths, env }: Context): Promise<string> {
  // The file, because every command that forwards must find the same one, with a keychain or without.
  const known = await readSecret({ paths, env }, secretName, 'file')
  if (known !== undefined) return known
  return provideFileSecret(paths, secretName, `whsec_${randomBytes(secretBytes).toString('base64')}`)
}

/** Reads the types of events. Throws `UsageError`. */
function readTypes(given: string): EventType[] {
  const words = given.split(',').filter((type) => type !== '')
  for (const word of words) requireChoice('--events', word, eventTypes)
  return eventTypes.filter((type) => words.includes(type))
}

/** Reads where to begin. Throws `UsageError`. */
export function readStart(given: string, now: () => number = Date.now): Start {
  if (given === 'last' || given === 'now' || given === 'oldest') return given
  if (/^evt_/.test(given)) return { event_id: given }
  if (/^\d{1,6}[smhd]$/.test(given)) return { at: now() - readDuration('since', given) }
  const at = Date.parse(given)
  if (!Number.isNaN(at)) return { at }
  throw new UsageError(
    `--since cannot be "${given}".`,
    'It is last, now, oldest, an event_id, a time such as 2026-11-23T08:00:00Z, or a duration such as 1h.',
  )
}
