-- Sends one request, or those of a file in turn, and prints a summary of the responses as JSON.
-- A line of the file has a method, a path and, optionally, a body and an idempotency key, separated by tabs.
-- A key of "*" stands for a new one in each request.

local function formatted(line)
  local method, path, body, key = line:match("^([^\t]+)\t([^\t]+)\t?([^\t]*)\t?(.*)$")
  if body == "" then return wrk.format(method, path) end
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  if key ~= "" then headers["Idempotency-Key"] = key end
  return wrk.format(method, path, headers, body)
end

local run = string.format("%d-%s-", os.time(), tostring({}):match("0x(%x+)"))

local function withNewKey(text)
  local from, to = text:find("Idempotency-Key: *", 1, true)
  if not from then return nil end
  local before, after = text:sub(1, to - 1), text:sub(to + 1)
  return function(n) return before .. run .. n .. after end
end

function init(args)
  if not args[1] then return end
  local requests = {}
  for line in io.lines(args[1]) do requests[#requests + 1] = formatted(line) end
  local turn = 0
  local named = #requests == 1 and withNewKey(requests[1])
  request = function()
    turn = turn + 1
    if named then return named(turn) end
    return requests[(turn - 1) % #requests + 1]
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
