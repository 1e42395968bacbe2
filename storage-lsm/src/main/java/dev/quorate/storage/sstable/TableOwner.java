package dev.quorate.storage.sstable;

import dev.quorate.storage.StorageException;

/** The services of a table for its cursors, in addition to the {@link TableReader}. */
interface TableOwner {

    /**
     * Records a failed read, a StorageException or the InternalError of a page that the disk fails
     * to read; returns the failure.
     */
    StorageException suspect(Throwable failure);

    /** Releases the cursor's reference. */
    void release();
}
