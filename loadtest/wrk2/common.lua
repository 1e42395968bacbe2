-- What the load scripts share. Each of them describes its requests in a table and hands it to
-- `common.define`, which sets the functions that wrk and wrk2 call.
--
-- Written for Lua 5.1 as LuaJIT has it, and for what the scripting of wrk 4 and of wrk2 have in
-- common. Every thread of wrk has a Lua state of its own, in which `init`, `request` and `response`
-- run; `setup` and `done` run in one more state. What `done` adds up it therefore asks of each
-- thread by the names of globals, `answers_201` or `sent_PUT`, each of them a number: wrk2 mixes up
-- the keys and values of a table that it carries from one state to another.
--
-- Nothing here reads a clock or a source of randomness: the same arguments give the same requests
-- in the same order.

local common = {}

local KEY_PREFIX = "wrk:"
local BLOCK_BYTES = 65536
local MAX_THREADS = 1024
local LOWEST_STATUS, HIGHEST_STATUS = 100, 999
local METHODS = { "GET", "PUT", "DELETE" }

-- The generator of Park and Miller: its products stay below 2^53, so they are exact in Lua.
local MODULUS = 2147483647
local MULTIPLIER = 16807

local function fail(sentence)
    io.stderr:write(sentence, "\n")
    os.exit(2)
end

local function number_from(options, name, smallest)
    local value = tonumber(options[name])
    if not value or value < smallest or value ~= math.floor(value) then
        fail(name .. " must be a number from " .. smallest .. ", not '"
            .. tostring(options[name]) .. "'.")
    end
    return value
end

-- The arguments after `--`, each name=value. wrk puts the URL at index 0.
local function read_options(args)
    local options = {
        replicas = "", ["value-bytes"] = "100", keys = "100000", threads = "2",
        overwrite = "false", gets = "50", deletes = "5",
    }
    for i = 1, #args do
        local name, value = args[i]:match("^([%w-]+)=(.*)$")
        if not name or options[name] == nil then
            fail("The script does not know the argument '" .. args[i] .. "'.")
        end
        options[name] = value
    end
    return options
end

local function percent_encode(text)
    return (text:gsub("[^%w%-._~]", function(c)
        return string.format("%%%02X", c:byte())
    end))
end

local function random_number(state, limit)
    state.random = state.random * MULTIPLIER % MODULUS
    return state.random % limit
end

-- Pseudo-random letters and digits, longer by a block than a value, so that a value can be a
-- slice of it from anywhere in the first block.
local function random_text(state, bytes)
    local alphabet = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    local letters = {}
    for i = 1, BLOCK_BYTES do
        local at = random_number(state, #alphabet) + 1
        letters[i] = alphabet:sub(at, at)
    end
    return table.concat(letters):rep(math.floor(bytes / BLOCK_BYTES) + 2)
end

-- Distinct for every request as long as it has room for the 16 digits that say which one it is:
-- making one costs a slice and a concatenation.
local function next_body(state)
    state.bodies = state.bodies + 1
    local stamp = string.format("%04x%012x", state.thread, state.bodies)
    local bytes = state.value_bytes
    if bytes <= #stamp then
        return stamp:sub(#stamp - bytes + 1)
    end
    local from = random_number(state, BLOCK_BYTES) + 1
    return stamp .. state.text:sub(from, from + bytes - #stamp - 1)
end

-- Headers given with wrk's -H come with every request.
local function header_lines()
    local lines = {}
    for name, value in pairs(wrk.headers) do
        if name ~= "Content-Length" then
            lines[#lines + 1] = name .. ": " .. value
        end
    end
    return table.concat(lines, "\r\n") .. "\r\n"
end

local function request_line(state, method, key)
    return method .. " " .. state.path .. string.format("%08d", key) .. state.replicas
        .. " HTTP/1.1\r\n" .. state.headers
end

-- The requests. `key` is a number from 0.

function common.get(state, key)
    sent_GET = sent_GET + 1
    return request_line(state, "GET", key) .. "\r\n"
end

function common.delete(state, key)
    sent_DELETE = sent_DELETE + 1
    return request_line(state, "DELETE", key) .. "\r\n"
end

function common.put(state, key)
    sent_PUT = sent_PUT + 1
    return request_line(state, "PUT", key) .. "Content-Length: " .. state.value_bytes
        .. "\r\n\r\n" .. next_body(state)
end

-- The keys.

-- Any of all the keys.
function common.random_key(state)
    return random_number(state, state.keys)
end

-- Every key of this thread's own range, and then from its beginning again.
function common.own_key(state)
    local key = state.first + state.step % math.max(state.last - state.first, 1)
    state.step = state.step + 1
    return key
end

-- Every key of this thread's own range, and then fresh ones after the last key of all, in steps
-- of the number of threads: no two requests of a run have the same.
function common.fresh_key(state)
    local step = state.step
    state.step = step + 1
    local own = state.last - state.first
    if step < own then
        return state.first + step
    end
    return state.keys + (step - own) * state.threads + state.thread
end

-- Percent from 0 to 99, for a mix.
function common.percent(state)
    return random_number(state, 100)
end

local function new_state(options, thread)
    local threads = number_from(options, "threads", 1)
    local keys = number_from(options, "keys", 1)
    if threads > MAX_THREADS or thread >= threads then
        fail("The script was told of " .. threads .. " threads, and wrk runs more: pass threads=N"
            .. " after --, with the N of wrk's -t.")
    end
    local state = {
        thread = thread,
        threads = threads,
        keys = keys,
        first = math.floor(keys * thread / threads),
        last = math.floor(keys * (thread + 1) / threads),
        step = 0,
        bodies = 0,
        random = 1 + thread * 7919,
        value_bytes = number_from(options, "value-bytes", 0),
        overwrite = options.overwrite == "true",
        gets = number_from(options, "gets", 0),
        deletes = number_from(options, "deletes", 0),
        path = "/v0/entity?id=" .. percent_encode(KEY_PREFIX),
        replicas = options.replicas == "" and "" or "&replicas=" .. options.replicas,
        headers = header_lines(),
    }
    state.text = random_text(state, state.value_bytes)
    return state
end

-- Adding up.

local function add_up(threads, prefix, names)
    local total = {}
    for _, name in ipairs(names) do
        for _, thread in ipairs(threads) do
            local count = thread:get(prefix .. name)
            if count and count > 0 then
                total[name] = (total[name] or 0) + count
            end
        end
    end
    return total
end

local function all_statuses()
    local names = {}
    for status = LOWEST_STATUS, HIGHEST_STATUS do
        names[#names + 1] = tostring(status)
    end
    return names
end

local function describe(counts)
    local names = {}
    for name in pairs(counts) do
        names[#names + 1] = name
    end
    table.sort(names)
    local parts = {}
    for _, name in ipairs(names) do
        parts[#parts + 1] = string.format("%s: %d", name, counts[name])
    end
    return #parts == 0 and "none" or table.concat(parts, ", ")
end

-- Answers do not say which request they belong to. Where an operation is the only one, any other
-- status than its own is unexpected; in a mix, so is every answer beyond the requests of its kind.
local function count_unexpected(statuses_of, total_sent, total_counts)
    local unexpected = 0
    local known = {}
    for method, statuses in pairs(statuses_of) do
        local answered = 0
        for _, status in ipairs(statuses) do
            known[status] = true
            answered = answered + (total_counts[status] or 0)
        end
        unexpected = unexpected + math.max(0, answered - (total_sent[method] or 0))
    end
    for status, count in pairs(total_counts) do
        if not known[status] then
            unexpected = unexpected + count
        end
    end
    return unexpected
end

local function report(operation, threads, summary)
    local total_counts = add_up(threads, "answers_", all_statuses())
    local total_sent = add_up(threads, "sent_", METHODS)
    local answers = 0
    for _, count in pairs(total_counts) do
        answers = answers + count
    end
    local errors = summary.errors
    local socket_errors = errors.connect + errors.read + errors.write + errors.timeout
    local unexpected = count_unexpected(operation.statuses, total_sent, total_counts)
    print("Answers by status: " .. describe(total_counts))
    if operation.statuses.GET then
        print(string.format("GET: %d found, %d absent",
            total_counts["200"] or 0, total_counts["404"] or 0))
    end
    print(string.format("Socket errors and timeouts: %d", socket_errors))
    print(string.format("Unexpected answers: %d of %d (expected %s)",
        unexpected, answers, operation.expected))
    if unexpected > 0 or socket_errors > 0 or answers == 0 then
        io.stdout:flush()
        os.exit(1)
    end
end

-- operation.statuses: for each method that it sends, the statuses it expects
-- operation.expected: the same in words
-- operation.next: makes the next request of a thread from its state
function common.define(operation)
    local threads = {}
    local state, first_request, looked_at

    function setup(thread)
        thread:set("thread_number", #threads)
        threads[#threads + 1] = thread
    end

    function init(args)
        sent_GET, sent_PUT, sent_DELETE = 0, 0, 0
        state = new_state(read_options(args), thread_number)
        -- wrk asks the first thread for a request that it looks at and does not send. Asked again,
        -- the thread gives the same one, so that no key is left out.
        first_request = thread_number == 0 and operation.next(state) or nil
        looked_at = false
    end

    function request()
        if first_request then
            local request = first_request
            if looked_at then
                first_request = nil
            end
            looked_at = true
            return request
        end
        return operation.next(state)
    end

    local answers = {}
    for status = LOWEST_STATUS, HIGHEST_STATUS do
        answers[status] = "answers_" .. status
    end

    function response(status)
        local name = answers[status] or answers[HIGHEST_STATUS]
        _G[name] = (_G[name] or 0) + 1
    end

    function done(summary)
        report(operation, threads, summary)
    end
end

return common
