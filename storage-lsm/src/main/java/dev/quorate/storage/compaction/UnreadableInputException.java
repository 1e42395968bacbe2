package dev.quorate.storage.compaction;

import dev.quorate.storage.StorageException;

/** An input of a compaction cannot be read: it is damaged, or the disk fails. */
public final class UnreadableInputException extends RuntimeException {

    private final transient StorageException reason;

    UnreadableInputException(StorageException reason) {
        super(reason.getMessage(), reason);
        this.reason = reason;
    }

    /** The failure of the read, with file and offset if known. */
    public StorageException reason() {
        return reason;
    }
}
