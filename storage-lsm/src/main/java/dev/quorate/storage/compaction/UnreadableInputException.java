package dev.quorate.storage.compaction;

import dev.quorate.storage.StorageException;

/** An input of a compaction cannot be read, being damaged or on a disk that fails. */
public final class UnreadableInputException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final long table;
    private final transient StorageException reason;

    UnreadableInputException(long table, StorageException reason) {
        super(reason.getMessage(), reason);
        this.table = table;
        this.reason = reason;
    }

    /** The number of the table. */
    public long table() {
        return table;
    }

    /** What reading it said, with file and offset where that is known. */
    public StorageException reason() {
        return reason;
    }
}
