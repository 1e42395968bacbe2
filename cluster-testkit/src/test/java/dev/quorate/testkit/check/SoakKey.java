package dev.quorate.testkit.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A key that one client writes, one request at a time, and what reads of it may return: the last
 * acknowledged write, or a write with an unknown outcome. Its memory does not grow with the number
 * of requests, as that of a history does.
 */
final class SoakKey {

    /**
     * The time after which an acknowledged write has a later timestamp than an earlier write with
     * an unknown outcome, however late that one is executed.
     */
    private static final long SETTLED_NANOS = Duration.ofSeconds(30).toNanos();

    /**
     * A write.
     *
     * @param value empty for a deletion
     * @param version empty if unknown
     * @param began when it was sent, in nanoseconds, as are the other times
     * @param mayExpire when its value may be absent, at the earliest
     * @param mustExpire when its value may be present, at the latest
     */
    record Written(String value, String version, long began, long mayExpire, long mustExpire) {

        /** A write without an expiry. */
        Written(String value, String version, long began) {
            this(value, version, began, Long.MAX_VALUE, Long.MAX_VALUE);
        }

        Written at(String newVersion) {
            return new Written(value, newVersion, began, mayExpire, mustExpire);
        }

        private boolean mayBeAbsent(long nanos) {
            return value.isEmpty() || nanos >= mayExpire;
        }
    }

    private final List<Written> undecided = new ArrayList<>();
    private Written acknowledged = new Written("", "", 0);

    void acknowledged(Written write) {
        acknowledged = write;
        undecided.removeIf(each -> each.began < write.began - SETTLED_NANOS);
    }

    /** Notes a write with an unknown outcome. */
    void undecided(Written write) {
        undecided.add(write);
    }

    /** Whether only one state is possible, now and later, without a write. */
    boolean isCertain() {
        return undecided.isEmpty() && acknowledged.mayExpire == Long.MAX_VALUE;
    }

    /** The last acknowledged write. */
    Written last() {
        return acknowledged;
    }

    /**
     * Notes the answer to a read at a majority.
     *
     * @param value empty if there was none
     * @return whether the answer is possible
     */
    boolean isPossible(String value, String version, long began, long ended) {
        if (value.isEmpty()) {
            return acknowledged.mayBeAbsent(ended)
                    || undecided.stream().anyMatch(each -> each.mayBeAbsent(ended));
        }
        if (acknowledged.value.equals(value)) {
            return began <= acknowledged.mustExpire;
        }
        for (Written each : List.copyOf(undecided)) {
            if (each.value.equals(value) && began <= each.mustExpire) {
                // A majority has it before the read is answered.
                undecided.remove(each);
                acknowledged = each.at(version);
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "last acknowledged " + acknowledged + ", undecided " + undecided;
    }
}
