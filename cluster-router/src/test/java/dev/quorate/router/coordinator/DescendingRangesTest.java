package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A range in descending order has the entries of the model, whatever each replica has missed, and
 * also while ranges take each other's memory.
 */
class DescendingRangesTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final int KEYS = 300;

    /** Some entries a page, and memory for two ranges. */
    private static final CoordinatorOptions OPTIONS =
            new CoordinatorOptions(Duration.ofSeconds(1), 100, 64, 2, 1_200);

    private final NavigableMap<byte[], Entry> model = new TreeMap<>(Arrays::compareUnsigned);

    private static byte[] key(int number) {
        return "key%04d".formatted(number).getBytes(US_ASCII);
    }

    /** Stores two versions of most keys, each on two of three owners at least. */
    private void fill(SimulatedCluster cluster, Random random, @Nullable Node down) {
        Node any = cluster.nodes.getFirst();
        for (int i = 0; i < 2 * KEYS; i++) {
            byte[] key = key(random.nextInt(KEYS));
            Timestamp timestamp = Objects.requireNonNull(any.clock.next());
            long wallMillis = cluster.time.wallMillis();
            Entry entry =
                    switch (random.nextInt(5)) {
                        case 0 -> Entry.tombstone(key, timestamp, 3);
                        case 1 -> Entry.expiring(key, timestamp, key, 3, wallMillis - 1);
                        default -> Entry.value(key, timestamp, new byte[random.nextInt(300)], 3);
                    };
            model.put(key, entry);
            List<Node> owners = cluster.asked(key, 3, any);
            boolean isComplete = owners.contains(down) || random.nextBoolean();
            Node missing = isComplete ? null : owners.get(random.nextInt(3));
            for (Node owner : owners) {
                if (owner != missing) {
                    owner.hold(entry);
                }
            }
        }
        model.values().removeIf(each -> each.asOf(cluster.time.wallMillis()).isTombstone());
    }

    @ParameterizedTest
    @CsvSource({"3, false", "5, false", "3, true", "5, true"})
    void allRangesMatchTheModel(int size, boolean oneIsDown) {
        Random random = new Random(size);
        SimulatedCluster cluster = new SimulatedCluster(size, OPTIONS);
        Node down = oneIsDown ? cluster.nodes.getLast() : null;
        fill(cluster, random, down);
        if (down != null) {
            down.condition = Condition.DOWN;
        }
        assertThat(model).hasSizeGreaterThan(KEYS / 3);
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            byte[] start = i == 0 ? new byte[] {0} : key(random.nextInt(KEYS));
            byte[] end =
                    i == 0 ? null : Arrays.copyOf(key(random.nextInt(KEYS)), random.nextInt(7, 9));
            readings.add(new Reading(cluster, start, end));
        }
        // By turns: those that wait drop their pages for others.
        for (int step = 0; readings.stream().anyMatch(reading -> !reading.isOver); step++) {
            assertThat(step).isLessThan(100_000);
            Reading any = readings.get(random.nextInt(readings.size()));
            any.go();
            cluster.time.advanceMillis(1);
        }
        for (Reading reading : readings) {
            assertThat(reading.found).isEqualTo(reading.expected());
        }
        assertThat(readings.getFirst().found).hasSize(model.size());
    }

    private final class Reading implements ScanStream.ScanCallback {
        private final byte[] start;
        private final byte @Nullable [] end;
        private final ScanStream scan;
        private final List<Entry> found = new ArrayList<>();
        private boolean awaits;
        private boolean isOver;

        Reading(SimulatedCluster cluster, byte[] start, byte @Nullable [] end) {
            this.start = start;
            this.end = end;
            this.scan =
                    cluster.nodes
                            .getFirst()
                            .coordinator
                            .scan(
                                    new ScanRange(start, end, KeyOrder.DESCENDING, false),
                                    TWO_OF_THREE,
                                    ScanScope.CLUSTER,
                                    null);
        }

        void go() {
            if (!awaits && !isOver) {
                awaits = true;
                scan.next(this);
            }
        }

        List<Entry> expected() {
            return model.descendingMap().values().stream()
                    .filter(each -> Arrays.compareUnsigned(each.key(), start) >= 0)
                    .filter(each -> end == null || Arrays.compareUnsigned(each.key(), end) < 0)
                    .toList();
        }

        @Override
        public boolean hasRoomFor(Entry entry) {
            return entry.key()[6] % 3 != 0;
        }

        @Override
        public boolean continuesAfter(byte[] key) {
            awaits = key[6] % 2 != 0;
            return awaits;
        }

        @Override
        public void entries(List<Entry> entries) {
            awaits = false;
            found.addAll(entries);
        }

        @Override
        public void end() {
            awaits = false;
            isOver = true;
            scan.close();
        }

        @Override
        public void failed(Outcome.QuorumFailed failed) {
            throw new AssertionError(failed);
        }
    }
}
