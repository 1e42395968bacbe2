package dev.quorate.storage;

import java.util.List;

/**
 * The unreadable part of one sorted table: the ranges of keys whose newest entries its unreadable
 * blocks may contain. Look-ups in these ranges fail unless a newer entry is found elsewhere.
 *
 * @param file the table's file name
 * @param ranges ascending and disjoint; empty if every entry is readable and only the index or the
 *     filter is damaged
 * @param newest at or after the timestamp of every entry of the table
 */
public record Damage(String file, List<KeyRange> ranges, Timestamp newest) {
    public Damage {
        ranges = List.copyOf(ranges);
    }
}
