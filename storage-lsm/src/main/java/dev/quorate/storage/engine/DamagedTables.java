package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.sstable.SSTable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tables that compaction could not read, remembered while the store is open: merged they would
 * fail again and again, and with nothing merged any more a single bad block would end compaction
 * for the whole store. The next opening tries them again.
 */
final class DamagedTables {

    private final LiveVersion live;
    private final StoreListener listener;
    private final Set<Long> numbers = ConcurrentHashMap.newKeySet();

    DamagedTables(LiveVersion live, StoreListener listener) {
        this.live = live;
        this.listener = listener;
    }

    /**
     * Leaves a table out from now on.
     *
     * <p>A table of a deeper level is moved to level 0, by a line in the manifest: below level 0 no
     * table may overlap another, so that all that lies above its keys would be stuck with it. What
     * of it can be read is read as before, since levels say nothing about age.
     */
    void leaveOut(SSTable table, StorageException reason) throws IOException {
        if (!numbers.add(table.metadata().number())) {
            return;
        }
        listener.damaged(reason);
        if (table.metadata().level() > 0) {
            try {
                live.moveToLevel0(table);
            } catch (CorruptionException e) {
                // It cannot even be opened any more. It stays where it is, and the picker goes
                // round it.
            }
        }
    }

    /** Their numbers. */
    Set<Long> numbers() {
        return numbers;
    }
}
