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
 * Reads one segment from its beginning, and decides how it ends.
 *
 * <p>A bad record may be a write that a crash tore, which nobody was told of, or it may have been
 * whole and acknowledged. The groups tell: nothing of group g + 1 is written before the fsync of
 * group g has returned, so any whole record of a later group proves that the bad region was
 * durable.
 *
 * <ul>
 *   <li>The last good record does not end its group g: the bad region is in group g. A whole record
 *       behind it of a group after g means corruption.
 *   <li>It ends its group g: the bad region is in group g + 1. A whole record behind it of a group
 *       after g + 1 means corruption.
 *   <li>Otherwise what is behind is torn, and dropped.
 * </ul>
 *
 * <p>The limit of this: in the last group of a segment that was not sealed, damage looks like a
 * torn write. No log whose last record is not followed by another can tell the two apart.
 */
final class SegmentReader {

    /**
     * The search behind a bad record checks what looks like a later record. In a segment without a
     * mark a value can be made to look like many, so that the same bytes are checked again and
     * again; beyond this many times the segment's size the search gives up, and refuses. With a
     * mark only what this program wrote looks like a record, and later ones do not overlap.
     */
    private static final int MAX_UNMARKED_PASSES = 16;

    private static final int SEARCH_STEP_BYTES = 4096;

    /** Where in a record the mark lies. */
    private static final int MARK_OFFSET = 8;

    private final MemorySegment file;
    private final String name;
    private final long segment;

    SegmentReader(MemorySegment file, String name, long segment) {
        this.file = file;
        this.name = name;
        this.segment = segment;
    }

    /** How a segment ends. */
    sealed interface End {

        /** With a seal; {@code next} is the segment that follows, 0 for none. */
        record Sealed(long next) implements End {}

        /** Where writing stopped, with so many bytes of a torn write behind. */
        record Open(long tornBytes) implements End {}
    }

    /**
     * Gives every whole entry to {@code entries}, in the order of writing.
     *
     * <p>The entries of a torn group that are whole are given as well: a group is a unit of fsync,
     * not of meaning, and nobody was told that they failed.
     *
     * @throws CorruptionException if something that was durable is damaged
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
                return new End.Open(checkTorn(identity, at, expectedGroup));
            }
            if (record.seal()) {
                return new End.Sealed(sealedNext(record));
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
     * What could be read of a damaged segment.
     *
     * @param next the segment that the seal names, if there is a seal
     * @param leftOut ranges of bytes in which no record can be read, each in one phrase
     */
    record Salvaged(boolean sealed, long next, List<String> leftOut) {}

    /**
     * Gives every entry that can be read to {@code entries}, wherever it lies: records of writes
     * that failed too, of which nobody was told that they are not stored.
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
        List<String> leftOut = new ArrayList<>();
        long at = LogFormat.HEADER_BYTES;
        while (true) {
            Header record = LogFormat.readRecord(file, at, identity.mark());
            if (record == null) {
                Search behind = new Search(identity, at, 0);
                record = behind.nextWhole();
                if (record != null || behind.end > at) {
                    long to = record == null ? behind.end : record.offset();
                    leftOut.add("bytes %,d to %,d".formatted(at, to));
                }
                if (record == null) {
                    return new Salvaged(false, 0, leftOut);
                }
            }
            if (record.seal() && record.length() == Long.BYTES) {
                return new Salvaged(true, sealedNext(record), leftOut);
            }
            if (record.length() > 0) {
                try {
                    entries.accept(entry(record));
                } catch (CorruptionException malformed) {
                    leftOut.add("bytes %,d to %,d".formatted(record.offset(), record.end()));
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
                throw new MalformedException(payload.remaining() + " bytes behind the entry");
            }
            return entry;
        } catch (MalformedException e) {
            throw new CorruptionException(name, record.offset(), String.valueOf(e.getMessage()));
        }
    }

    /** The length of the torn region from {@code from} on, in bytes; refuses if it is not torn. */
    private long checkTorn(Identity identity, long from, int tornGroup) {
        Search behind = new Search(identity, from, tornGroup);
        Header later = behind.nextWhole();
        if (later != null) {
            throw new CorruptionException(
                    name,
                    from,
                    "no whole record of group "
                            + tornGroup
                            + ", though group "
                            + later.group()
                            + " follows at offset "
                            + later.offset());
        }
        return behind.end - from;
    }

    /**
     * Whether the file holds any whole record of its segment, wherever. Without a whole header it
     * holds none: the header is durable before the first record is written.
     */
    boolean holdsAnyRecord() {
        Identity identity;
        try {
            identity = LogFormat.checkHeader(file, name, segment);
        } catch (CorruptionException none) {
            return false;
        }
        return new Search(identity, LogFormat.HEADER_BYTES, 0).nextWhole() != null;
    }

    /** Looks for whole records of groups after one, wherever they begin. */
    private final class Search {

        private final Identity identity;
        private final long from;
        private final int afterGroup;
        private long budget = MAX_UNMARKED_PASSES * file.byteSize();

        /** Behind the last record that begins in what was searched, whole or not. */
        private long end;

        Search(Identity identity, long from, int afterGroup) {
            this.identity = identity;
            this.from = from;
            this.afterGroup = afterGroup;
            this.end = from;
        }

        /** The first such record, or null if there is none. */
        @Nullable Header nextWhole() {
            // The mark is searched for in bytes copied to the heap: a segment is tens of megabytes,
            // and this is ten times as fast as asking the mapped memory at each offset.
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
                end = file.byteSize(); // it was to end behind the file, which is cut off
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
                        "cannot be told from a torn write: too much looks like records");
            }
            return LogFormat.readRecord(file, offset, identity.mark());
        }
    }
}
