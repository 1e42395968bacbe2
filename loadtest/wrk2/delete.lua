-- DELETEs of the keys that put.lua writes: each thread goes through its own range of them, and then
-- from its beginning again, where they are absent and answered alike.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local common = dofile(here .. "common.lua")

common.define({
    statuses = { DELETE = { "202" } },
    expected = "202",
    next = function(state)
        return common.delete(state, common.own_key(state))
    end,
})
