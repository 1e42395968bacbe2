package dev.quorate.node.inquiry;

import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All members' reports on one key.
 *
 * @param topology the topology in use when the members were asked
 * @param maxAheadMillis how far ahead of a node's clock an accepted entry may be
 * @param members all members, in the order of the ring: the first ones own the key
 * @param conclusions the meaning, in sentences
 */
public record KeyReport(
        byte[] key,
        Topology topology,
        long maxAheadMillis,
        List<MemberReport> members,
        List<String> conclusions) {

    public KeyReport {
        members = List.copyOf(members);
        conclusions = List.copyOf(conclusions);
    }

    /**
     * One member's report.
     *
     * @param rank its place in the key's ring order, from 1
     * @param isOld whether it owns the key before the change in progress
     * @param isNew whether it owns the key after the change; without one, the same as {@code isOld}
     * @param held null if it did not answer
     * @param failed the reason if it did not answer, otherwise null
     */
    public record MemberReport(
            String name,
            int number,
            int rank,
            boolean isOld,
            boolean isNew,
            @Nullable HeldKey held,
            @Nullable Failed failed) {

        boolean isOwner() {
            return isOld || isNew;
        }

        /** Its newest entry; null if it has none or did not answer. */
        public @Nullable Held newest() {
            return held == null
                    ? null
                    : held.entries().stream()
                            .max(Comparator.comparing(Held::timestamp))
                            .orElse(null);
        }

        /** The entry that it would return to a read; null if none. */
        @Nullable Held answer() {
            Held newest = newest();
            if (held == null || newest == null) {
                return null;
            }
            boolean isBelowWatermark = newest.timestamp().wallMillis() < held.gcWatermarkMillis();
            return isBelowWatermark && isGone(newest, held.wallMillis()) ? null : newest;
        }

        private static boolean isGone(Held entry, long wallMillis) {
            return entry.isTombstone()
                    || (entry.expiresAtMillis() != Entry.NEVER
                            && entry.expiresAtMillis() <= wallMillis);
        }

        /** Whether it can answer a read: it votes, and has nothing unreadable that may be newer. */
        boolean canAnswer() {
            if (held == null || !held.state().condition().votes()) {
                return false;
            }
            Held newest = newest();
            return held.unread().stream()
                    .allMatch(
                            unread ->
                                    newest != null && newest.timestamp().isAfter(unread.newest()));
        }
    }

    /** Whether any member has an entry of the key. */
    public boolean isFound() {
        return members.stream().anyMatch(member -> member.newest() != null);
    }

    /** Whether every member has answered completely. */
    public boolean isWhole() {
        return members.stream()
                .map(MemberReport::held)
                .allMatch(held -> held != null && held.isWhole() && held.unread().isEmpty());
    }

    /**
     * Whether an entry is from a clock that was too far ahead, by the clock of the member that has
     * it.
     */
    public boolean isAhead(HeldKey held, Held entry) {
        return entry.timestamp().wallMillis() - maxAheadMillis > held.wallMillis();
    }

    /** The number of owners of an entry. */
    public int copies(Held entry) {
        return entry.from() == 0 ? topology.replicationFactor() : entry.from();
    }

    /**
     * Whether an entry is hidden, and will be deleted, because its key has moved (decision 0053).
     */
    public boolean isLeftOver(MemberReport member, Held entry) {
        HeldKey held = member.held();
        boolean isClean = held == null || held.state().clean() >= topology.shrunk();
        return !isClean && member.rank() > copies(entry);
    }

    /** Whether a member owns the key; in a joint epoch the groups of owners that it is in. */
    public String owner(MemberReport member) {
        if (!member.isOwner() || !topology.isJoint()) {
            return member.isOwner() ? "yes" : "no";
        }
        return !member.isNew() ? "old" : member.isOld() ? "both" : "new";
    }

    public String nameOf(int number) {
        return members.stream()
                .filter(member -> member.number() == number)
                .map(MemberReport::name)
                .findFirst()
                .orElse("member " + Integer.toUnsignedString(number));
    }
}
