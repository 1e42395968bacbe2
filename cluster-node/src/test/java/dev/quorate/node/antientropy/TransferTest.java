package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Topologies;
import dev.quorate.router.message.ComparedRange.Listed;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import org.junit.jupiter.api.Test;

/** In which direction an entry of a key that differs travels. */
class TransferTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Topology TWO = Topology.parse("n1=http://a:1,n2=http://b:1");

    private final CommonOwnership shared =
            new CommonOwnership(
                    Topologies.placement(new Ring(TWO)),
                    TWO.members().getFirst(),
                    TWO.members().getLast());
    private final Entry older = value(1_000, "z");
    private final Entry newer = value(2_000, "a");
    private final Entry newerAndLarger = value(2_000, "b");
    private final Entry deleted = Entry.tombstone(KEY, Timestamp.of(2_000, 0, 1), 2);
    private final Entry ofOneReplica = Entry.value(KEY, Timestamp.of(2_000, 0, 1), KEY, 1);

    private static Entry value(long millis, String value) {
        return Entry.value(KEY, Timestamp.of(millis, 0, 1), value.getBytes(US_ASCII), 2);
    }

    private static Listed listed(Entry entry) {
        return new Listed(KEY, entry.timestamp(), Sums.content(entry));
    }

    @Test
    void theNewerOneTravels() {
        assertThat(Transfer.of(newer, listed(older), shared)).isEqualTo(Transfer.PUSH);
        assertThat(Transfer.of(older, listed(newer), shared)).isEqualTo(Transfer.PULL);
        assertThat(Transfer.of(newer, listed(newer), shared)).isEqualTo(Transfer.NOTHING);
    }

    @Test
    void anEntryOfOneMemberIsTransferred() {
        assertThat(Transfer.of(newer, null, shared)).isEqualTo(Transfer.PUSH);
        assertThat(Transfer.of(null, listed(newer), shared)).isEqualTo(Transfer.PULL);
        assertThat(Transfer.of(null, null, shared)).isEqualTo(Transfer.NOTHING);
    }

    @Test
    void anEntryThatTheOtherDoesNotOwnIsNotSent() {
        assertThat(Transfer.of(ofOneReplica, null, shared)).isEqualTo(Transfer.NOTHING);
        assertThat(Transfer.takes(null, ofOneReplica, shared)).isFalse();
        assertThat(Transfer.takes(null, newer, shared)).isTrue();
    }

    /** The sums do not say which of the two stays: it is fetched, or given in return. */
    @Test
    void ofTwoUnderOneTimestampTheOneThatSupersedesStays() {
        assertThat(Transfer.of(newerAndLarger, listed(newer), shared)).isEqualTo(Transfer.PULL);
        assertThat(Transfer.gives(newerAndLarger, newer)).isTrue();
        assertThat(Transfer.gives(newer, newerAndLarger)).isFalse();
        assertThat(Transfer.gives(deleted, newer)).isTrue();
        assertThat(Transfer.gives(newer, deleted)).isFalse();
        assertThat(Transfer.gives(newer, newer)).isFalse();
        assertThat(Transfer.gives(newer, older)).as("another timestamp").isFalse();
        assertThat(Transfer.gives(null, newer)).isFalse();
    }

    @Test
    void noEntryIsReplacedByAnOlderOne() {
        assertThat(Transfer.takes(older, newer, shared)).isTrue();
        assertThat(Transfer.takes(newer, older, shared)).isFalse();
        assertThat(Transfer.takes(newer, newer, shared)).isFalse();
        assertThat(Transfer.takes(newer, deleted, shared)).isTrue();
        assertThat(Transfer.takes(deleted, newer, shared)).isFalse();
    }
}
