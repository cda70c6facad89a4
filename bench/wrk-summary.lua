-- If POST_BODY is set, wrk posts it.
local body = os.getenv('POST_BODY')
if body and body ~= '' then
  wrk.method = 'POST'
  wrk.body = body
end

-- VARIED is from:to:offset. Each request replaces the word VARIED with the next number of the range.
local varied = os.getenv('VARIED')
if varied and varied ~= '' then
  local from, to, at = varied:match('(%d+):(%d+):(%d+)')
  from, to, at = tonumber(from), tonumber(to), tonumber(at)
  request = function()
    local number = string.format('%.0f', from + at % (to - from))
    at = at + 1
    local headers = {}
    for name, value in pairs(wrk.headers) do headers[name] = (value:gsub('VARIED', number)) end
    return wrk.format(nil, (wrk.path:gsub('VARIED', number)), headers)
  end
end

-- WAIT_MS is the mean time that a connection waits between a response and its next request, evenly spread around it.
local wait = tonumber(os.getenv('WAIT_MS') or '')
if wait then
  delay = function() return math.floor(math.random() * 2 * wait + 0.5) end
end

-- Prints the totals of the run as one line of JSON, the last line of the output.
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"us":%d,"bytes":%d,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
