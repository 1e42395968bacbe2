package dev.quorate.storage;

import java.util.List;

/**
 * What is lost of one sorted table: the ranges of keys whose newest entries it may have had in
 * blocks that cannot be read. Look-ups in them fail, unless something newer lies elsewhere.
 *
 * @param file the table's file
 * @param ranges ascending, not touching; none if every entry can be read, and only something that
 *     leads to them is damaged
 * @param newest no entry of the table has a later timestamp
 */
public record Damage(String file, List<KeyRange> ranges, Timestamp newest) {
    public Damage {
        ranges = List.copyOf(ranges);
    }
}
