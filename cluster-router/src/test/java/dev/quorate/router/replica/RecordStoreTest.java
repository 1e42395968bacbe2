package dev.quorate.router.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyRecords;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.ProposalCodec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.ValueShortener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which values a compaction removes from records. */
class RecordStoreTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final byte[] OTHER = "kez".getBytes(US_ASCII);

    private final RecordStore layout = new RecordStore(Duration.ofHours(3));
    private final List<Entry> stored = new ArrayList<>();

    private static Timestamp version(int number) {
        return new Timestamp(5 << 16, 1, number == 0 ? 0 : (5 + number) << 16);
    }

    /** Stores what was accepted to succeed a version. */
    private void accepted(byte[] key, int from, int base, boolean isDroppable, boolean isCopy) {
        Timestamp result = version(base + 1);
        Current entry = new Current(result, "value".getBytes(US_ASCII), Entry.NEVER, from, null);
        Proposal proposal =
                new Proposal(
                        new Timestamp(9 << 16, 2),
                        true,
                        version(base),
                        isDroppable,
                        false,
                        result,
                        entry,
                        7);
        store(key, from, new Accepted(new Timestamp(9 << 16, 3), proposal, isCopy));
    }

    private void store(byte[] key, int from, Accepted accepted) {
        Timestamp base = accepted.proposal().base();
        KeyRecords after = new KeyRecords(Timestamp.ZERO, null, Map.of(base, accepted), Map.of());
        stored.addAll(layout.changes(key, from, KeyRecords.NONE, after));
    }

    private void accepted(int... bases) {
        for (int base : bases) {
            accepted(KEY, 3, base, false, false);
        }
    }

    /** The bases whose records have a value after a compaction. */
    private Set<Integer> compacted() {
        stored.sort(Comparator.comparing(Entry::key, Arrays::compareUnsigned));
        ValueShortener shortener = RecordStore.shortener();
        Set<Integer> kept = new TreeSet<>();
        for (Entry entry : stored) {
            byte[] shorter = shortener.shortened(entry.key(), UnreadValue.of(entry));
            ByteBuffer value = ByteBuffer.wrap(shorter == null ? entry.value() : shorter);
            byte[] key = RecordStore.clientKey(entry.key());
            Proposal left = ProposalCodec.decodeAccepted(key, entry.timestamp(), value).proposal();
            assertThat(left.result()).isNotNull();
            if (left.entry() != null) {
                long step = left.base().step();
                kept.add(step == 0 ? 0 : (int) (step >>> 16) - 5);
            }
        }
        return kept;
    }

    @Test
    void onlyTheLatestAcceptedValueStays() {
        accepted(2, 0, 9, 1, 4);
        assertThat(compacted()).containsExactly(9);
    }

    @Test
    void valuesOfAnotherKeyOrNumberOfOwnersShowNothing() {
        accepted(1);
        accepted(OTHER, 3, 2, false, false);
        accepted(KEY, 2, 3, false, false);
        assertThat(compacted()).containsExactly(1, 2, 3);
    }

    /** The replica may not have had its base. */
    @Test
    void aCopyShowsNothing() {
        accepted(1);
        accepted(KEY, 3, 2, false, true);
        assertThat(compacted()).containsExactly(1, 2);
        accepted(3);
        assertThat(compacted()).containsExactly(3);
    }

    /** A replica without an entry stores it, too. */
    @Test
    void aRecordWithoutAValueShowsNothing() {
        accepted(1);
        Proposal none =
                new Proposal(Timestamp.ZERO, true, version(2), false, false, version(3), null, 0);
        store(KEY, 3, new Accepted(new Timestamp(9 << 16, 3), none));
        assertThat(compacted()).containsExactly(1);
        accepted(3);
        assertThat(compacted()).containsExactly(3);
    }

    /** A record that is cut off must not become a well-formed one, and shows nothing. */
    @Test
    void aMalformedRecordStaysAsItIs() {
        accepted(1, 2);
        stored.sort(Comparator.comparing(Entry::key, Arrays::compareUnsigned));
        ValueShortener shortener = RecordStore.shortener();
        for (Entry entry : stored) {
            byte[] cut = Arrays.copyOf(entry.value(), 30);
            Entry malformed = Entry.value(entry.key(), entry.timestamp(), cut, 3);
            assertThat(shortener.shortened(entry.key(), UnreadValue.of(malformed))).isNull();
        }
        Entry earliest = stored.getLast();
        assertThat(shortener.shortened(earliest.key(), UnreadValue.of(earliest))).isNull();
    }

    /** Its base may have had another name, and what superseded it may be gone. */
    @Test
    void aDroppableBaseShowsNothingAndItsValueStays() {
        accepted(1);
        accepted(KEY, 3, 2, true, false);
        assertThat(compacted()).containsExactly(1, 2);
        accepted(3);
        assertThat(compacted()).containsExactly(2, 3);
    }
}
