-- GETs of any of the keys that put.lua writes with the same number of keys.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local common = dofile(here .. "common.lua")

common.define({
    statuses = { GET = { "200", "404" } },
    expected = "200, or 404 for an absent key",
    next = function(state)
        return common.get(state, common.random_key(state))
    end,
})
