package dev.quorate.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two keyspaces in one store: the data, which clients write, and a node's own records about it.
 * They share the log, so that one fsync covers an entry and its record, the memtables and the
 * tables.
 *
 * <pre>
 *   with P = 8 bytes of 0xFF:     in the store
 *     data, does not begin with P   the same key
 *     data, P rest                  P 00 rest
 *     record                        P FF key
 * </pre>
 *
 * <p>So the data is everything before P 01, the records are everything from P FF on, and the order
 * within each is preserved. A key of the data that does not begin with P costs the comparison of
 * its first byte, and is not copied.
 *
 * <p>Damage that may concern both keyspaces is damage of both, and its table is replaced once it is
 * healed in both. Operations without keys (flushes, statistics, checkpoints, the watermark) apply
 * to the whole store in either keyspace. Closing either closes the store.
 */
public final class Keyspaces {

    private static final int PREFIX_BYTES = 8;
    private static final byte ONES = -1;
    private static final byte[] NOTHING = {};
    private static final byte[] PREFIX = prefixed();
    private static final byte[] END_OF_DATA = prefixed((byte) 1);
    private static final byte[] START_OF_RECORDS = prefixed(ONES);

    private final KeyValueStore store;
    private final KeyValueStore data = new View(Space.DATA);
    private final KeyValueStore records = new View(Space.RECORDS);

    /** The keyspaces in which damage is healed, until it is healed in all. Guarded by itself. */
    private final Map<Damage, Set<Space>> healed = new HashMap<>();

    /** The entries that are not hidden; null if none is hidden. */
    private volatile @Nullable BothKept shown;

    private Keyspaces(KeyValueStore store) {
        this.store = store;
    }

    /** The keyspaces of a store. Only they may use the store from now on. */
    public static Keyspaces of(KeyValueStore store) {
        return new Keyspaces(store);
    }

    /** Ranges of a store, which need not be open. */
    @FunctionalInterface
    public interface Ranges {

        /** See {@link KeyValueStore#scan}. */
        EntryCursor scan(byte[] start, byte @Nullable [] end);
    }

    /** A range of the data of a store, which need not be open. */
    public static EntryCursor data(Ranges stored, byte[] start, byte @Nullable [] end) {
        return scan(Space.DATA, null, stored, start, end);
    }

    /**
     * @param kept hides the entries that are not kept; null to show all
     */
    private static EntryCursor scan(
            Space space, @Nullable Kept kept, Ranges ranges, byte[] start, byte @Nullable [] end) {
        EntryCursor stored = ranges.scan(space.toStore(start), space.endToStore(end));
        boolean isBeforePrefix = space == Space.DATA && end != null && !isBefore(PREFIX, end);
        return isBeforePrefix && kept == null ? stored : new SpaceCursor(space, kept, stored);
    }

    /** The key of the data that the store has under another key; null for a record. */
    public static byte @Nullable [] dataKey(byte[] stored) {
        return isBefore(stored, START_OF_RECORDS) ? Space.DATA.fromStore(stored) : null;
    }

    /** The data that clients write. A key that begins with P may have one byte less than others. */
    public KeyValueStore data() {
        return data;
    }

    /** A node's own records. Their keys may have nine bytes less than keys of the store. */
    public KeyValueStore records() {
        return records;
    }

    /**
     * Writes records, and the entry of the data that they are about: if the entry is stored, so are
     * the records. See {@link KeyValueStore#write(List, WriteCompletion)}.
     */
    public void write(List<Entry> written, Entry entry, WriteCompletion completion) {
        List<Entry> stored = new ArrayList<>(written.size() + 1);
        if (addTo(stored, Space.RECORDS, written, completion)
                && addTo(stored, Space.DATA, List.of(entry), completion)) {
            store.write(stored, completion);
        }
    }

    /**
     * Hides entries that are not kept: until {@link #showAll}, look-ups and scans that begin after
     * this call treat them as absent. The newest entry of a key decides; an older one is not
     * searched. {@link KeyValueStore#holdings} and the completions of writes still show them: who
     * writes an older entry than a hidden one learns its timestamp.
     */
    public void hide(Kept keptData, Kept keptRecords) {
        shown = new BothKept(keptData, keptRecords);
    }

    /** Ends the effect of {@link #hide}. */
    public void showAll() {
        shown = null;
    }

    /**
     * Deletes entries that are not kept from both keyspaces, in one rewriting of the tables. See
     * {@link KeyValueStore#discard}.
     */
    public void discard(Kept keptData, Kept keptRecords, Runnable whenDone) {
        store.discard(new BothKept(keptData, keptRecords), whenDone);
    }

    /** Tests entries by their keys in the store. */
    private record BothKept(Kept data, Kept records) implements Kept {

        Kept in(Space space) {
            return space == Space.DATA ? data : records;
        }

        @Override
        public boolean keeps(byte[] stored, int from) {
            Space space = Space.of(stored);
            return in(space).keeps(space.fromStore(stored), from);
        }
    }

    /** Adds entries with their keys in the store; if a key is too long, fails the write. */
    private static boolean addTo(
            List<Entry> stored, Space space, List<Entry> entries, WriteCompletion completion) {
        for (Entry entry : entries) {
            byte[] key = space.toStore(entry.key());
            if (key.length > Entry.MAX_KEY_BYTES) {
                String what = "a key of " + entry.key().length + " bytes is too long";
                completion.failed(new StorageException.Io(what, null));
                return false;
            }
            stored.add(entry.withKey(key));
        }
        return true;
    }

    // ---- Keys.

    private static byte[] prefixed(byte... rest) {
        byte[] key = new byte[PREFIX_BYTES + rest.length];
        Arrays.fill(key, 0, PREFIX_BYTES, ONES);
        System.arraycopy(rest, 0, key, PREFIX_BYTES, rest.length);
        return key;
    }

    private static boolean hasPrefix(byte[] key) {
        return key.length >= PREFIX_BYTES
                && key[0] == ONES
                && Arrays.equals(key, 0, PREFIX_BYTES, PREFIX, 0, PREFIX_BYTES);
    }

    private static boolean isBefore(byte[] key, byte[] other) {
        return Arrays.compareUnsigned(key, other) < 0;
    }

    /** Translates keys and bounds of ranges. */
    private enum Space {
        DATA {
            @Override
            byte[] toStore(byte[] key) {
                if (!hasPrefix(key)) {
                    return key;
                }
                byte[] stored = new byte[key.length + 1];
                System.arraycopy(key, 0, stored, 0, PREFIX_BYTES);
                int rest = key.length - PREFIX_BYTES;
                System.arraycopy(key, PREFIX_BYTES, stored, PREFIX_BYTES + 1, rest);
                return stored;
            }

            @Override
            byte[] fromStore(byte[] stored) {
                if (!hasPrefix(stored) || stored.length == PREFIX_BYTES) {
                    return stored;
                }
                byte[] key = new byte[stored.length - 1];
                System.arraycopy(stored, 0, key, 0, PREFIX_BYTES);
                int rest = key.length - PREFIX_BYTES;
                System.arraycopy(stored, PREFIX_BYTES + 1, key, PREFIX_BYTES, rest);
                return key;
            }

            @Override
            byte[] end() {
                return END_OF_DATA;
            }

            @Override
            @Nullable KeyRange clip(KeyRange stored) {
                if (!isBefore(stored.start(), END_OF_DATA)) {
                    return null;
                }
                byte[] end = stored.end();
                boolean reachesEnd = end == null || !isBefore(end, END_OF_DATA);
                return new KeyRange(
                        fromStore(stored.start()),
                        end == null || reachesEnd ? null : fromStore(end));
            }
        },
        RECORDS {
            @Override
            byte[] toStore(byte[] key) {
                byte[] stored = Arrays.copyOf(START_OF_RECORDS, PREFIX_BYTES + 1 + key.length);
                System.arraycopy(key, 0, stored, PREFIX_BYTES + 1, key.length);
                return stored;
            }

            @Override
            byte[] fromStore(byte[] stored) {
                return Arrays.copyOfRange(stored, PREFIX_BYTES + 1, stored.length);
            }

            @Override
            byte @Nullable [] end() {
                return null;
            }

            @Override
            @Nullable KeyRange clip(KeyRange stored) {
                byte[] end = stored.end();
                if (end != null && !isBefore(START_OF_RECORDS, end)) {
                    return null;
                }
                boolean isWithin = isBefore(START_OF_RECORDS, stored.start());
                return new KeyRange(
                        isWithin ? fromStore(stored.start()) : NOTHING,
                        end == null ? null : fromStore(end));
            }
        };

        static Space of(byte[] stored) {
            return isBefore(stored, START_OF_RECORDS) ? DATA : RECORDS;
        }

        /** Translates a key or the bound of a range; returns the same array if unchanged. */
        abstract byte[] toStore(byte[] key);

        /** The reverse of {@link #toStore}. */
        abstract byte[] fromStore(byte[] stored);

        /** The end of this keyspace in the store; null for the end of the store. */
        abstract byte @Nullable [] end();

        /** The part of a range of the store that is in this keyspace; null if none. */
        abstract @Nullable KeyRange clip(KeyRange stored);

        /** The part of damage of the store that is in this keyspace; null if none. */
        @Nullable Damage clip(Damage stored) {
            List<KeyRange> ranges =
                    stored.ranges().stream()
                            .map(range -> clip(range))
                            .filter(part -> part != null && !isEmpty(part))
                            .toList();
            // Without ranges no key is lost, in either keyspace.
            return ranges.isEmpty() && !stored.ranges().isEmpty()
                    ? null
                    : new Damage(stored.file(), ranges, stored.newest());
        }

        private static boolean isEmpty(KeyRange range) {
            byte[] end = range.end();
            return end != null && !isBefore(range.start(), end);
        }

        byte @Nullable [] endToStore(byte @Nullable [] end) {
            return end == null ? end() : toStore(end);
        }
    }

    // ---- Damage.

    private List<Damage> damage(Space space) {
        return store.damage().stream().map(space::clip).filter(Objects::nonNull).toList();
    }

    private void heal(Space space, Damage part) {
        List<Damage> known = store.damage();
        for (Damage each : known) {
            if (part.equals(space.clip(each))) {
                if (isHealed(each, space, known)) {
                    store.heal(each);
                }
                return;
            }
        }
        // The table was replaced, or its damage has grown and is listed anew.
    }

    /** Records that damage is healed in one keyspace; returns whether it is healed in all. */
    private boolean isHealed(Damage damage, Space space, List<Damage> known) {
        Set<Space> concerned = EnumSet.noneOf(Space.class);
        for (Space each : Space.values()) {
            if (each.clip(damage) != null) {
                concerned.add(each);
            }
        }
        synchronized (healed) {
            healed.keySet().retainAll(known);
            Set<Space> places = healed.computeIfAbsent(damage, none -> EnumSet.noneOf(Space.class));
            places.add(space);
            return places.containsAll(concerned);
        }
    }

    // ---- The stores.

    private final class View implements KeyValueStore {

        private final Space space;

        View(Space space) {
            this.space = space;
        }

        @Override
        public void write(Entry entry, WriteCompletion completion) {
            List<Entry> stored = new ArrayList<>(1);
            if (addTo(stored, space, List.of(entry), completion)) {
                store.write(stored.getFirst(), completion);
            }
        }

        @Override
        public void write(List<Entry> entries, WriteCompletion completion) {
            List<Entry> stored = new ArrayList<>(entries.size());
            if (addTo(stored, space, entries, completion)) {
                store.write(stored, completion);
            }
        }

        @Override
        public Lookup lookup(byte[] key) {
            Kept kept = kept();
            return found(store.lookup(space.toStore(key)), key, kept);
        }

        @Override
        public Lookup lookupResident(byte[] key) {
            Kept kept = kept();
            return found(store.lookupResident(space.toStore(key)), key, kept);
        }

        /** Read before the store is: what is found then may be deleted by the end of hiding. */
        private @Nullable Kept kept() {
            BothKept both = shown;
            return both == null ? null : both.in(space);
        }

        private Lookup found(Lookup stored, byte[] key, @Nullable Kept kept) {
            if (!(stored instanceof Lookup.Found(Entry entry))) {
                return stored;
            }
            if (kept != null && !kept.keeps(key, entry.from())) {
                return Lookup.Absent.ABSENT;
            }
            boolean hasOtherKey = space == Space.RECORDS || hasPrefix(key);
            return hasOtherKey ? new Lookup.Found(entry.withKey(key)) : stored;
        }

        @Override
        public EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order) {
            Ranges ranges = (from, to) -> store.scan(from, to, order);
            return Keyspaces.scan(space, kept(), ranges, start, end);
        }

        @Override
        public EntryCursor scanReadable(byte[] start, byte @Nullable [] end) {
            return Keyspaces.scan(space, kept(), store::scanReadable, start, end);
        }

        @Override
        public Holdings holdings(byte[] key) {
            return store.holdings(space.toStore(key));
        }

        @Override
        public List<Damage> damage() {
            return Keyspaces.this.damage(space);
        }

        @Override
        public void heal(Damage damage) {
            Keyspaces.this.heal(space, damage);
        }

        @Override
        public long bytesBetween(byte[] start, byte @Nullable [] end) {
            return store.bytesBetween(space.toStore(start), space.endToStore(end));
        }

        @Override
        public Timestamp newestTimestamp() {
            return store.newestTimestamp();
        }

        @Override
        public void flush() {
            store.flush();
        }

        @Override
        public void collectTombstones(Timestamp upTo) {
            store.collectTombstones(upTo);
        }

        /** Replaces a discard of the other keyspace, too. */
        @Override
        public void discard(Kept keep, Runnable whenDone) {
            Kept all = (key, from) -> true;
            boolean isData = space == Space.DATA;
            Keyspaces.this.discard(isData ? keep : all, isData ? all : keep, whenDone);
        }

        /** Shortens no value of the other keyspace. */
        @Override
        public void shorten(Supplier<ValueShortener> shorteners) {
            store.shorten(
                    () -> {
                        ValueShortener shortener = shorteners.get();
                        return (stored, value) ->
                                Space.of(stored) == space
                                        ? shortener.shortened(space.fromStore(stored), value)
                                        : null;
                    });
        }

        @Override
        public void checkpoint(Path directory) {
            store.checkpoint(directory);
        }

        @Override
        public Timestamp tombstonesCollectedUpTo() {
            return store.tombstonesCollectedUpTo();
        }

        @Override
        public Figures figures() {
            return store.figures();
        }

        @Override
        public String recoverySummary() {
            return store.recoverySummary();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    /** Translates the keys of a cursor, which are all of one keyspace, and skips hidden entries. */
    private record SpaceCursor(Space space, @Nullable Kept kept, EntryCursor stored)
            implements EntryCursor {

        @Override
        public boolean next() {
            boolean isFound = stored.next();
            while (isFound && kept != null && !kept.keeps(key(), from())) {
                isFound = stored.next();
            }
            return isFound;
        }

        private int from() {
            UnreadValue unread = stored.unreadValue();
            return unread == null ? stored.entry().from() : unread.from();
        }

        @Override
        public Entry entry() {
            Entry entry = stored.entry();
            return entry.withKey(space.fromStore(entry.key()));
        }

        @Override
        public byte[] key() {
            return space.fromStore(stored.key());
        }

        @Override
        public Timestamp timestamp() {
            return stored.timestamp();
        }

        @Override
        public @Nullable UnreadValue unreadValue() {
            return stored.unreadValue();
        }

        @Override
        public void close() {
            stored.close();
        }
    }
}
