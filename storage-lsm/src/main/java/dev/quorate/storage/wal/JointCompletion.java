package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The outcome of several writes, once all are complete: a failure if one of them has failed. */
final class JointCompletion implements WriteCompletion {

    private final Timestamp last;
    private final WriteCompletion completion;
    private final AtomicInteger missing;
    private final AtomicReference<@Nullable StorageException> failure = new AtomicReference<>();

    JointCompletion(List<Entry> entries, WriteCompletion completion) {
        this.last = entries.getLast().timestamp();
        this.completion = completion;
        this.missing = new AtomicInteger(entries.size());
    }

    @Override
    public void stored(Timestamp newest) {
        completed();
    }

    @Override
    public boolean needsNewest() {
        return false;
    }

    @Override
    public boolean isExpired() {
        return completion.isExpired();
    }

    @Override
    public void failed(StorageException cause) {
        failure.compareAndSet(null, cause);
        completed();
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    private void completed() {
        if (missing.decrementAndGet() > 0) {
            return;
        }
        StorageException cause = failure.get();
        if (cause == null) {
            completion.stored(last);
        } else {
            completion.failed(cause);
        }
    }
}
