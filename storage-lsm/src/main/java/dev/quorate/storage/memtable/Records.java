package dev.quorate.storage.memtable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.ContentTypes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a memtable, for one writer and any number of readers. Each key has one record for
 * the life of the memtable, which both indexes refer to, and one current body, which a newer entry
 * of the key replaces.
 *
 * <pre>
 * record:  0  current     u64   low half: the reference to the body; high half: how many bodies
 *                               the record has had, or zero while the entry is not yet visible
 *          8  key length  u32
 *         12  newest      u32   1 if the store has no newer entry of the key in an older place
 *         16  key               padded with zeros to a multiple of 8
 *             body              the first one, unless it is large
 *
 * body:    0  hybrid      u64   the timestamp's clock reading; in a free body, the next free one
 *          8  node        u32   the timestamp's node
 *         12  length      u32   of the value; -1 for a tombstone
 *         16  room        u32   for the value and what follows it, in bytes; never changes
 *         20  from        u32   replicas the writer addressed, 0 if unknown; STEP, if the
 *                               timestamp has a step; TYPE, if there is a content type
 *         24  expiry      u64   milliseconds since 1970; 0 for never
 *         32  value
 *             type              the content type, and behind it its length u8; only with TYPE; ends
 *                               with the room, or with STEP 8 bytes before
 *             step        u64   only with STEP; the last 8 bytes of the room
 * </pre>
 *
 * <p><b>Replacement.</b> The writer writes another body, stores its reference in {@code current}
 * (release), and only then frees the former body for reuse ({@link FreeBodies}). So a body that is
 * being written is never a current one, and readers do not wait for a writer that was interrupted.
 * A reader copies the body and then loads {@code current} again: if it is unchanged, nothing has
 * replaced the body meanwhile, so nothing can have overwritten it. Otherwise the reader discards
 * the copy and retries. The count in {@code current} distinguishes a body from the same body after
 * it was freed and reused for the same key.
 *
 * <p>Overwriting the current body under a sequence lock was dropped: readers of the key wait while
 * the writer's thread has no processor, or copies a large value. Without reuse, overwritten keys
 * fill the memtable, and it is flushed more often than the log requires.
 *
 * <p>A discarded copy is harmless: any length that a body had or has is within its room, and so are
 * the step and the type's length of a body that had or has them. A type's length that exceeds the
 * room is cut.
 */
final class Records implements FreeBodies.Bodies {

    /** Stands for an entry that was not read; compared by identity. */
    static final Entry TOO_LONG = Entry.tombstone(new byte[1], Timestamp.ZERO, 0);

    private static final int CURRENT = 0;
    private static final int KEY_LENGTH = 8;
    private static final int NEWEST = 12;
    private static final int KEY = 16;

    private static final int HYBRID = 0;
    private static final int NODE = 8;
    private static final int LENGTH = 12;
    private static final int ROOM = 16;
    private static final int FROM = 20;
    private static final int EXPIRY = 24;
    private static final int VALUE = 32;

    private static final int TOMBSTONE = -1;

    /** Flag in {@code from}: the timestamp has a step. */
    private static final int STEP = 1 << 8;

    /** Flag in {@code from}: the entry has a content type. */
    private static final int TYPE = 1 << 9;

    private static final byte[] NO_TYPE = {};

    /** A larger first body is a block of its own, which may have its own chunk. */
    private static final int MAX_ADJACENT_BYTES = 64 << 10;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong KEY_PART = LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final VarHandle CURRENT_WORD = LONG.varHandle();
    private static final VarHandle NEWEST_WORD = INT.varHandle();
    private static final VarHandle ARRAY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final MemtableArena arena;
    private final MemtableArena.Region region;
    private final FreeBodies free = new FreeBodies(this);

    Records(MemtableArena arena) {
        this.arena = arena;
        this.region = arena.new Region();
    }

    // ---- keys

    int keyLength(int record) {
        return arena.chunk(record).get(INT, MemtableArena.offset(record) + KEY_LENGTH);
    }

    byte[] key(int record) {
        byte[] key = new byte[keyLength(record)];
        long at = MemtableArena.offset(record) + KEY;
        MemorySegment.copy(arena.chunk(record), BYTE, at, key, 0, key.length);
        return key;
    }

    boolean hasKey(int record, byte[] key) {
        return keyLength(record) == key.length && compareKey(record, key) == 0;
    }

    /** Compares a record's key with {@code key}, as unsigned bytes. */
    int compareKey(int record, byte[] key) {
        MemorySegment chunk = arena.chunk(record);
        long at = MemtableArena.offset(record);
        int length = chunk.get(INT, at + KEY_LENGTH);
        int common = Math.min(length, key.length);
        at += KEY;
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long ours = chunk.get(KEY_PART, at + i);
            long other = (long) ARRAY_LONG.get(key, i);
            if (ours != other) {
                return Long.compareUnsigned(ours, other);
            }
        }
        if (i < common) {
            // The record's key is padded with zeros, and so is the head of the other key.
            long ours = chunk.get(KEY_PART, at + i);
            long other = head(key, i);
            if (ours != other) {
                return Long.compareUnsigned(ours, other);
            }
        }
        return Integer.compare(length, key.length);
    }

    /** Up to eight bytes of a key from {@code from} on, big-endian, padded with zeros. */
    static long head(byte[] key, int from) {
        int left = key.length - from;
        if (left >= Long.BYTES) {
            return (long) ARRAY_LONG.get(key, from);
        }
        if (left <= 0) {
            return 0;
        }
        if (key.length >= Long.BYTES) {
            int missing = Long.BYTES - left;
            return (long) ARRAY_LONG.get(key, from - missing) << (Byte.SIZE * missing);
        }
        long head = 0;
        for (int i = from; i < key.length; i++) {
            head = (head << Byte.SIZE) | (key[i] & 0xFF);
        }
        return head << (Byte.SIZE * (Long.BYTES - left));
    }

    // ---- reading

    /**
     * The current entry of a record, with {@code key} as its key; null if it is not yet visible.
     */
    @Nullable Entry read(int record, byte[] key) {
        return read(record, key, Entry.MAX_VALUE_BYTES);
    }

    /** The same, or {@link #TOO_LONG} if the value is longer than {@code maxValueBytes}. */
    @Nullable Entry read(int record, byte[] key, int maxValueBytes) {
        while (true) {
            long current = current(record);
            if (!isVisible(current)) {
                return null;
            }
            int body = (int) current;
            MemorySegment chunk = arena.chunk(body);
            long at = MemtableArena.offset(body);
            long hybrid = chunk.get(LONG, at + HYBRID);
            int node = chunk.get(INT, at + NODE);
            int flags = chunk.get(INT, at + FROM);
            long step = step(flags, chunk, at);
            byte[] type = type(flags, chunk, at);
            long expiry = chunk.get(LONG, at + EXPIRY);
            int length = chunk.get(INT, at + LENGTH);
            byte @Nullable [] value = null;
            if (length > maxValueBytes) {
                if (isStill(current, record)) {
                    return TOO_LONG;
                }
                continue;
            }
            if (length != TOMBSTONE) {
                value = new byte[length];
                MemorySegment.copy(chunk, BYTE, at + VALUE, value, 0, length);
            }
            if (isStill(current, record)) {
                Timestamp timestamp = new Timestamp(hybrid, node, step);
                return value == null
                        ? Entry.tombstone(key, timestamp, from(flags))
                        : Entry.expiring(key, timestamp, value, from(flags), expiry)
                                .withContentType(text(type));
            }
            Thread.onSpinWait();
        }
    }

    private static int from(int flags) {
        return flags & 0xFF;
    }

    private static byte[] type(int flags, MemorySegment chunk, long at) {
        if ((flags & TYPE) == 0) {
            return NO_TYPE;
        }
        int end = typeEnd(flags, chunk, at);
        byte[] type = new byte[Math.min(chunk.get(BYTE, at + VALUE + end) & 0xFF, end)];
        MemorySegment.copy(chunk, BYTE, at + VALUE + end - type.length, type, 0, type.length);
        return type;
    }

    /** The offset of the type's length, relative to the value. */
    private static int typeEnd(int flags, MemorySegment chunk, long at) {
        int room = chunk.get(INT, at + ROOM);
        return room - ((flags & STEP) == 0 ? 0 : Long.BYTES) - Byte.BYTES;
    }

    private static @Nullable String text(byte[] type) {
        return type.length == 0 ? null : new String(type, StandardCharsets.US_ASCII);
    }

    private static long step(int flags, MemorySegment chunk, long at) {
        return (flags & STEP) == 0
                ? 0
                : chunk.get(LONG, at + VALUE + chunk.get(INT, at + ROOM) - Long.BYTES);
    }

    private long current(int record) {
        return (long)
                CURRENT_WORD.getAcquire(
                        arena.chunk(record), MemtableArena.offset(record) + CURRENT);
    }

    /** Whether all data read from the body since {@code current} was loaded is of one entry. */
    private boolean isStill(long current, int record) {
        VarHandle.acquireFence();
        return current(record) == current;
    }

    private static boolean isVisible(long current) {
        return current >>> Integer.SIZE != 0;
    }

    boolean isVisible(int record) {
        return isVisible(current(record));
    }

    /** The bytes of the value of a record; 0 if it is a tombstone or not yet visible. */
    int valueBytes(int record) {
        while (true) {
            long current = current(record);
            if (!isVisible(current)) {
                return 0;
            }
            int length = length((int) current);
            if (isStill(current, record)) {
                return Math.max(0, length);
            }
        }
    }

    /**
     * The value in its body. After the entry is replaced, the body may be reused: then a copy has
     * bytes of both values.
     */
    UnreadValue unreadValue(int record) {
        while (true) {
            long current = current(record);
            int body = (int) current;
            MemorySegment chunk = arena.chunk(body);
            long at = MemtableArena.offset(body);
            int flags = chunk.get(INT, at + FROM);
            byte[] type = type(flags, chunk, at);
            long expiry = chunk.get(LONG, at + EXPIRY);
            int length = chunk.get(INT, at + LENGTH);
            if (isStill(current, record)) {
                return new UnreadValue(
                        length,
                        from(flags),
                        expiry,
                        text(type),
                        (piece, into, count) ->
                                MemorySegment.copy(
                                        chunk, BYTE, at + VALUE + piece, into, 0, count));
            }
        }
    }

    /** The timestamp of a visible record, for any thread. */
    Timestamp timestampOf(int record) {
        while (true) {
            long current = current(record);
            int body = (int) current;
            MemorySegment chunk = arena.chunk(body);
            long at = MemtableArena.offset(body);
            long hybrid = chunk.get(LONG, at + HYBRID);
            int node = chunk.get(INT, at + NODE);
            long step = step(chunk.get(INT, at + FROM), chunk, at);
            if (isStill(current, record)) {
                return new Timestamp(hybrid, node, step);
            }
        }
    }

    boolean isNewest(int record) {
        return (int)
                        NEWEST_WORD.getAcquire(
                                arena.chunk(record), MemtableArena.offset(record) + NEWEST)
                == 1;
    }

    /** For any thread: remains true, since only newer entries replace the current one. */
    void noteNewest(int record) {
        NEWEST_WORD.setRelease(arena.chunk(record), MemtableArena.offset(record) + NEWEST, 1);
    }

    private int length(int body) {
        return arena.chunk(body).get(INT, MemtableArena.offset(body) + LENGTH);
    }

    // ---- writing: called by the writer alone

    int compareAge(Entry entry, int record) {
        int body = (int) current(record);
        MemorySegment chunk = arena.chunk(body);
        long at = MemtableArena.offset(body);
        Timestamp timestamp = entry.timestamp();
        int byTime = Long.compareUnsigned(timestamp.hybrid(), chunk.get(LONG, at + HYBRID));
        if (byTime == 0) {
            byTime = Integer.compareUnsigned(timestamp.node(), chunk.get(INT, at + NODE));
        }
        if (byTime == 0) {
            long step = step(chunk.get(INT, at + FROM), chunk, at);
            byTime = Long.compareUnsigned(timestamp.step(), step);
        }
        return byTime != 0 ? byTime : entry.compareAge(read(record));
    }

    private Entry read(int record) {
        return Objects.requireNonNull(read(record, key(record)));
    }

    boolean isTombstone(int record) {
        return length((int) current(record)) == TOMBSTONE;
    }

    /**
     * Adds a record, which is not yet visible.
     *
     * @throws dev.quorate.storage.StorageException.Overloaded if memory for it is missing
     */
    int add(Entry entry) {
        byte[] key = entry.key();
        long bodyBytes = VALUE + (long) room(entry);
        int keyEnd = KEY + ((key.length + Long.BYTES - 1) & -Long.BYTES);
        boolean isAdjacent = bodyBytes <= MAX_ADJACENT_BYTES;
        int body = isAdjacent ? 0 : allocate(room(entry));
        int record = region.allocate(isAdjacent ? keyEnd + bodyBytes : keyEnd);
        if (isAdjacent) {
            body = record + keyEnd / MemtableArena.UNIT_BYTES;
            setRoom(body, room(entry));
        }
        write(body, entry);
        MemorySegment chunk = arena.chunk(record);
        long at = MemtableArena.offset(record);
        chunk.set(INT, at + KEY_LENGTH, key.length);
        MemorySegment.copy(key, 0, chunk, BYTE, at + KEY, key.length);
        chunk.set(LONG, at + CURRENT, body & 0xFFFF_FFFFL);
        return record;
    }

    /** Makes an added record visible. */
    void publish(int record) {
        setCurrent(record, (int) current(record), 1);
    }

    /**
     * Replaces the current entry of a record.
     *
     * @throws dev.quorate.storage.StorageException.Overloaded if memory for it is missing
     */
    void replace(int record, Entry entry) {
        long former = current(record);
        int body = free.take(room(entry));
        if (body == FreeBodies.NONE) {
            body = allocate(FreeBodies.roomyFor(room(entry)));
        }
        write(body, entry);
        int count = (int) (former >>> Integer.SIZE) + 1;
        setCurrent(record, body, count == 0 ? 1 : count);
        // A reader that sees later writes to the former body must also see that it is no longer
        // current.
        VarHandle.storeStoreFence();
        free.add((int) former);
    }

    private void setCurrent(int record, int body, int count) {
        CURRENT_WORD.setRelease(
                arena.chunk(record),
                MemtableArena.offset(record) + CURRENT,
                ((long) count << Integer.SIZE) | (body & 0xFFFF_FFFFL));
    }

    private static int room(Entry entry) {
        String type = entry.contentType();
        int bytes = entry.valueBytes() + (type == null ? 0 : ContentTypes.encodedSize(type));
        int valueRoom = (bytes + Long.BYTES - 1) & -Long.BYTES;
        return entry.timestamp().hasStep() ? valueRoom + Long.BYTES : valueRoom;
    }

    private int allocate(int room) {
        int body = region.allocate(VALUE + (long) room);
        setRoom(body, room);
        return body;
    }

    private void setRoom(int body, int room) {
        arena.chunk(body).set(INT, MemtableArena.offset(body) + ROOM, room);
    }

    private void write(int body, Entry entry) {
        MemorySegment chunk = arena.chunk(body);
        long at = MemtableArena.offset(body);
        Timestamp timestamp = entry.timestamp();
        chunk.set(LONG, at + HYBRID, timestamp.hybrid());
        chunk.set(INT, at + NODE, timestamp.node());
        String type = entry.contentType();
        int flags = entry.from() | (timestamp.hasStep() ? STEP : 0) | (type == null ? 0 : TYPE);
        chunk.set(INT, at + FROM, flags);
        if (type != null) {
            int end = typeEnd(flags, chunk, at);
            byte[] bytes = type.getBytes(StandardCharsets.US_ASCII);
            long start = at + VALUE + end - bytes.length;
            MemorySegment.copy(bytes, 0, chunk, BYTE, start, bytes.length);
            chunk.set(BYTE, at + VALUE + end, (byte) bytes.length);
        }
        if (timestamp.hasStep()) {
            long stepAt = at + VALUE + chunk.get(INT, at + ROOM) - Long.BYTES;
            chunk.set(LONG, stepAt, timestamp.step());
        }
        chunk.set(LONG, at + EXPIRY, entry.expiresAtMillis());
        if (entry.isTombstone()) {
            chunk.set(INT, at + LENGTH, TOMBSTONE);
        } else {
            byte[] value = entry.value();
            chunk.set(INT, at + LENGTH, value.length);
            MemorySegment.copy(value, 0, chunk, BYTE, at + VALUE, value.length);
        }
    }

    // ---- the list of free bodies

    @Override
    public int room(int body) {
        return arena.chunk(body).get(INT, MemtableArena.offset(body) + ROOM);
    }

    @Override
    public int nextFree(int body) {
        return (int) arena.chunk(body).get(LONG, MemtableArena.offset(body) + HYBRID);
    }

    @Override
    public void setNextFree(int body, int next) {
        arena.chunk(body).set(LONG, MemtableArena.offset(body) + HYBRID, next & 0xFFFF_FFFFL);
    }
}
