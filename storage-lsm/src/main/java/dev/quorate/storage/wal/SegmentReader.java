package dev.quorate.storage.wal;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.MalformedException;
import dev.quorate.storage.wal.LogFormat.Header;
import dev.quorate.storage.wal.LogFormat.Identity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment from its beginning, and determines its end.
 *
 * <p>A bad record is either a write torn by a crash, which was never acknowledged, or damage to a
 * durable one. The groups distinguish them: nothing of group g + 1 is written before the fsync of
 * group g has returned, so any intact record of a later group proves that the bad region was
 * durable.
 *
 * <ul>
 *   <li>The last good record does not end its group g: the bad region is in group g. An intact
 *       record after it of a group after g means corruption.
 *   <li>It ends its group g: the bad region is in group g + 1. An intact record after it of a group
 *       after g + 1 means corruption.
 *   <li>Otherwise the bad region is torn, and dropped.
 * </ul>
 *
 * <p>The limit: in the last group of an unsealed segment, damage cannot be distinguished from a
 * torn write, as in any log without a later record.
 */
public record SegmentReader(MemorySegment file, String name, long segment) {

    /**
     * The search after a bad record verifies candidates for later records. In a segment without a
     * mark, a value can imitate many overlapping records whose verification reads the same bytes
     * repeatedly; the search fails after reading this many times the segment's size. With a mark,
     * only real records are candidates, and these do not overlap.
     */
    private static final int MAX_UNMARKED_PASSES = 16;

    private static final int SEARCH_STEP_BYTES = 4096;

    private static final int MARK_OFFSET = 8;

    /**
     * The end of a segment.
     *
     * @param next the next segment according to the seal; 0 if the seal names none or is missing
     * @param tornBytes bytes of a write torn by a crash, which is not damage
     */
    public record End(boolean sealed, long next, long tornBytes) {}

    /**
     * Passes every intact entry to {@code entries}, in the order of writing.
     *
     * <p>This includes the intact entries of a torn group: a group is a unit of fsync, not a
     * transaction, and these writes were not reported as failed.
     *
     * @throws CorruptionException if anything durable is damaged
     */
    End read(Consumer<Entry> entries) {
        Identity identity = LogFormat.checkHeader(file, name, segment);
        long at = LogFormat.HEADER_BYTES;
        int group = 0;
        boolean groupEnded = true;
        while (true) {
            Header record = LogFormat.readRecord(file, at, identity.mark());
            int expectedGroup = groupEnded ? group + 1 : group;
            if (record == null || record.group() != expectedGroup) {
                return new End(false, 0, checkTorn(identity, at, expectedGroup));
            }
            if (record.seal()) {
                return new End(true, sealedNext(record), 0);
            }
            if (record.length() > 0) {
                entries.accept(entry(record));
            }
            group = record.group();
            groupEnded = record.lastInGroup();
            at = record.end();
        }
    }

    /**
     * The result of reading a damaged segment.
     *
     * @param next the next segment according to the seal, if any
     * @param lost ranges of bytes without a readable record, each as a phrase
     */
    record Salvaged(boolean sealed, long next, List<String> lost) {}

    /**
     * Passes every readable entry to {@code entries}, at any offset, including those of writes with
     * an unknown outcome.
     */
    Salvaged salvage(Consumer<Entry> entries) {
        Identity identity;
        try {
            identity = LogFormat.checkHeader(file, name, segment);
        } catch (CorruptionException damaged) {
            identity = LogFormat.identityOfFirstRecord(file);
            if (identity == null) {
                return new Salvaged(false, 0, List.of("all of it, without a header to read it by"));
            }
        }
        List<String> lost = new ArrayList<>();
        long at = LogFormat.HEADER_BYTES;
        while (true) {
            Header record = LogFormat.readRecord(file, at, identity.mark());
            if (record == null) {
                Search search = new Search(identity, at, 0);
                record = search.nextWhole();
                if (record != null || search.end > at) {
                    long to = record == null ? search.end : record.offset();
                    lost.add("bytes %,d to %,d".formatted(at, to));
                }
                if (record == null) {
                    return new Salvaged(false, 0, lost);
                }
            }
            if (record.seal() && record.length() == Long.BYTES) {
                return new Salvaged(true, sealedNext(record), lost);
            }
            if (record.length() > 0) {
                try {
                    entries.accept(entry(record));
                } catch (CorruptionException malformed) {
                    lost.add("bytes %,d to %,d".formatted(record.offset(), record.end()));
                }
            }
            at = record.end();
        }
    }

    private long sealedNext(Header record) {
        if (record.length() != Long.BYTES) {
            throw new CorruptionException(
                    name, record.offset(), "seal with a payload of " + record.length() + " bytes");
        }
        return LogFormat.payload(file, record).getLong();
    }

    private Entry entry(Header record) {
        ByteBuffer payload = LogFormat.payload(file, record);
        try {
            Entry entry = EntryCodec.decode(payload);
            if (payload.hasRemaining()) {
                throw new MalformedException(payload.remaining() + " bytes after the entry");
            }
            return entry;
        } catch (MalformedException e) {
            throw new CorruptionException(name, record.offset(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * The length of the torn region from {@code from} on, in bytes; fails if it is damage instead.
     */
    private long checkTorn(Identity identity, long from, int tornGroup) {
        Search search = new Search(identity, from, tornGroup);
        Header later = search.nextWhole();
        if (later != null) {
            throw new CorruptionException(
                    name,
                    from,
                    "no whole record of group %d, though group %d follows at offset %d"
                            .formatted(tornGroup, later.group(), later.offset()));
        }
        return search.end - from;
    }

    /**
     * Whether the file contains any intact record of its segment. Without an intact header it
     * contains none: the header is durable before the first record is written.
     */
    boolean containsAnyRecord() {
        Identity identity;
        try {
            identity = LogFormat.checkHeader(file, name, segment);
        } catch (CorruptionException none) {
            return false;
        }
        return new Search(identity, LogFormat.HEADER_BYTES, 0).nextWhole() != null;
    }

    boolean hasOwnHeader() {
        try {
            LogFormat.checkHeader(file, name, segment);
            return true;
        } catch (CorruptionException other) {
            return false;
        }
    }

    /** Searches for intact records of groups after {@code afterGroup}, at any offset. */
    private final class Search {

        private final Identity identity;
        private final long from;
        private final int afterGroup;
        private long budget = MAX_UNMARKED_PASSES * file.byteSize();

        /** The end of the last candidate in the searched range, intact or not. */
        private long end;

        Search(Identity identity, long from, int afterGroup) {
            this.identity = identity;
            this.from = from;
            this.afterGroup = afterGroup;
            this.end = from;
        }

        /** The next such record, or null if none. */
        @Nullable Header nextWhole() {
            // Searches a copy on the heap, for tens of megabytes: ten times as fast as reading
            // mapped memory at each offset.
            byte[] step = new byte[(int) Math.min(SEARCH_STEP_BYTES, file.byteSize())];
            long lastEight = ~identity.mark();
            for (long at = from + MARK_OFFSET; at < file.byteSize(); at += step.length) {
                int count = (int) Math.min(step.length, file.byteSize() - at);
                MemorySegment.copy(file, ValueLayout.JAVA_BYTE, at, step, 0, count);
                for (int i = 0; i < count; i++) {
                    lastEight = lastEight << 8 | (step[i] & 0xFF);
                    if (lastEight == identity.mark()) {
                        Header record = at(at + i + 1 - Long.BYTES - MARK_OFFSET);
                        if (record != null) {
                            return record;
                        }
                    }
                }
            }
            return null;
        }

        private @Nullable Header at(long offset) {
            if (offset < from) {
                return null;
            }
            Header claimed = LogFormat.head(file, offset);
            if (claimed == null) {
                end = file.byteSize(); // the record exceeds the truncated file
                return null;
            }
            end = Math.max(end, claimed.end());
            if (Integer.compareUnsigned(claimed.group(), afterGroup) <= 0) {
                return null;
            }
            budget -= claimed.length();
            if (budget < 0 && !identity.secret()) {
                throw new CorruptionException(
                        name,
                        from,
                        "cannot be distinguished from a torn write: too much looks like records");
            }
            return LogFormat.readRecord(file, offset, identity.mark());
        }
    }
}
