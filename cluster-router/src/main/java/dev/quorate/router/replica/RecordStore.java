package dev.quorate.router.replica;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Fate;
import dev.quorate.router.conditional.KeyRecords;
import dev.quorate.router.conditional.ProposalCodec;
import dev.quorate.router.conditional.Question;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.ValueShortener;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A replica's records of conditional writes as entries of its store (decision 0029). A record with
 * a later ballot supersedes it. Compaction drops a record that has expired and is older than the GC
 * watermark: no question needs it then.
 *
 * <pre>
 * key:       length of the client's key (2) | client's key | kind (1) | subject
 * timestamp: the ballot; of a proposal, with the result's step if that is after the ballot
 *
 * kind         subject    value
 * 1 promise    none       empty
 * 3 fate       origin     fate
 * 7 last       from       base of the proposal accepted last; a tombstone if it is superseded
 * 8 accepted   from, base accepted proposal, see {@link ProposalCodec}
 * </pre>
 *
 * <p>The bits of the base are inverted in a key, so the latest base is first.
 *
 * <p>Majorities of different numbers of owners need not intersect. So a proposal accepted for one
 * {@code from} does not concern writes of another, for which it is an ordinary entry once written.
 *
 * <p>Kind 5, under the empty key, has the time at which entries or records were last healed. Kinds
 * 2, 4 and 6 belonged to earlier formats.
 */
public final class RecordStore {

    /** Longest key with records: the key of a record is up to 32 bytes longer. */
    static final int MAX_KEY_BYTES = Entry.MAX_KEY_BYTES - 32;

    private static final byte PROMISE = 1;
    private static final byte FATE = 3;
    private static final byte HEALED = 5;
    private static final byte LAST = 7;
    private static final byte ACCEPTED = 8;

    private static final byte[] HEALED_KEY = {0, 0, HEALED};

    private static final byte[] EMPTY = {};

    private final Duration kept;

    /**
     * @param kept the time from a record's ballot or, if later, its write to its expiry
     */
    RecordStore(Duration kept) {
        this.kept = kept;
    }

    /**
     * Reads the records of {@code key} that a question needs.
     *
     * @param from how many members own the key
     * @param question null for a note: see {@link KeyRecords#noted}
     * @param entry the replica's entry of the key
     * @param lookup looks up a key in the keyspace of records
     * @return null if {@code lookup} returned {@link Lookup.NotResident}
     * @throws CorruptionException if a record is damaged
     */
    @Nullable KeyRecords read(
            byte[] key,
            int from,
            @Nullable Question question,
            Current entry,
            Function<byte[], Lookup> lookup) {
        Reading reading = new Reading(key, from, lookup);
        try {
            return switch (question) {
                case Question.Prepare(var ballot, var asked, var origin) ->
                        reading.records(asked, origin, entry);
                case Question.Accept accept ->
                        reading.records(Set.of(accept.proposal().base()), Timestamp.ZERO, entry);
                case null, default -> reading.records(Set.of(), Timestamp.ZERO, entry);
            };
        } catch (NotResidentException e) {
            return null;
        }
    }

    /**
     * The entries to write in order to change {@code before} to {@code after}.
     *
     * @param from how many members own the key
     */
    List<Entry> changes(byte[] key, int from, KeyRecords before, KeyRecords after) {
        List<Entry> changes = new ArrayList<>();
        if (!after.promised().equals(before.promised())) {
            changes.add(record(promiseKey(key), from, after.promised(), EMPTY));
        }
        if (!Objects.equals(after.last(), before.last())) {
            changes.add(lastRecord(key, from, before, after));
        }
        after.decrees()
                .forEach(
                        (version, accepted) -> {
                            if (!accepted.equals(before.decrees().get(version))) {
                                changes.add(acceptedRecord(key, from, version, accepted));
                            }
                        });
        after.fates()
                .forEach(
                        (origin, fate) -> {
                            if (!fate.equals(before.fates().get(origin))) {
                                changes.add(fateRecord(key, from, origin, fate));
                            }
                        });
        return changes;
    }

    /** If nothing is pending any more, a tombstone supersedes the record of the same timestamp. */
    private Entry lastRecord(byte[] key, int from, KeyRecords before, KeyRecords after) {
        Timestamp base = after.last();
        byte[] recordKey = lastKey(key, from);
        if (base == null) {
            Timestamp noted = Objects.requireNonNull(before.last());
            return Entry.tombstone(recordKey, stamp(before.decrees().get(noted)), from);
        }
        byte[] value = FieldWriter.bytesOf(to -> ProposalCodec.putVersion(base, to));
        return record(recordKey, from, stamp(after.decrees().get(base)), value);
    }

    /**
     * In the lead, many proposals have the same ballot, and each replaces the previous one: their
     * steps order them. A record has the age of the younger of its ballot and its result.
     */
    private static Timestamp stamp(@Nullable Accepted accepted) {
        Timestamp ballot = Objects.requireNonNull(accepted).ballot();
        Timestamp result = accepted.proposal().result();
        return result != null && Timestamp.isStep(ballot.hybrid(), result.step())
                ? ballot.withStep(result.step())
                : ballot;
    }

    private Entry acceptedRecord(byte[] key, int from, Timestamp version, Accepted accepted) {
        byte[] value = FieldWriter.bytesOf(to -> ProposalCodec.encode(key, accepted, to));
        return record(acceptedKey(key, from, version), from, stamp(accepted), value);
    }

    Entry healedRecord(Timestamp now) {
        return record(HEALED_KEY, 0, now, EMPTY);
    }

    /** When entries or records were healed last; {@link Timestamp#ZERO} for never. */
    Timestamp readHealed(Function<byte[], Lookup> lookup) {
        Lookup found = lookup.apply(HEALED_KEY);
        return found instanceof Lookup.Found(Entry note) ? note.timestamp() : Timestamp.ZERO;
    }

    private Entry fateRecord(byte[] key, int from, Timestamp origin, Fate fate) {
        byte[] value = FieldWriter.bytesOf(to -> ProposalCodec.encode(fate, to));
        return record(fateKey(key, origin), from, fate.ballot(), origin, value);
    }

    private Entry record(byte[] key, int from, Timestamp stamp, byte[] value) {
        return record(key, from, stamp, stamp, value);
    }

    /**
     * @param madeAt when the record's write was made: in the lead, long after the ballot
     */
    private Entry record(byte[] key, int from, Timestamp stamp, Timestamp madeAt, byte[] value) {
        long youngestMillis = Math.max(stamp.wallMillis(), madeAt.wallMillis());
        return Entry.expiring(key, stamp, value, from, youngestMillis + kept.toMillis());
    }

    /**
     * The client's key, if a replica that has lost its records needs this one; otherwise null. It
     * does not need tombstones: a value superseded on one replica may be pending on another.
     */
    public static byte @Nullable [] keyToBeCopied(Entry record) {
        return record.isTombstone() ? null : clientKey(record.key());
    }

    /** The client's key, if this record names the proposal accepted last; otherwise null. */
    public static byte @Nullable [] keyOfLast(Entry record) {
        byte[] key = keyToBeCopied(record);
        return key != null && record.key()[Short.BYTES + key.length] == LAST ? key : null;
    }

    /** A copy of another replica's record, marked because this replica has not accepted it. */
    public static Entry copyOf(Entry record) {
        byte[] key = clientKey(record.key());
        boolean isAccepted = key != null && record.key()[Short.BYTES + key.length] == ACCEPTED;
        if (!isAccepted) {
            return record;
        }
        byte[] value = record.value().clone();
        value[0] = ProposalCodec.COPY;
        return Entry.expiring(
                record.key(), record.timestamp(), value, record.from(), record.expiresAtMillis());
    }

    /** The client's key in the key of a record; null if it has none. */
    public static byte @Nullable [] clientKey(byte[] recordKey) {
        if (recordKey.length <= Short.BYTES) {
            return null;
        }
        int length = ByteBuffer.wrap(recordKey).getShort() & 0xFFFF;
        return length == 0 || length > recordKey.length - Short.BYTES - Byte.BYTES
                ? null
                : Arrays.copyOfRange(recordKey, Short.BYTES, Short.BYTES + length);
    }

    /**
     * The client's key, if a replica that does not own it may forget the record; null otherwise. A
     * promise has the {@code from} of the last question, but binds the replica for any {@code
     * from}.
     */
    public static byte @Nullable [] keyOfOwned(byte[] recordKey) {
        byte[] key = clientKey(recordKey);
        return key == null || recordKey[Short.BYTES + key.length] == PROMISE ? null : key;
    }

    private static byte[] promiseKey(byte[] key) {
        return recordKey(key, PROMISE, subject -> {});
    }

    private static byte[] acceptedKey(byte[] key, int from, Timestamp version) {
        byte[] recordKey =
                recordKey(
                        key,
                        ACCEPTED,
                        subject -> ProposalCodec.putVersion(version, subject.u8(from)));
        for (int i = recordKey.length - ProposalCodec.VERSION_BYTES; i < recordKey.length; i++) {
            recordKey[i] = (byte) ~recordKey[i];
        }
        return recordKey;
    }

    private static byte[] lastKey(byte[] key, int from) {
        return recordKey(key, LAST, subject -> subject.u8(from));
    }

    static byte[] fateKey(byte[] key, Timestamp origin) {
        return recordKey(key, FATE, subject -> ProposalCodec.putStamp(origin, subject));
    }

    private static byte[] recordKey(byte[] key, byte kind, Consumer<FieldWriter> subject) {
        return FieldWriter.bytesOf(to -> subject.accept(to.bytes(key).u8(kind)));
    }

    /**
     * Removes values that were accepted to succeed versions which the entry has superseded since:
     * the replica accepts a value only while its entry is the base, and entries never get older. So
     * the record with the latest base and a value shows for which other bases no value is needed.
     * Bases that may be dropped, and copies, show nothing; nor does a record without a value, which
     * a replica without an entry stores, too.
     */
    static ValueShortener shortener() {
        return new ValueShortener() {

            // The last key whose base was the entry.
            private byte[] latest = {};

            @Override
            public byte @Nullable [] shortened(byte[] key, UnreadValue value) {
                byte[] client = clientKey(key);
                if (client == null || key[Short.BYTES + client.length] != ACCEPTED) {
                    return null;
                }
                int subject = key.length - ProposalCodec.VERSION_BYTES;
                boolean isSuperseded =
                        latest.length == key.length
                                && Arrays.equals(key, 0, subject, latest, 0, subject);
                byte[] shorter = ProposalCodec.withoutValue(value);
                if (isSuperseded) {
                    return shorter;
                }
                if (shorter != null && !ProposalCodec.isCopy(shorter)) {
                    latest = key;
                }
                return null;
            }
        };
    }

    /** A record is not in memory. */
    private static final class NotResidentException extends RuntimeException {
        NotResidentException() {
            super(null, null, false, false);
        }
    }

    private record Reading(byte[] key, int from, Function<byte[], Lookup> lookup) {

        KeyRecords records(Set<Timestamp> asked, Timestamp origin, Current entry) {
            Timestamp last = last();
            Entry promise = find(promiseKey(key));
            Map<Timestamp, Accepted> decrees = new HashMap<>();
            Map<Timestamp, Fate> fates = new HashMap<>();
            for (Timestamp version : asked) {
                if (!version.equals(entry.version())) {
                    addAccepted(version, false, decrees);
                }
            }
            addFate(origin, fates);
            addAccepted(entry.version(), true, decrees);
            if (last != null && !last.equals(entry.version())) {
                addAccepted(last, true, decrees);
            }
            Timestamp promised = promise == null ? Timestamp.ZERO : promise.timestamp();
            return new KeyRecords(promised, last, decrees, fates);
        }

        private @Nullable Timestamp last() {
            Entry found = find(lastKey(key, from));
            return found == null ? null : decoded(found, ProposalCodec::version);
        }

        /** Drops a value that does not succeed the entry: no client will see it. */
        private void addAccepted(
                Timestamp version, boolean withValue, Map<Timestamp, Accepted> decrees) {
            Entry found = find(acceptedKey(key, from, version));
            if (found != null) {
                Accepted accepted =
                        decoded(
                                found,
                                value ->
                                        ProposalCodec.decodeAccepted(
                                                key, found.timestamp().root(), value));
                decrees.put(version, withValue ? accepted : accepted.withoutValue());
            }
        }

        private void addFate(Timestamp origin, Map<Timestamp, Fate> fates) {
            Entry found = origin.equals(Timestamp.ZERO) ? null : find(fateKey(key, origin));
            if (found != null) {
                fates.put(
                        origin,
                        decoded(
                                found,
                                value -> ProposalCodec.decodeFate(found.timestamp(), value)));
            }
        }

        private static <T> T decoded(Entry record, Function<ByteBuffer, T> codec) {
            try {
                return codec.apply(ByteBuffer.wrap(record.value()));
            } catch (MalformedException e) {
                throw new CorruptionException(
                        "a record of a conditional write", 0, String.valueOf(e.getMessage()));
            }
        }

        private @Nullable Entry find(byte[] recordKey) {
            return switch (lookup.apply(recordKey)) {
                case Lookup.Found(Entry entry) -> entry.isTombstone() ? null : entry;
                case Lookup.Absent absent -> null;
                case Lookup.NotResident notResident -> throw new NotResidentException();
            };
        }
    }
}
