package dev.quorate.storage.memtable;

import dev.quorate.storage.StorageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one memtable, outside the Java heap, in chunks that are freed together. Filled by
 * one writer and read by any number of threads.
 *
 * <p>The garbage collector copies young objects up to fifteen times before they are old, and a
 * memtable consists of little else: on the heap, each young collection of a busy node took 5 to 10
 * ms, most of it for the memtable.
 *
 * <p>A <i>reference</i> is a location in the arena:
 *
 * <pre>
 * reference:  high 15 bits  number of the chunk
 *             low 17 bits   offset in it, in units of 8 bytes
 * </pre>
 *
 * <p>A chunk is an eighth of the arena's size, so that a small memtable remains small, and at most
 * 1 MiB. A block of more than 256 KiB has a chunk of its own, of any size: only its first byte
 * needs a reference.
 *
 * <p>Thread safety: a reference must pass from the writer to a reader by release and acquire; then
 * its chunk is visible too. All memory belongs to one shared {@link Arena}, because closing one
 * costs a handshake with every thread. A read after closing fails with an IllegalStateException,
 * and never returns reused memory.
 */
final class MemtableArena implements AutoCloseable {

    /** The bytes of a unit; every block begins at a multiple of it. */
    static final int UNIT_BYTES = 8;

    private static final int OFFSET_BITS = 17;
    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
    private static final int UNIT_SHIFT = 3;
    private static final int MIN_CHUNK_BYTES = 4096;
    private static final int MAX_CHUNK_BYTES = UNIT_BYTES << OFFSET_BITS;

    /** One less than the possible numbers, so that -1 is not a reference. */
    private static final int MAX_CHUNKS = (1 << (Integer.SIZE - OFFSET_BITS)) - 1;

    /** A new chunk is an eighth of the arena's size. */
    private static final int GROWTH_SHIFT = 3;

    private final MemtableMemory memory;

    /** Not volatile: see "Thread safety". */
    private MemorySegment[] chunks = new MemorySegment[4];

    private int chunkCount;
    private @Nullable Arena arena;
    private volatile long allocatedBytes;
    private long usedBytes;
    private volatile boolean isPinned;

    MemtableArena(MemtableMemory memory) {
        this.memory = memory;
    }

    MemorySegment chunk(int reference) {
        return chunks[reference >>> OFFSET_BITS];
    }

    /** The offset of a reference in its {@link #chunk}, in bytes. */
    static long offset(int reference) {
        return (long) (reference & OFFSET_MASK) << UNIT_SHIFT;
    }

    /** Bytes of all blocks, and bytes that no further block can use. Writer only. */
    long usedBytes() {
        return usedBytes;
    }

    /** Bytes allocated from the system. */
    long allocatedBytes() {
        return allocatedBytes;
    }

    /** Writer only: allocates zeroed memory, without references. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // One writer.
    MemorySegment allocate(long bytes) {
        Arena opened = arena;
        if (opened == null) {
            opened = Arena.ofShared();
            arena = opened;
            memory.opened();
        }
        MemorySegment allocated = memory.allocate(opened, bytes);
        allocatedBytes = allocatedBytes + bytes;
        return allocated;
    }

    /** Writer only: like {@link #allocate}, but counted as used. */
    MemorySegment allocateUsed(long bytes) {
        MemorySegment allocated = allocate(bytes);
        usedBytes += bytes;
        return allocated;
    }

    /** Writer only: allocates a chunk of {@code bytes}; returns its number. */
    private int addChunk(long bytes) {
        if (chunkCount == MAX_CHUNKS) {
            throw new StorageException.Overloaded("more chunks than a memtable can have");
        }
        MemorySegment chunk = allocate(bytes);
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunkCount);
        }
        chunks[chunkCount] = chunk;
        return chunkCount++;
    }

    /** Allocates blocks of one kind, one after another. Writer only. */
    final class Region {
        private int chunk;
        private int position;
        private int end;

        /** Allocates a zeroed block of at least {@code bytes}; returns its reference. */
        int allocate(long bytes) {
            long size = (bytes + UNIT_BYTES - 1) & -UNIT_BYTES;
            if (size > MAX_CHUNK_BYTES / 4) {
                int own = addChunk(size);
                usedBytes += size;
                return own << OFFSET_BITS;
            }
            if (size > end - position) {
                int share = Integer.highestOneBit(chunkBytes());
                int next = Math.max(share, Integer.highestOneBit((int) size) << 1);
                chunk = addChunk(next);
                usedBytes += end - position;
                position = 0;
                end = next;
            }
            int at = position;
            position += (int) size;
            usedBytes += size;
            return (chunk << OFFSET_BITS) | (at >>> UNIT_SHIFT);
        }

        private int chunkBytes() {
            long share = allocatedBytes >> GROWTH_SHIFT;
            return (int) Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, share));
        }
    }

    /** Counts the memory as used by readers alone, until it is freed. */
    void pin() {
        isPinned = true;
        memory.pinned(allocatedBytes);
    }

    /** Frees all memory. All reads must have ended. */
    @Override
    public void close() {
        Arena opened = arena;
        if (opened != null) {
            opened.close();
            memory.freed(allocatedBytes, isPinned);
        }
    }
}
