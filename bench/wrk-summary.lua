-- What is posted, where anything is.
local body = os.getenv('POST_BODY')
if body and body ~= '' then
  wrk.method = 'POST'
  wrk.body = body
end

-- The run's totals as one line of JSON, the last of the output.
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"us":%d,"bytes":%d,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
