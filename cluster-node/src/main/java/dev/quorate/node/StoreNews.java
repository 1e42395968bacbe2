package dev.quorate.node;

import dev.quorate.node.antientropy.Healing;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the store tells, for people to read and for the healing to begin. */
final class StoreNews implements StoreListener {

    private static final Logger LOG = LoggerFactory.getLogger(StoreNews.class);

    private final Consumer<String> fatal;

    /** Until there is one, the healing looks for itself when it starts. */
    private volatile @Nullable Healing healing;

    StoreNews(Consumer<String> fatal) {
        this.fatal = fatal;
    }

    /** From now on, who is told of damage. */
    void tell(Healing told) {
        healing = told;
    }

    @Override
    public void stopped(StorageException cause) {
        fatal.accept(String.valueOf(cause.getMessage()));
    }

    @Override
    public void damaged(StorageException cause) {
        LOG.error("A table is damaged, and left out of compaction: {}", cause.getMessage());
        Healing told = healing;
        if (told != null) {
            told.damaged();
        }
    }
}
