-- Sends one request, or those of a file in turn, and prints a summary of the responses as JSON.
-- A line of the file has a method, a path and, optionally, a body, separated by tabs.

local function formatted(line)
  local method, path, body = line:match("^([^\t]+)\t([^\t]+)\t?(.*)$")
  if body == "" then return wrk.format(method, path) end
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return wrk.format(method, path, headers, body)
end

function init(args)
  if not args[1] then return end
  local requests = {}
  for line in io.lines(args[1]) do requests[#requests + 1] = formatted(line) end
  local turn = 0
  request = function()
    turn = turn % #requests + 1
    return requests[turn]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"micros":%d,"p50Micros":%d,"p99Micros":%d,"socketErrors":%d,"refusals":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status
  ))
end
