/**
 * The sliding window of `kernel/quota.ts` as a script of the server. It decides several operations, each on its own
 * key, and each atomically: no other command runs in between. A key is a hash: `n` is the newest second, `t` the
 * total, `b` when the window began, and a number from 0 to 60 the points of a slot. A key expires when its window is
 * empty.
 *
 * The time is the server's, because the monotonic clocks of processes have nothing in common, and their wall clocks may
 * differ. If the server's clock is set back, spending stays in the newest slot, as in memory.
 */

import { slots, windowSeconds } from '../kernel/quota.ts'
import { describeScript } from './script.ts'

/** `g` gives points back, `s` only tests, `t` takes all points or none, `u` takes up to the points but at least one. */
export type CounterMode = 'g' | 's' | 't' | 'u'

/**
 * The arguments of each operation: mode, points, limit, and points to add before because the server missed them. Points
 * that are given back have no limit but the milliseconds since they were taken.
 */
export const argumentsPerOperation = 4
/**
 * The replies of each operation: points taken or -1, total, seconds until it would succeed, seconds until reset, and when
 * the window began, which identifies it.
 */
export const repliesPerOperation = 5

/** How long a key outlives its last change: its whole window and a second for rounding. */
const keepMs = (slots + 1) * 1_000

/** `ARGV[1]` is a time in milliseconds for tests; the server's clock counts if it is empty. */
export const counterScript = describeScript(`
local slots, window, keep = ${slots}, ${windowSeconds}, ${keepMs}
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Reads a window and removes the slots that have left it. Returns newest second, total, the newest slot's points, and
-- when the window began.
local function read(key)
  local second = math.floor(now / 1000)
  local head = redis.call('HMGET', key, 'n', 't', second % slots, 'b')
  local newest, total, began = tonumber(head[1]), tonumber(head[2]), tonumber(head[4]) or now
  if not newest then return second, 0, 0, now end
  local steps = math.min(slots, second - newest)
  if steps == slots then
    redis.call('DEL', key)
    return second, 0, 0, now
  end
  if steps == 0 then return newest, total, tonumber(head[3]) or 0, began end
  if steps < 0 then return newest, total, tonumber(redis.call('HGET', key, newest % slots)) or 0, began end
  local left = {}
  for step = 1, steps do left[step] = (second - steps + step) % slots end
  for _, points in ipairs(redis.call('HMGET', key, unpack(left))) do total = total - (tonumber(points) or 0) end
  redis.call('HDEL', key, unpack(left))
  return second, total, 0, began
end

local function readSlots(key)
  local fields, spent = redis.call('HGETALL', key), {}
  for at = 1, #fields, 2 do spent[fields[at]] = tonumber(fields[at + 1]) end
  return spent
end

local function seconds(second)
  return math.ceil(((second + slots) * 1000 - now) / 1000)
end

local function wait(key, second, missing)
  local spent = readSlots(key)
  for old = second - slots + 1, second do
    missing = missing - (spent[tostring(old % slots)] or 0)
    if missing <= 0 then return math.max(1, seconds(old)) end
  end
  return window
end

-- Takes points out of the slot in which they were taken, and of later ones. Returns how many there were.
local function giveBack(key, second, points, ageMs)
  local spent, left, taken = readSlots(key), points, math.floor((now - ageMs) / 1000)
  if taken <= second - slots then return 0 end
  for old = taken, second do
    if left == 0 then break end
    local field = tostring(old % slots)
    local back = math.min(left, spent[field] or 0)
    if back > 0 then redis.call('HINCRBY', key, field, -back) end
    left = left - back
  end
  return points - left
end

local function reset(key, second, total)
  if total == 0 then return 0 end
  local spent = readSlots(key)
  for old = second, second - slots + 1, -1 do
    if (spent[tostring(old % slots)] or 0) > 0 then return seconds(old) end
  end
  return 0
end

local replies = {}
for index, key in ipairs(KEYS) do
  local at = 1 + (index - 1) * ${argumentsPerOperation}
  local mode, points, limit, missed =
    ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local second, total, newest, began = read(key)
  local taken, waiting, added = 0, 0, missed
  total = total + missed
  if mode == 'g' then
    total = total - giveBack(key, second, points, limit)
    newest = tonumber(redis.call('HGET', key, second % slots)) or 0
  else
    local least = mode == 'u' and 1 or points
    if total + least > limit then
      taken = -1
    elseif mode ~= 's' then
      taken = math.min(points, limit - total)
      added = added + taken
      total = total + taken
    end
  end
  if total > 0 then
    redis.call('HSET', key, 'n', second, 't', total, 'b', began, second % slots, newest + added)
    redis.call('PEXPIRE', key, keep)
  else
    redis.call('DEL', key)
  end
  if taken == -1 then waiting = wait(key, second, total + (mode == 'u' and 1 or points) - limit) end
  replies[#replies + 1] = taken
  replies[#replies + 1] = total
  replies[#replies + 1] = waiting
  replies[#replies + 1] = newest + added > 0 and seconds(second) or reset(key, second, total)
  replies[#replies + 1] = began
end
return replies
`)
