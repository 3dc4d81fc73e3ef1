-- Sends one request, or those of a file in turn, and prints a summary of the responses as JSON.
-- A line of the file has a method, a path and, optionally, a body and an idempotency key, separated by tabs.
-- A key of "*" stands for a new one in each request. A second argument of "count" counts responses by status,
-- which is too slow to do while something is measured.

local function formatted(line)
  local method, path, body, key = line:match("^([^\t]+)\t([^\t]+)\t?([^\t]*)\t?(.*)$")
  if body == "" then return wrk.format(method, path) end
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  if key ~= "" then headers["Idempotency-Key"] = key end
  return wrk.format(method, path, headers, body)
end

-- The address of a table differs between threads and between runs, so it seeds unique keys.
local address = tostring({}):match("0x(%x+)")
local run = string.format("%d-%s-", os.time(), address)

local function withNewKey(text)
  local from, to = text:find("Idempotency-Key: *", 1, true)
  if not from then return nil end
  local before, after = text:sub(1, to - 1), text:sub(to + 1)
  return function(n) return before .. run .. n .. after end
end

local function sendFrom(file)
  local requests = {}
  for line in io.lines(file) do requests[#requests + 1] = formatted(line) end
  -- All connections of a thread take from one order, which begins somewhere else in each thread and each run:
  -- otherwise the requests of a warm-up would be repeated.
  math.randomseed(os.time() + tonumber(address, 16) % 2 ^ 31)
  local turn = math.random(#requests)
  local named = #requests == 1 and withNewKey(requests[1])
  request = function()
    turn = turn + 1
    if named then return named(turn) end
    return requests[turn % #requests + 1]
  end
end

function init(args)
  if args[1] and args[1] ~= "" then sendFrom(args[1]) end
  if args[2] ~= "count" then return end
  statuses = {}
  response = function(status)
    local name = tostring(status)
    statuses[name] = (statuses[name] or 0) + 1
  end
end

local threads = {}

function setup(thread) threads[#threads + 1] = thread end

local function counted()
  local total, parts = {}, {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses") or {}) do total[status] = (total[status] or 0) + count end
  end
  for status, count in pairs(total) do parts[#parts + 1] = string.format('"%s":%d', status, count) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"micros":%d,"p50Micros":%d,"p99Micros":%d,"socketErrors":%d,"refusals":%d,"statuses":%s}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status, counted()
  ))
end
