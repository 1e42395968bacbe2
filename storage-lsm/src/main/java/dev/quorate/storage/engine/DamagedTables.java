package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The tables that cannot be read in part, with the ranges of keys that this concerns; until they
 * are healed, or the store is closed. They are left out of compaction: merged they would fail again
 * and again, and with nothing merged any more a single bad block would end compaction for the whole
 * store. The next opening tries them again.
 */
final class DamagedTables {

    private final LiveVersion live;
    private final StoreListener listener;
    private final Map<Long, Damage> tables = new ConcurrentHashMap<>();
    private final LongAdder healedRanges = new LongAdder();

    DamagedTables(LiveVersion live, StoreListener listener) {
        this.live = live;
        this.listener = listener;
    }

    /**
     * Reads all of a table of which something could not be read, and leaves it out from now on if
     * that is still so.
     *
     * <p>A table of a deeper level is moved to level 0, by a line in the manifest: below level 0 no
     * table may overlap another, so that all that lies above its keys would be stuck with it. What
     * of it can be read is read as before, since levels say nothing about age.
     */
    void examine(SSTable table) throws IOException {
        StorageException reason = table.takeSuspicion();
        TableMetadata metadata = table.metadata();
        if (reason == null || tables.containsKey(metadata.number())) {
            return;
        }
        List<KeyRange> lost = table.unreadable();
        if (lost.isEmpty() && table.filterIsWhole()) {
            if (!(reason instanceof CorruptionException)) {
                return; // this time the disk gave it
            }
            // It is whole and contradicts itself, or comes and goes: nothing in it is relied on.
            lost = List.of(whole(metadata));
        }
        note(metadata, lost, reason);
        if (metadata.level() > 0) {
            try {
                live.moveToLevel0(table);
            } catch (StorageException e) {
                // It cannot even be opened any more. It stays where it is, and the picker goes
                // round it.
            }
        }
    }

    private static KeyRange whole(TableMetadata table) {
        return new KeyRange(table.smallestKey(), KeyRange.after(table.largestKey()));
    }

    /** Remembers that any of a table's keys may be lost, and tells it. */
    void noteWhole(TableMetadata table, StorageException reason) {
        note(table, List.of(whole(table)), reason);
    }

    /** Remembers what is lost of a table, and tells it. */
    void note(TableMetadata table, List<KeyRange> lost, StorageException reason) {
        long number = table.number();
        tables.put(number, new Damage(FileNames.table(number), lost, table.newest()));
        listener.damaged(reason);
    }

    /** A table has been replaced by what can be read of it. */
    void forget(long number) {
        Damage healed = tables.remove(number);
        if (healed != null) {
            healedRanges.add(healed.ranges().size());
        }
    }

    /** What is lost of one table; null if it is not known as damaged. */
    @Nullable Damage of(long number) {
        return tables.get(number);
    }

    List<Damage> all() {
        return List.copyOf(tables.values());
    }

    int ranges() {
        return tables.values().stream().mapToInt(each -> each.ranges().size()).sum();
    }

    long healedRanges() {
        return healedRanges.sum();
    }

    /** Their numbers. */
    Set<Long> numbers() {
        return tables.keySet();
    }
}
