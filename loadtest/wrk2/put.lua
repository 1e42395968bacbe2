-- PUTs. With overwrite=true each goes to any of the keys; otherwise every request has a key of its
-- own: a thread goes through its own range of the keys and then on to fresh ones.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local common = dofile(here .. "common.lua")

common.define({
    statuses = { PUT = { "201" } },
    expected = "201",
    next = function(state)
        local key = state.overwrite and common.random_key(state) or common.fresh_key(state)
        return common.put(state, key)
    end,
})
