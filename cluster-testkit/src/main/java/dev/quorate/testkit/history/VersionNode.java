package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node of {@link VersionOrder}, with the operations that it stands for. */
final class VersionNode {

    /** Null for "nothing yet", and for a read that stands by itself. */
    private final @Nullable Operation write;

    private final List<Operation> reads = new ArrayList<>();

    /**
     * @param write what it wrote, or will have written; null for what was there before the first
     */
    VersionNode(@Nullable Operation write) {
        this.write = write;
    }

    /** What a read saw, of which it is not settled whether it was the final version of a write. */
    static VersionNode seenBy(Operation read) {
        VersionNode version = new VersionNode(null);
        version.reads.add(read);
        return version;
    }

    Operation theWrite() {
        return Objects.requireNonNull(write);
    }

    void add(Operation read) {
        reads.add(read);
    }

    /** The write, if known, then the reads by their start. */
    Stream<Operation> operations() {
        return Stream.concat(Stream.ofNullable(write), reads.stream());
    }

    List<Operation> reads() {
        return reads;
    }

    /** Whether a read of it finds a value. */
    boolean isValue() {
        return value() != null;
    }

    /** What a read of it finds; null for nothing. */
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
