package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A member that lost its disk is given each entry that it is to hold once, by one that has it. */
class BulkCopyTest {

    private static final int KEYS = 20_000;

    private final RandomGenerator random = Seed.random("BulkCopyTest");
    private final ManualTime time = new ManualTime();
    private final Topology topology =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1,n5=http://e:1");
    private final Ring ring = new Ring(topology);
    private final Member self = topology.members().getFirst();
    private final MemoryStore own = new MemoryStore();
    private final HybridClock clock = HybridClock.volatileClock(time, 1, Duration.ofMillis(500));
    private final LocalReplica local =
            PlainReplica.of(self, own, clock, time, new Deadlines(time, time), Runnable::run);
    private final List<Other> others = new ArrayList<>();
    private long gcWatermarkMillis;
    private int mostValueBytes = 100;

    /** Whether the last copy said that each source has sent all. */
    private boolean hasAll;

    BulkCopyTest() {
        for (Member member : topology.members().subList(1, 5)) {
            others.add(new Other(member));
        }
    }

    /** Gives what its store has, a millisecond later. */
    private final class Other implements Replica {
        private final Member member;
        private final MemoryStore store = new MemoryStore();
        private final StoreSource source;
        private @Nullable Failed failure;
        private int failsFrom = Integer.MAX_VALUE;
        private int asked;
        private int given;

        Other(Member member) {
            this.member = member;
            this.source =
                    new StoreSource(
                            store,
                            store,
                            Topologies.live(ring),
                            member,
                            time,
                            () -> gcWatermarkMillis);
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            asked++;
            Failed failed = asked >= failsFrom ? failure : null;
            ReplicaAnswer answer =
                    failed == null
                            ? source.streamPage((ReplicaRequest.StreamPage) request)
                            : failed;
            if (answer instanceof ReplicaAnswer.StreamedPage gift) {
                given += gift.entries().size();
            }
            time.after(Duration.ofMillis(1), () -> callback.answered(answer));
        }
    }

    /** Every member has what it is to hold; gives what this one is to hold too. */
    private SortedMap<String, Timestamp> fill(List<Other> sources) {
        SortedMap<String, Timestamp> expected = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            String name = "key" + random.nextInt() + "." + i; // no key twice
            byte[] key = name.getBytes(US_ASCII);
            Timestamp timestamp = Timestamp.of(1_000 + i, 0, 1);
            int from = random.nextInt(6); // 0: the topology's
            Entry entry =
                    random.nextInt(10) == 0
                            ? Entry.tombstone(key, timestamp, from)
                            : Entry.value(
                                    key, timestamp, new byte[random.nextInt(mostValueBytes)], from);
            List<Member> replicas = ring.replicas(key, from == 0 ? 3 : from);
            boolean isGiven = false;
            for (Other other : others) {
                if (replicas.contains(other.member)) {
                    other.store.put(entry);
                    isGiven |= sources.contains(other);
                }
            }
            if (isGiven && replicas.contains(self)) {
                expected.put(name, timestamp);
            }
        }
        return expected;
    }

    private BulkCopy refill(List<Other> sources, long bytesPerSecond) {
        boolean[] done = new boolean[1];
        BulkCopy refill =
                BulkCopy.ofEntries(
                        local,
                        own,
                        () -> bytesPerSecond,
                        new NodeRuntime(
                                time, time, random, task -> time.after(Duration.ZERO, task)));
        refill.begin(
                List.copyOf(sources),
                false,
                all -> {
                    done[0] = true;
                    hasAll = all;
                });
        for (int second = 0; second < 600 && !done[0]; second++) {
            time.advanceMillis(1_000);
        }
        assertThat(done[0]).as("it is over").isTrue();
        return refill;
    }

    private SortedMap<String, Timestamp> held() {
        SortedMap<String, Timestamp> held = new TreeMap<>();
        try (EntryCursor cursor = own.scan(new byte[0], null)) {
            while (cursor.next()) {
                held.put(new String(cursor.key(), US_ASCII), cursor.timestamp());
            }
        }
        return held;
    }

    private static int given(List<Other> others) {
        return others.stream().mapToInt(other -> other.given).sum();
    }

    @Test
    void eachEntryIsSentOnceByAllSourcesTogether() {
        SortedMap<String, Timestamp> expected = fill(others);
        BulkCopy refill = refill(others, 0);
        assertThat(held()).isEqualTo(expected);
        assertThat(given(others)).isEqualTo(expected.size());
        assertThat(refill.written()).isEqualTo(expected.size());
        assertThat(hasAll).isTrue();
        for (Other other : others) {
            assertThat(other.given)
                    .as("%s does its share", other.member)
                    .isGreaterThan(expected.size() / 10);
        }
    }

    @Test
    void membersThatAreUpSendForThoseThatAreDown() {
        List<Other> some = List.of(others.get(0), others.get(3));
        SortedMap<String, Timestamp> expected = fill(some);
        refill(some, 0);
        assertThat(held()).isEqualTo(expected);
        assertThat(given(some)).isEqualTo(expected.size());
    }

    @Test
    void aSourceIsAskedAgainAfterAFailureAndSkippedAfterSeveral() {
        fill(others);
        others.get(1).failure = new Failed(Failure.TIMEOUT, "gone");
        others.get(1).failsFrom = 1;
        others.get(2).failure = new Failed(Failure.CORRUPT, "damaged");
        others.get(2).failsFrom = 1;
        refill(others, 0);
        assertThat(others.get(1).asked).isEqualTo(4);
        assertThat(others.get(2).asked).as("the damage stays").isEqualTo(1);
        assertThat(held()).isNotEmpty().hasSize(given(others));
        assertThat(hasAll).isFalse();
    }

    /** A complete copy may replace a comparison. */
    @Test
    void aCopyWithoutARefusedEntryIsNotComplete() {
        SortedMap<String, Timestamp> expected = fill(others);
        byte[] key = "of a clock that is ahead".getBytes(US_ASCII);
        Timestamp late = Timestamp.of(time.wallMillis() + 60_000, 0, 2);
        Entry refused = Entry.value(key, late, new byte[1], topology.size());
        others.forEach(other -> other.store.put(refused));
        refill(others, 0);
        assertThat(held()).isEqualTo(expected);
        assertThat(hasAll).isFalse();
    }

    /** Those of an earlier life, and those that clients have written meanwhile. */
    @Test
    void entriesThatAreNotNewerAreNotWritten() {
        SortedMap<String, Timestamp> expected = fill(others);
        refill(others, 0);
        String newer = expected.firstKey();
        String older = expected.lastKey();
        Timestamp now = Timestamp.of(time.wallMillis(), 0, 1);
        own.put(Entry.value(newer.getBytes(US_ASCII), now, new byte[0], 3));
        expected.put(newer, now);
        Entry replaced = Entry.value(older.getBytes(US_ASCII), now, new byte[0], 5);
        for (Other other : others) {
            other.store.put(replaced);
        }
        expected.put(older, now);
        assertThat(refill(others, 0).written()).isEqualTo(1);
        assertThat(held()).isEqualTo(expected);
    }

    @Test
    void aFullDiskIsTriedAgain() {
        SortedMap<String, Timestamp> expected = fill(others);
        own.failWrites(new StorageException.Full("full", null));
        time.after(Duration.ofMillis(1_200), () -> own.failWrites(null));
        refill(others, 0);
        assertThat(held()).isEqualTo(expected);
    }

    @Test
    void tombstonesBelowTheWatermarkAreNotSent() {
        gcWatermarkMillis = 1_000 + KEYS / 2;
        SortedMap<String, Timestamp> expected = fill(others);
        refill(others, 0);
        int tombstones = 0;
        try (EntryCursor cursor = own.scan(new byte[0], null)) {
            while (cursor.next()) {
                boolean isTombstone = cursor.entry().isTombstone();
                tombstones += isTombstone ? 1 : 0;
                assertThat(isTombstone && cursor.timestamp().wallMillis() < gcWatermarkMillis)
                        .isFalse();
            }
        }
        assertThat(tombstones).isPositive();
        assertThat(held().size()).isLessThan(expected.size());
    }

    @Test
    void theRateIsLimited() {
        mostValueBytes = 1_500;
        fill(others);
        long before = time.nanos();
        refill(others, 1_000_000);
        double seconds = (time.nanos() - before) / 1e9;
        long bytes = 0;
        try (EntryCursor cursor = own.scan(new byte[0], null)) {
            while (cursor.next()) {
                bytes += cursor.key().length + cursor.entry().valueBytes();
            }
        }
        // The rate rises for 20 seconds.
        assertThat(seconds).isBetween(bytes / 1e6, bytes / 1e6 * 1.5 + 20);
    }
}
