-- The requests of ./quorate bench, for wrk and wrk2. Arguments after `--`, each name=value:
--
--   operation    static (GET /v0/status), get, get-absent, put, delete or mixed (get and put)
--   threads      the number of wrk's threads
--   connections  the number of wrk's connections
--   keys         how many keys there are
--   value-bytes  the size of a value, and of the static answer
--   replicas     ack/from
--   in-order     true: each thread goes through its share of the keys, round and round, and at the
--                end it is printed whether every key has been answered
--   checked      true: counts the answers by status, compares bodies, and prints both at the end
--
-- A timed run is neither in order nor checked, so that wrk, which shares the machine with the
-- nodes, does as little as it can: each thread makes a supply of requests before it begins, for keys
-- drawn at random from a fixed seed, and takes them in turn. That goes for the static answer too, so
-- that all figures carry the same cost of the load generator.
--
-- The value of a key never changes, so that any answer can be checked: it is the eight digits of the
-- key's number, and behind them a piece of one text, from a place that depends on the number. A value
-- of up to eight bytes is the last of the digits. StoredValues.java makes the same.

local SUPPLY, SUPPLY_BYTES = 16384, 32 * 1024 * 1024
local SMALLEST_SUPPLY = 64
local ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
local TEXT_BYTES, STRIDE = 65536, 7919
local MODULUS, MULTIPLIER = 2147483647, 16807
local LOWEST_STATUS, HIGHEST_STATUS = 100, 999
local DIGITS = 8

local threads = {}
local options = {}
local operation, keys, bytes, text, host
local supply, in_order, taken, answered, share

local random = 1
local function random_number(limit)
    random = random * MULTIPLIER % MODULUS
    return random % limit
end

-- Twice the same, so that a piece can begin anywhere in the first half.
local function make_text()
    local letters = {}
    for i = 1, TEXT_BYTES do
        local at = random_number(#ALPHABET) + 1
        letters[i] = ALPHABET:sub(at, at)
    end
    return table.concat(letters):rep(2)
end

local function value(key)
    local digits = string.format("%08d", key)
    if bytes <= DIGITS then
        return digits:sub(DIGITS - bytes + 1)
    end
    local start = key * STRIDE % TEXT_BYTES + 1
    return digits .. text:sub(start, start + bytes - DIGITS - 1)
end

local function is_a_value(body)
    if #body ~= bytes then
        return false
    end
    if bytes <= DIGITS then
        return body:find("^%d*$") ~= nil
    end
    local digits = body:match("^%d%d%d%d%d%d%d%d")
    local key = tonumber(digits)
    return key ~= nil and key < keys and body == value(key)
end

local function make_request(key, number)
    if operation == "static" then
        return "GET /v0/status?bytes=" .. bytes .. " HTTP/1.1\r\n" .. host .. "\r\n"
    end
    -- Absent keys lie between those that are there, so that they are not told by a range of keys.
    local target = string.format("/v0/entity?id=bench-%d-%08d%s&replicas=%s HTTP/1.1\r\n",
        bytes, key, operation == "get-absent" and "x" or "", options.replicas)
    local is_put = operation == "put" or operation == "mixed" and number % 2 == 0
    if is_put then
        return "PUT " .. target .. host .. "Content-Length: " .. bytes .. "\r\n\r\n" .. value(key)
    end
    return (operation == "delete" and "DELETE " or "GET ") .. target .. host .. "\r\n"
end

function setup(thread)
    thread:set("thread_number", #threads)
    threads[#threads + 1] = thread
end

local function has_right_body(status, body)
    if status ~= 200 then
        return true
    elseif operation == "static" then
        return #body == bytes
    end
    return is_a_value(body)
end

local function check_answer(status, _, body)
    local name = "answers_" .. status
    _G[name] = (_G[name] or 0) + 1
    if not has_right_body(status, body) then
        strange_bodies = strange_bodies + 1
    end
    answered = answered + 1
    -- As many again as there can be under way, so that the last ones of the share are answered too.
    -- (A thread could stop itself here, but wrk sleeps until the time is over all the same.)
    if in_order and answered == share + tonumber(options.connections) then
        every_key = true
    end
end

function init(args)
    for i = 1, #args do
        local name, given = args[i]:match("^([%w-]+)=(.*)$")
        options[name] = given
    end
    operation, keys = options.operation, tonumber(options.keys)
    bytes, host = tonumber(options["value-bytes"]), "Host: " .. wrk.headers["Host"] .. "\r\n"
    text = make_text()
    local count = tonumber(options.threads)
    local first = math.floor(keys * thread_number / count)
    in_order = options["in-order"] == "true"
    taken, answered, strange_bodies = 0, 0, 0
    share = math.floor(keys * (thread_number + 1) / count) - first
    random = 1 + thread_number * 7919
    supply = {}
    local fitting = math.max(SMALLEST_SUPPLY, math.floor(SUPPLY_BYTES / (bytes + 1)))
    for i = 1, in_order and share or math.min(SUPPLY, fitting) do
        supply[i] = make_request(in_order and first + i - 1 or random_number(keys), i)
    end
    if options.checked == "true" then
        response = check_answer
    end
end

-- wrk looks at the first request of the first thread without sending it: taken in turns, and round
-- and round, it is sent in the end.
function request()
    taken = taken % #supply + 1
    return supply[taken]
end

local function total_of(name)
    local total = 0
    for _, thread in ipairs(threads) do
        total = total + (thread:get(name) or 0)
    end
    return total
end

local function every_key_answered()
    for _, thread in ipairs(threads) do
        if not thread:get("every_key") then
            return false
        end
    end
    return true
end

-- `options` is known to the threads only, so this asks all of them for what they counted.
function done(_, latency)
    local counts = {}
    for status = LOWEST_STATUS, HIGHEST_STATUS do
        local total = total_of("answers_" .. status)
        if total > 0 then
            counts[#counts + 1] = status .. "=" .. total
        end
    end
    if #counts > 0 then
        print("Answers by status: " .. table.concat(counts, " "))
        print("Bodies that no key has: " .. total_of("strange_bodies"))
    end
    -- wrk itself prints none above 99 %.
    print(string.format("Latency of 99.9%%: %d us", latency:percentile(99.9)))
    print(string.format("Latency of 100%%: %d us", latency.max))
    if every_key_answered() then
        print("Every key was answered.")
    end
end
