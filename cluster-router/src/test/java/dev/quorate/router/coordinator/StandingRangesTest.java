package dev.quorate.router.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Ranges whose readers stand still hold their place, and no memory that others need. */
class StandingRangesTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final int KEYS = 200;
    private static final int TURNS = 2;

    /** About ten entries. */
    private static final int PAGE_BYTES = 1_200;

    private static final CoordinatorOptions OPTIONS =
            new CoordinatorOptions(Duration.ofSeconds(1), 100, 64, TURNS, PAGE_BYTES);

    private final List<Reader> readers = new ArrayList<>();

    private static byte[] key(int number) {
        return "key%04d".formatted(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** With every key on its three replicas. */
    private static SimulatedCluster cluster(int size) {
        SimulatedCluster cluster = new SimulatedCluster(size, OPTIONS);
        for (int i = 0; i < KEYS; i++) {
            Node any = cluster.nodes.getFirst();
            Timestamp timestamp = Objects.requireNonNull(any.clock.next());
            Entry entry = Entry.value(key(i), timestamp, key(i), 3);
            for (Node node : cluster.asked(key(i), 3, any)) {
                node.hold(entry);
            }
        }
        return cluster;
    }

    private Reader reader(SimulatedCluster cluster) {
        Coordinator coordinator = cluster.nodes.getFirst().coordinator;
        Reader reader = new Reader(coordinator.scan(key(0), null, TWO_OF_THREE, ScanScope.CLUSTER));
        readers.add(reader);
        return reader;
    }

    @Test
    void clientsThatDoNotReadBlockNoOtherRange() {
        for (int size : new int[] {3, 5}) {
            SimulatedCluster cluster = cluster(size);
            readers.clear();
            for (int i = 0; i < 10 * TURNS; i++) {
                reader(cluster).next();
            }
            assertThat(readers).as("%d nodes", size).noneMatch(reader -> reader.keys.isEmpty());
            Reader newcomer = reader(cluster);
            newcomer.readAll();
            newcomer.assertComplete();
            readers.forEach(Reader::readAll);
            readers.forEach(Reader::assertComplete);
            assertThat(openScans(cluster)).isZero();
        }
    }

    @Test
    void remainingPagesStayWhileNoOtherRangeWaits() {
        SimulatedCluster alone = cluster(5);
        reader(alone).readAll();
        SimulatedCluster crowded = cluster(5);
        for (int i = 0; i < TURNS; i++) {
            reader(crowded).next();
        }
        int askedByThem = asked(crowded);
        reader(crowded).readAll();
        assertThat(asked(crowded) - askedByThem).isEqualTo(asked(alone));
    }

    private static int asked(SimulatedCluster cluster) {
        return cluster.nodes.stream().mapToInt(node -> node.timesAsked).sum();
    }

    /** What a page has beyond that is in the next batch. */
    @Test
    void batchesAreNoLongerThanTheyHaveRoom() {
        for (int size : new int[] {3, 5}) {
            for (int room : new int[] {0, 1, 3, 7}) {
                SimulatedCluster cluster = cluster(size);
                readers.clear();
                Reader reader = reader(cluster);
                reader.room = room;
                reader.readAll();
                reader.assertComplete();
                assertThat(reader.longestBatch).isEqualTo(Math.max(room, 1));
            }
        }
    }

    @Test
    void aWaitingRangeHasNoPagesAndIsServedInOrder() {
        SimulatedCluster cluster = cluster(3);
        cluster.delayNanos = () -> Duration.ofMillis(10).toNanos();
        for (int i = 0; i < 3 * TURNS; i++) {
            reader(cluster).next();
        }
        for (int round = 1; round <= 3; round++) {
            assertThat(asked(cluster)).isEqualTo(round * TURNS * 2);
            cluster.time.advanceMillis(20);
            for (int i = 0; i < 3 * TURNS; i++) {
                assertThat(readers.get(i).keys.isEmpty()).isEqualTo(i >= round * TURNS);
            }
        }
    }

    @Test
    void aRangeThatEndsWhileItWaitsIsSkipped() {
        SimulatedCluster cluster = cluster(3);
        cluster.delayNanos = () -> Duration.ofMillis(10).toNanos();
        for (int i = 0; i < 3 * TURNS; i++) {
            reader(cluster).next();
        }
        for (Reader reader : readers.subList(0, 2 * TURNS)) {
            reader.scan.close();
        }
        cluster.time.advanceMillis(20);
        for (int i = 0; i < 3 * TURNS; i++) {
            assertThat(readers.get(i).keys.isEmpty()).isEqualTo(i < 2 * TURNS);
        }
        assertThat(openScans(cluster)).isEqualTo(TURNS);
    }

    @Test
    void replicasThatDoNotAnswerHoldOthersUpNoLongerThanTheyMay() {
        SimulatedCluster cluster = cluster(3);
        cluster.nodes.get(1).condition = Condition.DEAF;
        cluster.nodes.get(2).condition = Condition.DEAF;
        for (int i = 0; i < 3 * TURNS; i++) {
            reader(cluster).next();
        }
        cluster.time.advance(OPTIONS.operationTimeout().multipliedBy(3));
        assertThat(readers).allMatch(reader -> reader.failed);
        assertThat(openScans(cluster)).isZero();
    }

    /** In some order of a hundred readers, of which some leave. */
    @Test
    void everyClientGetsEveryKeyOnceInOrder() {
        RandomGenerator random = Seed.random("StandingRangesTest");
        for (int size = 1; size <= 5; size++) {
            SimulatedCluster cluster = cluster(Math.max(size, 3));
            cluster.delayNanos = () -> random.nextInt(3) * Duration.ofMillis(1).toNanos();
            readers.clear();
            for (int step = 0; step < 2_000; step++) {
                if (readers.size() < 50 && random.nextInt(20) == 0) {
                    reader(cluster);
                }
                if (!readers.isEmpty()) {
                    Reader reader = readers.get(random.nextInt(readers.size()));
                    if (random.nextInt(200) == 0) {
                        reader.leave();
                    } else if (!reader.waits && !reader.ended) {
                        reader.next();
                    }
                }
                if (random.nextBoolean()) {
                    cluster.time.advanceMillis(1);
                }
            }
            for (Reader reader : readers) {
                while (!reader.ended) {
                    if (!reader.waits) {
                        reader.next();
                    }
                    cluster.time.advanceMillis(1);
                }
                if (!reader.left) {
                    reader.assertComplete();
                }
            }
            assertThat(openScans(cluster)).isZero();
        }
    }

    private static long openScans(SimulatedCluster cluster) {
        return cluster.nodes.getFirst().coordinator.figures().count("scans_open");
    }

    private static final class Reader implements ScanStream.ScanCallback {

        private final ScanStream scan;
        private final List<String> keys = new ArrayList<>();
        private int room = Integer.MAX_VALUE;
        private int inBatch;
        private int longestBatch;
        private boolean waits;
        private boolean ended;
        private boolean failed;
        private boolean left;

        Reader(ScanStream scan) {
            this.scan = scan;
        }

        void next() {
            waits = true;
            inBatch = 0;
            scan.next(this);
        }

        void readAll() {
            while (!ended && !waits) {
                next();
            }
        }

        void leave() {
            if (!ended) {
                left = true;
                ended = true;
                scan.close();
            }
        }

        void assertComplete() {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                all.add(new String(key(i), StandardCharsets.US_ASCII));
            }
            assertThat(keys).isEqualTo(all);
        }

        @Override
        public boolean hasRoomFor(Entry entry) {
            return ++inBatch <= room;
        }

        @Override
        public void entries(List<Entry> entries) {
            waits = false;
            longestBatch = Math.max(longestBatch, entries.size());
            for (Entry entry : entries) {
                keys.add(new String(entry.key(), StandardCharsets.US_ASCII));
            }
        }

        @Override
        public void end() {
            waits = false;
            ended = true;
            scan.close();
        }

        @Override
        public void failed(Outcome.QuorumFailed outcome) {
            waits = false;
            failed = true;
            ended = true;
            scan.close();
        }
    }
}
