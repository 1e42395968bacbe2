-- GETs and DELETEs of any of the keys and, for the rest, PUTs: with overwrite=true to any of the
-- keys, otherwise as in put.lua to a key that no other request of the run writes.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local common = dofile(here .. "common.lua")

common.define({
    statuses = { GET = { "200", "404" }, PUT = { "201" }, DELETE = { "202" } },
    expected = "GET 200 or 404, PUT 201, DELETE 202",
    next = function(state)
        local percent = common.percent(state)
        if percent < state.gets then
            return common.get(state, common.random_key(state))
        elseif percent < state.gets + state.deletes then
            return common.delete(state, common.random_key(state))
        end
        local key = state.overwrite and common.random_key(state) or common.fresh_key(state)
        return common.put(state, key)
    end,
})
