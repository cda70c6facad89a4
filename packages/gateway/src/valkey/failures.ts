/**
 * The failed sign-ins of an address, which all processes share: a list of times by the server's clock, oldest first. A
 * process keeps a copy, and goes on with it while the server is away.
 */

import { describeScript } from './script.ts'
import { unlessAway, type Valkey } from './valkey.ts'

/** Which failures are kept: how long, and how many. */
export interface FailureBounds {
  readonly windowMs: number
  readonly most: number
}

/** Adds failures, forgets those that are too old or too many, and returns the ages of the rest in milliseconds. */
const failuresScript = describeScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, most = tonumber(ARGV[1]), tonumber(ARGV[2])
for index = 3, #ARGV do redis.call('RPUSH', KEYS[1], now - tonumber(ARGV[index])) end
redis.call('LTRIM', KEYS[1], -most, -1)
local ages = {}
for _, at in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local age = math.max(0, now - tonumber(at))
  if age < window then ages[#ages + 1] = age else redis.call('LREM', KEYS[1], 1, at) end
end
redis.call('PEXPIRE', KEYS[1], window)
return ages
`)

const forgetScript = describeScript(`return redis.call('DEL', KEYS[1])`)

/**
 * Adds failures of the given ages to the list of a subject, and returns the ages of all of them, oldest first. Returns
 * undefined while the server is away.
 */
export async function shareFailures(
  valkey: Valkey,
  subject: string,
  { windowMs, most, added = [] }: FailureBounds & { readonly added?: readonly number[] },
): Promise<number[] | undefined> {
  const values = [windowMs, most, ...added.map((age) => Math.max(0, Math.round(age)))].map(String)
  const ages = await unlessAway(valkey.run(failuresScript, [valkey.toKey('failures', subject)], values))
  return Array.isArray(ages) ? ages.map(Number).toSorted((a, b) => b - a) : undefined
}

/** Forgets the failures of a subject in all processes. */
export async function forgetFailures(valkey: Valkey, subject: string): Promise<void> {
  await unlessAway(valkey.run(forgetScript, [valkey.toKey('failures', subject)], []))
}
