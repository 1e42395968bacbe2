package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.RangeReader.Stretch;
import dev.quorate.router.Topologies;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Comparisons with several members read a store once. */
class SharedWalkTest {

    private static final byte[] FIRST = {0};

    private final Random random = new Random(5);
    private final Topology topology = Topologies.numbered(5);
    private final Placement placement = Topologies.placement(new Ring(topology));
    private final MemoryStore store = new MemoryStore();
    private final SharedWalk walk = new SharedWalk();

    private RangeReader reader(Placement placed, int peer, @Nullable SharedWalk shared) {
        List<Member> members = topology.members();
        CommonOwnership ownership =
                new CommonOwnership(placed, members.getFirst(), members.get(peer));
        RangeReader reader = new RangeReader(store, ownership, new ManualTime(), 7);
        reader.ignoreTombstonesBefore(peer == 2 ? 1_000 : 0);
        if (shared != null) {
            shared.join(reader);
        }
        return reader;
    }

    private void fill() {
        for (int i = 0; i < RangeReader.MAX_ENTRIES * 5 / 2; i++) {
            byte[] key = Topologies.randomKey(random);
            Timestamp timestamp = Timestamp.of(1 + random.nextInt(2_000), 0, 1);
            store.put(
                    i % 10 == 0
                            ? Entry.tombstone(key, timestamp, 0)
                            : Entry.value(key, timestamp, key, i % 4));
        }
    }

    private static List<Stretch> alone(RangeReader reader) {
        return all(reader, new SharedWalk());
    }

    private List<Stretch> all(RangeReader reader) {
        return all(reader, walk);
    }

    private static List<Stretch> all(RangeReader reader, SharedWalk walk) {
        List<Stretch> all = new ArrayList<>();
        for (byte[] start = FIRST; start != null; start = all.getLast().end()) {
            all.add(walk.stretch(reader, start));
        }
        return all;
    }

    private static void assertSame(List<Stretch> actual, List<Stretch> expected) {
        assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
    }

    @Test
    void eachGetsItsOwnSumsOfOneWalk() {
        fill();
        List<RangeReader> readers = new ArrayList<>();
        for (int peer = 1; peer < 5; peer++) {
            readers.add(reader(placement, peer, walk));
        }
        for (int peer = 1; peer < 5; peer++) {
            List<Stretch> alone = alone(reader(placement, peer, null));
            assertThat(alone).hasSize(3);
            assertSame(all(readers.get(peer - 1)), alone);
        }
        assertThat(readers.getFirst().bytesRead()).isPositive();
        assertThat(readers.subList(1, 4)).allSatisfy(each -> assertThat(each.bytesRead()).isZero());
    }

    @Test
    void whoComesLaterReadsWhatItHasMissed() {
        fill();
        RangeReader first = reader(placement, 1, walk);
        Stretch read = walk.stretch(first, FIRST);
        RangeReader second = reader(placement, 2, walk);
        Stretch next = walk.stretch(first, read.end());
        assertSame(all(second), alone(reader(placement, 2, null)));
        assertThat(second.bytesRead()).as("two of three stretches").isPositive();
        assertSame(List.of(read, next), alone(reader(placement, 1, null)).subList(0, 2));
    }

    /** The comparison retains the sum of a stretch that is not answered; the walk does not. */
    @Test
    void aStretchIsReadAgainIfItIsAskedTwice() {
        fill();
        RangeReader first = reader(placement, 1, walk);
        Stretch before = walk.stretch(first, FIRST);
        store.put(Entry.value(new byte[] {0}, Timestamp.of(9_000, 0, 1), new byte[1], 5));
        assertThat(walk.stretch(first, FIRST).sum()).isNotEqualTo(before.sum());
    }

    /** Sums by the owners of another epoch could agree although an entry is missing. */
    @Test
    void readersWithOtherOwnersDoNotShare() {
        fill();
        RangeReader first = reader(placement, 1, walk);
        RangeReader second = reader(Topologies.placement(new Ring(topology)), 2, walk);
        var _ = all(first);
        assertSame(all(second), alone(reader(placement, 2, null)));
        assertThat(second.bytesRead()).isEqualTo(first.bytesRead());
    }

    @Test
    void whoHasLeftIsNotSummed() {
        fill();
        RangeReader first = reader(placement, 1, walk);
        RangeReader second = reader(placement, 2, walk);
        walk.leave(second);
        var _ = all(first);
        var _ = all(second);
        assertThat(second.bytesRead()).isEqualTo(first.bytesRead());
    }
}
