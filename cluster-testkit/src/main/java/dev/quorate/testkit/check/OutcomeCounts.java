package dev.quorate.testkit.check;

import java.util.EnumMap;
import java.util.Map;

/** Counts the outcomes of requests. Thread-safe. */
final class OutcomeCounts {

    // Both guarded by this.
    private final Map<RequestOutcome.Kind, Long> counts = new EnumMap<>(RequestOutcome.Kind.class);
    private String oddExample = "";

    synchronized void add(RequestOutcome reply) {
        counts.merge(reply.kind(), 1L, Long::sum);
        if (reply.kind() == RequestOutcome.Kind.ODD && oddExample.isEmpty()) {
            oddExample = reply.answer().toString();
        }
    }

    synchronized long of(RequestOutcome.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    synchronized long all() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The first unexpected answer; empty if there was none. */
    synchronized String oddExample() {
        return oddExample;
    }

    /** Such as {@code 120 ok, 3 504, 1 not reached}. */
    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<RequestOutcome.Kind, Long> count : counts.entrySet()) {
            text.append(text.isEmpty() ? "" : ", ");
            text.append(count.getValue()).append(' ').append(count.getKey().word());
        }
        return text.toString();
    }
}
