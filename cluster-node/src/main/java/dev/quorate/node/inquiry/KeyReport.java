package dev.quorate.node.inquiry;

import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All members' reports on one key.
 *
 * @param from the default number of owners of a key
 * @param maxAheadMillis how far ahead of a node's clock an accepted entry may be
 * @param members all members, in the order of the ring: the first ones own the key
 * @param conclusions the meaning, in sentences
 */
public record KeyReport(
        byte[] key,
        int from,
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
     * @param isOwner whether it is among the first {@code from}
     * @param held null if it did not answer
     * @param failed the reason if it did not answer, otherwise null
     */
    public record MemberReport(
            String name,
            int number,
            int rank,
            boolean isOwner,
            @Nullable HeldKey held,
            @Nullable Failed failed) {

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
        return entry.from() == 0 ? from : entry.from();
    }

    Stream<MemberReport> owners() {
        return members.stream().filter(MemberReport::isOwner);
    }

    public String nameOf(int number) {
        return members.stream()
                .filter(member -> member.number() == number)
                .map(MemberReport::name)
                .findFirst()
                .orElse("member " + Integer.toUnsignedString(number));
    }
}
