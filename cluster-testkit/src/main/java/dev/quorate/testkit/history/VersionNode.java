package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a node of {@link VersionOrder}.
 *
 * @param write null for the absence before the first write, and for a read without a known write
 * @param reads by their beginning
 */
record VersionNode(@Nullable Operation write, List<Operation> reads) {

    VersionNode(@Nullable Operation write) {
        this(write, new ArrayList<>());
    }

    /** The version that a read observed, which may not be the final version of its write. */
    static VersionNode seenBy(Operation read) {
        return new VersionNode(null, List.of(read));
    }

    Operation theWrite() {
        return Objects.requireNonNull(write);
    }

    void add(Operation read) {
        reads.add(read);
    }

    /** The write, if known, then the reads by their beginning. */
    Stream<Operation> operations() {
        return Stream.concat(Stream.ofNullable(write), reads.stream());
    }

    boolean isValue() {
        return value() != null;
    }

    /** The value of the version; null if a read finds nothing. */
    @Nullable String value() {
        if (write != null) {
            return write.action() instanceof Action.Put(String value, _) ? value : null;
        }
        if (reads.isEmpty()) {
            return null;
        }
        return Objects.requireNonNull(reads.getFirst()).answer()
                        instanceof Answer.Value(String value, _)
                ? value
                : null;
    }
}
