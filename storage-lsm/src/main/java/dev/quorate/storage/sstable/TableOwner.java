package dev.quorate.storage.sstable;

import dev.quorate.storage.StorageException;

/** What a cursor needs of its table beside a {@link TableReader}. */
interface TableOwner {

    /** Records a failed read; returns the failure. */
    StorageException suspect(StorageException failure);

    /** Releases the cursor's reference. */
    void release();
}
