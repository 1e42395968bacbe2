package dev.quorate.node.antientropy;

import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Objects;

/**
 * A loss that a healing cannot repair, as far as is known, and that an operator must accept before
 * healing continues.
 *
 * @param file the damaged table
 * @param ranges of keys in which entries may be lost, at least one
 * @param newest upper bound of the timestamps of entries that may be lost
 * @param damagedAlike the other members that are damaged in the same keys; empty if there is no
 *     other member
 * @param why the loss needs acceptance
 */
public record AcceptedLoss(
        String file,
        List<KeyRange> ranges,
        Timestamp newest,
        List<String> damagedAlike,
        String why) {
    public AcceptedLoss {
        ranges = List.copyOf(ranges);
        damagedAlike = List.copyOf(damagedAlike);
    }

    /** The name by which an operator accepts this loss: letters, digits, dots and dashes. */
    public String name() {
        String rest = Integer.toHexString(Objects.hash(ranges, damagedAlike));
        return file + "-" + ranges.size() + "-" + rest;
    }

    /** The log line of its acceptance. */
    String acceptance() {
        return "it was accepted that entries of "
                + ranges.size()
                + " ranges of keys may be lost, none newer than "
                + newest;
    }

    boolean covers(Damage damage, KeyRange range, List<String> alike) {
        return damage.file().equals(file)
                && ranges.contains(range)
                && damagedAlike.containsAll(alike);
    }
}
