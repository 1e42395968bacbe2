package dev.quorate.storage.engine;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Figures;
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
 * The tables known to be wholly or partly unreadable, with the key ranges concerned, until they are
 * healed or the store is closed. They are excluded from compaction: as inputs they would fail it
 * every time, so that one bad block could stop compaction for the whole store. The next opening
 * uses them again.
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
     * Reads a suspect table entirely, and excludes it from compaction if any of it is unreadable.
     *
     * <p>Moves the table to level 0 in the manifest: tables of a deeper level must not overlap, so
     * there it would block the compaction of everything above its key range. Its readable entries
     * are read as before, since levels imply nothing about age.
     */
    void examine(SSTable table) throws IOException {
        StorageException reason = table.clearSuspicion();
        TableMetadata metadata = table.metadata();
        if (reason == null || tables.containsKey(metadata.number())) {
            return;
        }
        List<KeyRange> lost = table.unreadable();
        if (lost.isEmpty() && table.filterIsIntact()) {
            if (!(reason instanceof CorruptionException)) {
                return; // a transient failure of the disk
            }
            // Every block passes its checksum, so the table contradicts itself or the damage is
            // intermittent: all of it counts as damaged.
            lost = List.of(whole(metadata));
        }
        add(metadata, lost, reason);
        if (metadata.level() > 0) {
            try {
                live.moveToLevel0(table);
            } catch (StorageException e) {
                // The table no longer opens. It remains at its level, excluded by the picker.
            }
        }
    }

    private static KeyRange whole(TableMetadata table) {
        return new KeyRange(table.smallestKey(), KeyRange.after(table.largestKey()));
    }

    /** Records that every key of a table may be lost, and notifies the listener. */
    void addWhole(TableMetadata table, StorageException reason) {
        add(table, List.of(whole(table)), reason);
    }

    /** Records which ranges of a table are lost, and notifies the listener. */
    void add(TableMetadata table, List<KeyRange> lost, StorageException reason) {
        long number = table.number();
        tables.put(number, new Damage(FileNames.table(number), lost, table.newest()));
        listener.damaged(reason);
    }

    /** Removes a table that has been replaced. */
    void remove(long number) {
        Damage healed = tables.remove(number);
        if (healed != null) {
            healedRanges.add(healed.ranges().size());
        }
    }

    /** The damage of one table; null if it is not known as damaged. */
    @Nullable Damage of(long number) {
        return tables.get(number);
    }

    List<Damage> all() {
        return List.copyOf(tables.values());
    }

    void register(Figures figures) {
        figures.gauge(
                "sstables_damaged",
                "Sorted tables that cannot be read, left out of compaction.",
                tables::size);
        figures.gauge(
                "damaged_ranges",
                "Ranges of keys that damaged tables may have lost, until they are healed.",
                () -> tables.values().stream().mapToInt(each -> each.ranges().size()).sum());
        figures.counter(
                "healed_ranges", "Damaged ranges of keys that were healed.", healedRanges::sum);
    }

    Set<Long> numbers() {
        return tables.keySet();
    }
}
