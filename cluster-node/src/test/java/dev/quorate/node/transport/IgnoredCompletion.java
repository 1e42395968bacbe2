package dev.quorate.node.transport;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;

/** Of a write that only prepares a test. */
final class IgnoredCompletion implements WriteCompletion {

    @Override
    public void stored(Timestamp newest) {}

    @Override
    public void failed(StorageException cause) {
        throw cause;
    }
}
