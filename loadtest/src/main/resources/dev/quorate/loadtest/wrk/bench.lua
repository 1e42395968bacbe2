-- The requests of ./quorate bench, for wrk and wrk2. Arguments after `--`, each name=value:
--
--   operation    static (GET /v0/status), get, get-once, get-absent, put, put-new, delete, mixed (get
--                and put by turns) or range
--   threads      the number of wrk's threads
--   connections  the number of wrk's connections
--   keys         how many keys there are
--   value-bytes  the size of a value, and of the static answer
--   query        how many replicas have to answer: replicas=ack/from or ack=ack&from=from
--   series       a word of all keys that put-new puts
--   in-order     true: each thread goes through its share of the keys, round and round, and at the
--                end it is printed whether every key has been answered; otherwise they are random
--   checked      true: counts the answers by status, compares bodies, and prints both at the end
--
-- A request is made when it is sent, and of few pieces: half a microsecond, for the static answer too,
-- so that all figures carry the same cost of the load generator. LuaJIT 2.0, which wrk2 has in it,
-- keeps every string in a table by a hash of sixteen of its bytes, in which requests that differ in
-- their keys alone are alike. Of a supply of 50,000 each was compared to all others, for ten seconds
-- and more; and of requests made one by one there are thousands until they are collected. A header of
-- a suitable length therefore pushes the last digits of the key to where the hash looks.
--
-- The value of a key never changes, so that any answer can be checked: it is the eight digits of the
-- key's number, and behind them a piece of one text, from a place that depends on the number. A value
-- of up to eight bytes is the last of the digits. StoredValues.java makes the same.

local ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
local TEXT_BYTES, STRIDE = 65536, 7919
local MODULUS, MULTIPLIER = 2147483647, 16807
local LOWEST_STATUS, HIGHEST_STATUS = 100, 999
local DIGITS, HALF = 8, 10000
local PAD_NAME = "User-Agent: "

local floor = math.floor

local threads = {}
local options = {}
local operation, keys, bytes, text
local in_order, first, share, count, taken, answered

-- The pieces of a request: before and behind the digits of its key.
local read_head, read_tail, put_head, put_tail, whole

-- "0000" to "9999".
local four_digits = {}

local random = 1
local function random_number(limit)
    random = random * MULTIPLIER % MODULUS
    return random % limit
end

-- The same again and again, so that the longest piece can begin anywhere in the first 64 KiB.
local function make_text()
    local letters = {}
    for i = 1, TEXT_BYTES do
        local at = random_number(#ALPHABET) + 1
        letters[i] = ALPHABET:sub(at, at)
    end
    return table.concat(letters):rep(math.ceil(bytes / TEXT_BYTES) + 1)
end

local function value(key)
    local digits = four_digits[floor(key / HALF)] .. four_digits[key % HALF]
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

-- A header with which the last four digits of the key are among the four bytes from a quarter of the
-- request on, of which the hash is made.
local function pad(head, tail)
    local length = 4 * (#head + DIGITS - 4 + 1)
    local missing = length - #head - DIGITS - #tail - #PAD_NAME - 2
    return missing < 0 and "" or PAD_NAME .. ("-"):rep(missing) .. "\r\n"
end

local function make_pieces()
    local host = "Host: " .. wrk.headers["Host"] .. "\r\n"
    local prefix = "bench-" .. bytes .. "-"
    local target = "/v0/entity?id=" .. prefix
    local rest = "&" .. options.query .. " HTTP/1.1\r\n" .. host
    read_head = (operation == "delete" and "DELETE " or "GET ") .. target
    -- Absent keys lie between those that are there, so that they are not told by a range of keys.
    read_tail = (operation == "get-absent" and "x" or "") .. rest
    read_tail = read_tail .. pad(read_head, read_tail .. "\r\n") .. "\r\n"
    put_head = "PUT " .. target
    if operation == "put-new" then
        put_head = "PUT /v0/entity?id=new-" .. bytes .. "-" .. options.series .. "-"
    end
    put_tail = rest .. "Content-Length: " .. bytes .. "\r\n\r\n"
    if operation == "static" then
        whole = "GET /v0/status?bytes=" .. bytes .. " HTTP/1.1\r\n" .. host .. "\r\n"
    elseif operation == "range" then
        whole = "GET /v0/entities?start=" .. prefix .. "00000000&end=" .. prefix .. "~" .. rest .. "\r\n"
    end
end

function setup(thread)
    thread:set("thread_number", #threads)
    threads[#threads + 1] = thread
end

local function has_right_body(status, body)
    if status ~= 200 then
        return true
    elseif operation == "static" then
        -- What another server says there is its own affair.
        return #body == bytes or options.query:find("^ack=") ~= nil
    elseif operation == "range" then
        return #body == keys * (#("bench--\n" .. bytes) + DIGITS + bytes)
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
    bytes, count = tonumber(options["value-bytes"]), tonumber(options.threads)
    for i = 0, HALF - 1 do
        four_digits[i] = string.format("%04d", i)
    end
    text = make_text()
    make_pieces()
    in_order = options["in-order"] == "true"
    taken, answered, strange_bodies = 0, 0, 0
    first = floor(keys * thread_number / count)
    share = floor(keys * (thread_number + 1) / count) - first
    random = 1 + thread_number * 7919
    if options.checked == "true" then
        response = check_answer
    end
end

local function next_key(number)
    if operation == "put-new" then
        return number * count + thread_number
    end
    return in_order and first + number % share or random_number(keys)
end

-- wrk looks at the first request of the first thread without sending it: taken in order, and round
-- and round, it is sent in the end.
function request()
    local number = taken
    taken = number + 1
    local key = next_key(number)
    local high, low = four_digits[floor(key / HALF)], four_digits[key % HALF]
    if operation == "put" or operation == "put-new" or operation == "mixed" and number % 2 == 1 then
        if bytes <= DIGITS then
            return put_head .. high .. low .. put_tail .. value(key)
        end
        local start = key * STRIDE % TEXT_BYTES + 1
        return put_head .. high .. low .. put_tail
            .. high .. low .. text:sub(start, start + bytes - DIGITS - 1)
    end
    local made = read_head .. high .. low .. read_tail
    return whole or made
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
