package dev.quorate.storage.sstable;

import dev.quorate.storage.StorageException;

/** The services of a table for its cursors, in addition to the {@link TableReader}. */
interface TableOwner {

    /** Records a failed read; returns the failure. */
    StorageException suspect(StorageException failure);

    /** Releases the cursor's reference. */
    void release();
}
