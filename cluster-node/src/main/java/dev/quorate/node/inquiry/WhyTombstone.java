package dev.quorate.node.inquiry;

import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.node.message.HeldKey;
import dev.quorate.storage.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Explains why a member still has a tombstone. */
final class WhyTombstone {

    private WhyTombstone() {}

    /**
     * One sentence.
     *
     * @param member a member that answered, and whose newest entry is this tombstone
     */
    static String of(KeyReport report, MemberReport member, HeldKey held, Timestamp tombstone) {
        String kept = member.name() + " still has the tombstone " + tombstone + ": ";
        if (tombstone.wallMillis() < held.gcWatermarkMillis()) {
            return kept
                    + "every member has confirmed that it is complete up to then, so it counts as"
                    + " absent, and one of the next compactions drops it, once nothing older of"
                    + " the key is left in this member's other tables and memory.";
        }
        List<String> missing = new ArrayList<>();
        for (MemberReport other : report.members()) {
            HeldKey said = other.held();
            if (said == null) {
                missing.add(other.name() + " does not answer");
            } else if (said.state().completeMillis() == 0) {
                missing.add(other.name() + " has confirmed nothing yet");
            } else if (said.state().completeMillis() <= tombstone.wallMillis()) {
                Instant upTo = Instant.ofEpochMilli(said.state().completeMillis());
                missing.add(other.name() + " has confirmed up to " + upTo);
            }
        }
        return kept
                + "it cannot be dropped before every member has confirmed that it is complete up to then, and "
                + (missing.isEmpty()
                        ? "all have, which this member learns with its next comparisons"
                        : String.join(", ", missing))
                + ".";
    }
}
