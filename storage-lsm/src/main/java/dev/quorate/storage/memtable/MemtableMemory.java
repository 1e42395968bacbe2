package dev.quorate.storage.memtable;

import dev.quorate.storage.StorageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a store's memtables: counts it, and reports a shortage.
 *
 * <p>It is outside the Java heap. {@code -XX:MaxDirectMemorySize} does not limit it; the store
 * does, by sealing memtables at their size and by stopping writes while too many exist.
 *
 * <p>A failed allocation begins a {@linkplain #isShort shortage}, which ends when the same size, at
 * most {@value #PROBE_BYTES} bytes, can be allocated.
 */
public final class MemtableMemory {

    /** Allocates zeroed memory of an arena. Throws an OutOfMemoryError if the system has none. */
    @FunctionalInterface
    public interface Allocator {

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

    /** Each thread that frees a memtable's memory runs {@code action} afterwards. */
    public void onFree(Runnable action) {
        onFree = action;
    }

    public int arenas() {
        return arenas.get();
    }

    public long bytes() {
        return bytes.get();
    }

    /** Bytes of flushed memtables that readers still use. */
    public long pinnedBytes() {
        return pinnedBytes.get();
    }

    /** Whether the system lacks memory for memtables. Retries a failed allocation. */
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
     * Allocates zeroed memory of {@code arena}.
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
