package dev.quorate.testkit.simulation;

import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.ProposalCodec;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Kept;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.ValueShortener;
import dev.quorate.storage.WriteCompletion;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store with a bug. */
final class SabotagedStore implements KeyValueStore {

    /** The age from which a tombstone is old, in milliseconds. */
    private static final long OLD = 1_000;

    /** Of the key of a record in the store. */
    private static final int RECORDS_PREFIX_BYTES = 9;

    private static final int VERSION_BYTES = ProposalCodec.VERSION_BYTES;

    static final WriteCompletion IGNORED =
            new WriteCompletion() {
                @Override
                public void stored(Timestamp newest) {}

                @Override
                public void failed(StorageException cause) {}
            };

    private final KeyValueStore store;
    private final Sabotage sabotage;
    private final LongSupplier wallMillis;
    private final Map<ByteBuffer, Entry> lastArrived = new HashMap<>();

    SabotagedStore(KeyValueStore store, Sabotage sabotage, LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
        this.store = store;
        this.sabotage = sabotage;
    }

    @Override
    public void write(Entry entry, WriteCompletion completion) {
        if (sabotage == Sabotage.REPAIRS_NOTHING && isRepair(entry)) {
            completion.stored(entry.timestamp());
        } else if (sabotage == Sabotage.REPAIRS_UNDER_A_NEW_STAMP && isRepair(entry)) {
            keep(stampedNow(entry), completion);
        } else {
            if (isRecord(entry.key())) {
                noteRecord(entry);
            }
            keep(entry, completion);
        }
    }

    @Override
    public void write(List<Entry> entries, WriteCompletion completion) {
        AtomicInteger missing = new AtomicInteger(entries.size());
        AtomicReference<@Nullable StorageException> failure = new AtomicReference<>();
        for (Entry entry : entries) {
            write(
                    entry,
                    new WriteCompletion() {
                        @Override
                        public void stored(Timestamp newest) {
                            countDown();
                        }

                        @Override
                        public void failed(StorageException cause) {
                            failure.set(cause);
                            countDown();
                        }

                        private void countDown() {
                            if (missing.decrementAndGet() > 0) {
                                return;
                            }
                            StorageException cause = failure.get();
                            if (cause == null) {
                                completion.stored(entries.getLast().timestamp());
                            } else {
                                completion.failed(cause);
                            }
                        }
                    });
        }
    }

    /** Whether a key is in the keyspace of records. */
    private static boolean isRecord(byte[] key) {
        for (int i = 0; i < RECORDS_PREFIX_BYTES; i++) {
            if (i >= key.length || key[i] != (byte) 0xFF) {
                return false;
            }
        }
        return true;
    }

    private void noteRecord(Entry record) {
        if (sabotage != Sabotage.SHOWS_WHAT_IS_ONLY_ACCEPTED) {
            return;
        }
        byte[] recordKey =
                Arrays.copyOfRange(record.key(), RECORDS_PREFIX_BYTES, record.key().length);
        byte[] key = Objects.requireNonNull(RecordStore.clientKey(recordKey));
        boolean isAccepted = recordKey.length == Short.BYTES + key.length + 2 + VERSION_BYTES;
        Current accepted =
                isAccepted
                        ? ProposalCodec.decodeAccepted(
                                        key, record.timestamp(), ByteBuffer.wrap(record.value()))
                                .proposal()
                                .entry()
                        : null;
        if (accepted != null) {
            store.write(KeyEntry.entry(key, accepted), IGNORED);
        }
    }

    private boolean isForgotten(byte[] key) {
        return sabotage == Sabotage.KEEPS_NO_RECORDS && isRecord(key);
    }

    /** Whether an entry is too old to come from a client's write. */
    private boolean isRepair(Entry entry) {
        return wallMillis.getAsLong() - entry.timestamp().wallMillis() > 300;
    }

    private Entry stampedNow(Entry entry) {
        Timestamp now = Timestamp.of(wallMillis.getAsLong(), 0, entry.timestamp().node());
        return entry.isTombstone()
                ? Entry.tombstone(entry.key(), now, entry.from())
                : Entry.value(entry.key(), now, entry.value(), entry.from());
    }

    private void keep(Entry entry, WriteCompletion completion) {
        if (sabotage == Sabotage.DROPS_TOMBSTONES_BY_AGE) {
            lastArrived.remove(ByteBuffer.wrap(entry.key()));
            if (store.lookup(entry.key()) instanceof Lookup.Found(Entry held)
                    && isForgotten(held)
                    && held.supersedes(entry)) {
                lastArrived.put(ByteBuffer.wrap(entry.key()), entry);
                completion.stored(entry.timestamp());
                return;
            }
        }
        store.write(
                entry,
                new WriteCompletion() {
                    @Override
                    public void stored(Timestamp newest) {
                        if (sabotage == Sabotage.LAST_TO_ARRIVE_WINS) {
                            lastArrived.put(ByteBuffer.wrap(entry.key()), entry);
                        }
                        completion.stored(tellsNewest() ? newest : entry.timestamp());
                    }

                    @Override
                    public void failed(StorageException cause) {
                        completion.failed(cause);
                    }
                });
    }

    private boolean tellsNewest() {
        return sabotage != Sabotage.NEVER_RESTAMPS && sabotage != Sabotage.FORGETS_ITS_CLOCK;
    }

    private boolean isForgotten(Entry entry) {
        return sabotage == Sabotage.DROPS_TOMBSTONES_BY_AGE
                && entry.isTombstone()
                && wallMillis.getAsLong() - entry.timestamp().wallMillis() > OLD;
    }

    private Lookup remembered(Lookup lookup) {
        return lookup instanceof Lookup.Found(Entry held) && isForgotten(held)
                ? Lookup.Absent.ABSENT
                : lookup;
    }

    @Override
    public Lookup lookup(byte[] key) {
        if (isForgotten(key)) {
            return Lookup.Absent.ABSENT;
        }
        Entry last = lastArrived.get(ByteBuffer.wrap(key));
        return last == null ? remembered(store.lookup(key)) : new Lookup.Found(last);
    }

    @Override
    public Lookup lookupResident(byte[] key) {
        if (isForgotten(key)) {
            return Lookup.Absent.ABSENT;
        }
        Entry last = lastArrived.get(ByteBuffer.wrap(key));
        return last == null ? remembered(store.lookupResident(key)) : new Lookup.Found(last);
    }

    @Override
    public EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order) {
        EntryCursor cursor = store.scan(start, end, order);
        return new EntryCursor() {
            @Override
            public boolean next() {
                boolean more = cursor.next();
                while (more && isForgotten(cursor.entry())) {
                    more = cursor.next();
                }
                return more;
            }

            @Override
            public byte[] key() {
                return cursor.key();
            }

            @Override
            public Entry entry() {
                return cursor.entry();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    @Override
    public Holdings holdings(byte[] key) {
        return store.holdings(key);
    }

    @Override
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        return store.bytesBetween(start, end);
    }

    @Override
    public EntryCursor scanReadable(byte[] start, byte @Nullable [] end) {
        return store.scanReadable(start, end);
    }

    @Override
    public List<Damage> damage() {
        return store.damage();
    }

    @Override
    public void heal(Damage damage) {
        store.heal(damage);
    }

    @Override
    public Timestamp newestTimestamp() {
        return sabotage == Sabotage.FORGETS_ITS_CLOCK ? Timestamp.ZERO : store.newestTimestamp();
    }

    @Override
    public void flush() {
        store.flush();
    }

    @Override
    public void collectTombstones(Timestamp upTo) {
        store.collectTombstones(upTo);
    }

    @Override
    public void discard(Kept keep, Runnable whenDone) {
        store.discard(keep, whenDone);
    }

    @Override
    public void shorten(Supplier<ValueShortener> shorteners) {
        store.shorten(shorteners);
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
