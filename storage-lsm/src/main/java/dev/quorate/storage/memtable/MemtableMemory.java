package dev.quorate.storage.memtable;

import dev.quorate.storage.StorageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a store's memtables: counts what they have, and reports a shortage.
 *
 * <p>It lies outside the Java heap. {@code -XX:MaxDirectMemorySize} does not limit it; the store
 * does, by sealing memtables at their size and by stopping writes while too many live.
 *
 * <p>After an allocation has failed there is a {@linkplain #isShort shortage} until as much as
 * failed, {@value #PROBE_BYTES} bytes at most, can be allocated again.
 */
public final class MemtableMemory {

    /** Allocates memory of an arena, zeroed. Throws an OutOfMemoryError if there is none. */
    @FunctionalInterface
    public interface Allocator {

        /** Memory of the operating system. */
        Allocator SYSTEM = (arena, bytes) -> arena.allocate(bytes, Long.BYTES);

        MemorySegment allocate(Arena arena, long bytes);
    }

    private static final int PROBE_BYTES = 1 << 20;

    private final Allocator allocator;
    private final AtomicInteger arenas = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong pinnedBytes = new AtomicLong();
    private volatile long missing;
    private volatile Runnable onFree = () -> {};

    public MemtableMemory(Allocator allocator) {
        this.allocator = allocator;
    }

    /** Has {@code action} run by each thread that frees a memtable's memory. */
    public void onFree(Runnable action) {
        onFree = action;
    }

    /** The memtables whose memory is not yet freed, without those that never had any. */
    public int arenas() {
        return arenas.get();
    }

    /** The bytes allocated for them. */
    public long bytes() {
        return bytes.get();
    }

    /** The bytes of flushed memtables that readers still use. */
    public long pinnedBytes() {
        return pinnedBytes.get();
    }

    /** Whether the system had no memory for a memtable when last asked. Asks again if so. */
    public boolean isShort() {
        long wanted = missing;
        if (wanted == 0) {
            return false;
        }
        try (Arena probe = Arena.ofConfined()) {
            allocator.allocate(probe, Math.min(wanted, PROBE_BYTES));
        } catch (OutOfMemoryError none) {
            return true;
        }
        missing = 0;
        return false;
    }

    /**
     * Memory of {@code arena}, all zeros.
     *
     * @throws StorageException.Overloaded if the system has none
     */
    MemorySegment allocate(Arena arena, long size) {
        MemorySegment allocated;
        try {
            allocated = allocator.allocate(arena, size);
        } catch (OutOfMemoryError none) {
            missing = size;
            throw new StorageException.Overloaded(
                    "no memory for " + size + " more bytes of a memtable");
        }
        bytes.addAndGet(size);
        return allocated;
    }

    void opened() {
        arenas.incrementAndGet();
    }

    void pinned(long size) {
        pinnedBytes.addAndGet(size);
    }

    void freed(long size, boolean wasPinned) {
        arenas.decrementAndGet();
        bytes.addAndGet(-size);
        if (wasPinned) {
            pinnedBytes.addAndGet(-size);
        }
        onFree.run();
    }
}
