-- The rule of src/domain/limits/tally.ts as one atomic step, for counters that many instances share. The meter contract
-- holds both to the same verdicts. script.ts puts the constants in front: MINUTE, DAY, BAN_MEMORY, BAN_LADDER,
-- EXPIRY_MARGIN, FIELDS, PASS, EXHAUSTED and BANNED.
-- KEYS[1]: the tally of one subject.
-- ARGV: quota per minute; quota per day, 0 for none; strikes that lead to a ban, 0 for never; when bans were lifted;
--       strikes that an instance recorded by itself, and the start of the minute they belong to;
--       how many requests to judge, 0 only to record those strikes; the time in milliseconds, empty for the server's own.
-- Of several requests, it judges those that pass, or else one: the caller comes again with the others.
local per_minute, per_day, strikes_to_ban = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local unbanned_at, reported_strikes, reported_since = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local requests = tonumber(ARGV[7])

local now, margin = tonumber(ARGV[8]), EXPIRY_MARGIN
if not now then
  margin = 0
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local t = {}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(FIELDS))) do t[FIELDS[i]] = tonumber(value or 0) end

local function is_within(from, length) return from <= now and now < from + length end
local function is_banned() return t.bans_in_a_row > 0 and is_within(t.banned_at, t.banned_until - t.banned_at) end
local function is_ladder_forgotten()
  return t.bans_in_a_row == 0 or not is_within(t.banned_at, t.banned_until - t.banned_at + BAN_MEMORY)
end

local function strike()
  local since = t.strikes_since
  if t.minute_used > 0 then since = t.minute_opened_at
  elseif not is_within(since, MINUTE) then since = now end
  if since ~= t.strikes_since then t.strikes_since, t.strikes = since, 0 end
  if requests > 0 then t.strikes = t.strikes + 1 end
  if t.strikes < strikes_to_ban then return strikes_to_ban - t.strikes end
  if is_ladder_forgotten() then t.bans_in_a_row = 0 end
  t.banned_at = now
  t.banned_until = now + BAN_LADDER[math.min(t.bans_in_a_row + 1, #BAN_LADDER)]
  t.bans_in_a_row = t.bans_in_a_row + 1
  t.strikes = 0
  return 0
end

if t.strikes_since == reported_since then t.strikes = t.strikes + reported_strikes end
if t.bans_in_a_row > 0 and t.banned_at <= unbanned_at then t.bans_in_a_row = 0 end
if t.minute_used > 0 and not is_within(t.minute_opened_at, MINUTE) then t.minute_used = 0 end
if t.day_used > 0 and not is_within(t.day_opened_at, DAY) then t.day_used = 0 end

local kind, strikes_left, is_new, judged = PASS, -1, 0, math.min(requests, 1)
local is_exhausted = t.minute_used >= per_minute or (per_day > 0 and t.day_used >= per_day)
if is_banned() then
  kind = BANNED
elseif is_exhausted then
  kind = EXHAUSTED
  if strikes_to_ban > 0 then
    strikes_left = strike()
    if strikes_left == 0 then kind, is_new = BANNED, 1 end
  end
elseif requests > 0 then
  judged = math.min(requests, per_minute - t.minute_used)
  if per_day > 0 then judged = math.min(judged, per_day - t.day_used) end
  if t.minute_used == 0 then t.minute_opened_at = now end
  t.minute_used = t.minute_used + judged
  if per_day > 0 then
    if t.day_used == 0 then t.day_opened_at = now end
    t.day_used = t.day_used + judged
  end
end

-- The key expires when nothing in it matters any longer; the expiry is set in the same step as the numbers.
local ends = t.minute_opened_at + MINUTE
if t.day_used > 0 then ends = math.max(ends, t.day_opened_at + DAY) end
if t.strikes > 0 then ends = math.max(ends, t.strikes_since + MINUTE) end
if t.bans_in_a_row > 0 then ends = math.max(ends, t.banned_until + BAN_MEMORY) end
local values, answer = {}, { kind, now, strikes_left, is_new, judged }
for _, field in ipairs(FIELDS) do
  values[#values + 1] = field
  values[#values + 1] = string.format('%.0f', t[field])
  answer[#answer + 1] = t[field]
end
redis.call('HSET', KEYS[1], unpack(values))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(ends - now, 1) + margin))
return answer
