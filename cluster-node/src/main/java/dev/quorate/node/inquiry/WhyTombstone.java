package dev.quorate.node.inquiry;

import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.node.message.HeldKey;
import dev.quorate.storage.Timestamp;
import java.time.Instant;

/** Why a member still has a tombstone: the one place that says so. */
final class WhyTombstone {

    private WhyTombstone() {}

    /**
     * One sentence.
     *
     * @param member one that has answered, and holds this tombstone as its newest entry
     */
    static String of(MemberReport member, HeldKey held, Timestamp tombstone) {
        Timestamp upTo = held.collectedUpTo();
        String kept = member.name() + " still has the tombstone " + tombstone;
        if (upTo.equals(Timestamp.ZERO)) {
            return kept
                    + ": tombstones are kept until every member has confirmed that it has all up to"
                    + " them, and nothing is confirmed yet.";
        }
        if (tombstone.isAfter(upTo)) {
            return kept
                    + ": tombstones are kept until every member has confirmed that it has all up to"
                    + " them, and that is so up to "
                    + Instant.ofEpochMilli(upTo.wallMillis())
                    + ".";
        }
        return kept
                + ": it may go with one of the next compactions, once nothing older of the key is"
                + " left in this member's other tables and memory.";
    }
}
