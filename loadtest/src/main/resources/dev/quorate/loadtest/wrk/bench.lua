-- The requests of ./quorate bench, for wrk. Arguments after `--`, each name=value:
--
--   operation    static (GET /v0/status), get or put
--   threads      the number of wrk's threads
--   keys         how many keys there are
--   value-bytes  the size of a value
--   replicas     ack/from
--   in-order     true: each thread goes through its share of the keys, round and round, and at the
--                end it is printed whether every key has been answered
--   checked      true: counts the answers by status and prints them at the end
--
-- A timed run is neither in order nor checked, so that wrk, which shares the machine with the
-- nodes, does as little as it can: each thread makes a supply of requests before it begins, for keys
-- and with values drawn at random from a fixed seed, and takes them in turn. That goes for the
-- static answer too, so that all figures carry the same cost of the load generator.

local SUPPLY = 16384
local ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
local MODULUS, MULTIPLIER = 2147483647, 16807
local LOWEST_STATUS, HIGHEST_STATUS = 100, 999

local threads = {}
local options = {}
local supply, in_order, taken, answered, share

local random = 1
local function random_number(limit)
    random = random * MULTIPLIER % MODULUS
    return random % limit
end

local function value(bytes)
    local letters = {}
    for i = 1, bytes do
        local at = random_number(#ALPHABET) + 1
        letters[i] = ALPHABET:sub(at, at)
    end
    return table.concat(letters)
end

local function make_request(key)
    local host = "Host: " .. wrk.headers["Host"] .. "\r\n"
    if options.operation == "static" then
        return "GET /v0/status HTTP/1.1\r\n" .. host .. "\r\n"
    end
    local target = string.format("/v0/entity?id=bench-%08d&replicas=%s HTTP/1.1\r\n",
        key, options.replicas)
    if options.operation == "get" then
        return "GET " .. target .. host .. "\r\n"
    end
    local bytes = tonumber(options["value-bytes"])
    return "PUT " .. target .. host .. "Content-Length: " .. bytes .. "\r\n\r\n" .. value(bytes)
end

function setup(thread)
    thread:set("thread_number", #threads)
    threads[#threads + 1] = thread
end

local function count_answer(status)
    local name = "answers_" .. status
    _G[name] = (_G[name] or 0) + 1
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
    local keys, count = tonumber(options.keys), tonumber(options.threads)
    local first = math.floor(keys * thread_number / count)
    in_order = options["in-order"] == "true"
    taken, answered = 0, 0
    share = math.floor(keys * (thread_number + 1) / count) - first
    random = 1 + thread_number * 7919
    supply = {}
    for i = 1, in_order and share or SUPPLY do
        supply[i] = make_request(in_order and first + i - 1 or random_number(keys))
    end
    if options.checked == "true" then
        response = count_answer
    end
end

-- wrk looks at the first request of the first thread without sending it: taken in turns, and round
-- and round, it is sent in the end.
function request()
    taken = taken % #supply + 1
    return supply[taken]
end

-- `options` is known to the threads only, so this asks all of them for what they counted.
function done()
    local counts = {}
    for status = LOWEST_STATUS, HIGHEST_STATUS do
        local total = 0
        for _, thread in ipairs(threads) do
            total = total + (thread:get("answers_" .. status) or 0)
        end
        if total > 0 then
            counts[#counts + 1] = status .. "=" .. total
        end
    end
    if #counts > 0 then
        print("Answers by status: " .. table.concat(counts, " "))
    end
    for _, thread in ipairs(threads) do
        if not thread:get("every_key") then
            return
        end
    end
    print("Every key was answered.")
end
