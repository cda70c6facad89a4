/**
 * The sandbox's webhook inboxes, which all processes share. An inbox is a list of messages, each its status and its
 * JSON, and a hash with the failures that are still to happen. An index has the newest inboxes; the others are deleted.
 * All keys are in one slot of a cluster.
 */

import { describeScript } from './script.ts'
import type { Valkey } from './valkey.ts'

/** How much inboxes may have. An inbox that receives nothing for a week is deleted. */
export interface InboxBounds {
  readonly maxInboxes: number
  readonly maxMessages: number
  readonly maxBytes: number
}

const keepMs = 7 * 24 * 60 * 60_000
/** Keys: messages, state, index. */
const touch = `
redis.call('PEXPIRE', KEYS[1], ${keepMs})
redis.call('PEXPIRE', KEYS[2], ${keepMs})
redis.call('PEXPIRE', KEYS[3], ${keepMs})
`

/** Stores a message (`ARGV[1]`), which fails if the inbox is set to fail. Returns its status. */
const receiveScript = describeScript(`
local most, bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local status = 200
if (tonumber(redis.call('HGET', KEYS[2], 'failures')) or 0) > 0 then
  redis.call('HINCRBY', KEYS[2], 'failures', -1)
  status = tonumber(redis.call('HGET', KEYS[2], 'status')) or 500
end
redis.call('RPUSH', KEYS[1], status .. ' ' .. ARGV[1])
local used = redis.call('HINCRBY', KEYS[2], 'bytes', #ARGV[1])
local count = redis.call('LLEN', KEYS[1])
while count > most or (used > bytes and count > 1) do
  used = redis.call('HINCRBY', KEYS[2], 'bytes', 4 - #redis.call('LPOP', KEYS[1]))
  count = count - 1
end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[3], time[1], KEYS[1])
while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[2]) do
  local oldest = redis.call('ZPOPMIN', KEYS[3])[1]
  redis.call('DEL', oldest, oldest .. ':state')
end
${touch}
return status
`)

const failScript = describeScript(`
redis.call('HSET', KEYS[2], 'failures', ARGV[1], 'status', ARGV[2])
${touch}
return 1
`)

const readScript = describeScript(`
local state = redis.call('HMGET', KEYS[2], 'failures', 'status')
return { tonumber(state[1]) or 0, tonumber(state[2]) or 500, redis.call('LRANGE', KEYS[1], 0, -1) }
`)

const deleteScript = describeScript(`
redis.call('ZREM', KEYS[3], KEYS[1])
return redis.call('DEL', KEYS[1], KEYS[2])
`)

/** Stores a message in an inbox. Returns the status with which the inbox responds. Throws `ValkeyAway`. */
export async function receiveMessage(
  valkey: Valkey,
  inbox: string,
  { message, maxInboxes, maxMessages, maxBytes }: InboxBounds & { readonly message: string },
): Promise<number> {
  const values = [message, ...[maxInboxes, maxMessages, maxBytes].map(String)]
  return Number(await valkey.run(receiveScript, listKeys(valkey, inbox), values))
}

/** Makes an inbox respond to the next `times` deliveries with `status`. Throws `ValkeyAway`. */
export async function failMessages(
  valkey: Valkey,
  inbox: string,
  { times, status }: { readonly times: number; readonly status: number },
): Promise<void> {
  await valkey.run(failScript, listKeys(valkey, inbox), [String(times), String(status)])
}

/** An inbox as the server has it; each message is its status and its JSON, oldest first. */
export interface StoredInbox {
  readonly failures: number
  readonly failWith: number
  readonly messages: readonly { readonly status: number; readonly json: string }[]
}

/** Reads an inbox. One that does not exist is empty. Throws `ValkeyAway`. */
export async function readInbox(valkey: Valkey, inbox: string): Promise<StoredInbox> {
  const reply = await valkey.run(readScript, listKeys(valkey, inbox), [])
  const [failures, failWith, messages]: readonly unknown[] = Array.isArray(reply) ? reply : []
  return {
    failures: Number(failures),
    failWith: Number(failWith),
    messages: (Array.isArray(messages) ? messages.map(String) : []).map((text) => ({
      status: Number(text.slice(0, 3)),
      json: text.slice(4),
    })),
  }
}

/** Deletes an inbox. Throws `ValkeyAway`. */
export async function deleteInboxKeys(valkey: Valkey, inbox: string): Promise<void> {
  await valkey.run(deleteScript, listKeys(valkey, inbox), [])
}

function listKeys(valkey: Valkey, inbox: string): string[] {
  const messages = valkey.toKey('{inboxes}', inbox)
  return [messages, `${messages}:state`, valkey.toKey('{inboxes}', '')]
}
