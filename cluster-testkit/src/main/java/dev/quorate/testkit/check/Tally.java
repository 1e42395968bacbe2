package dev.quorate.testkit.check;

import java.util.EnumMap;
import java.util.Map;

/** Counts replies. For any number of threads. */
final class Tally {

    // Both guarded by this.
    private final Map<Reply.Kind, Long> counts = new EnumMap<>(Reply.Kind.class);
    private String oddExample = "";

    synchronized void add(Reply reply) {
        counts.merge(reply.kind(), 1L, Long::sum);
        if (reply.kind() == Reply.Kind.ODD && oddExample.isEmpty()) {
            oddExample = reply.answer().toString();
        }
    }

    synchronized long of(Reply.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    synchronized long all() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The first odd answer; empty if there was none. */
    synchronized String oddExample() {
        return oddExample;
    }

    /** Such as {@code 120 ok, 3 504, 1 not reached}. */
    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Reply.Kind, Long> count : counts.entrySet()) {
            text.append(text.isEmpty() ? "" : ", ");
            text.append(count.getValue()).append(' ').append(count.getKey().word());
        }
        return text.toString();
    }
}
