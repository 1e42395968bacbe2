package dev.quorate.storage.io;

import java.lang.foreign.MemorySegment;

/** A file mapped into memory. Closing unmaps it, and must happen after the last read. */
public interface MappedFile extends AutoCloseable {

    MemorySegment bytes();

    /** Whether a range is in memory, so that reading it does not wait for the disk. */
    boolean isResident(long offset, long length);

    @Override
    void close();
}
