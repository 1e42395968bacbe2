package dev.quorate.router.coordinator;

import static dev.quorate.router.coordinator.SimulatedCluster.hold;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a range read finds to differ is repaired behind it. */
class RangeRepairTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);
    private final Node n3 = cluster.nodes.get(2);

    private static byte[] key(int number) {
        return "key%04d".formatted(number).getBytes(US_ASCII);
    }

    private Entry entry(int number, int from) {
        Timestamp timestamp = Objects.requireNonNull(n1.clock.next());
        return Entry.value(key(number), timestamp, key(number), from);
    }

    /** Reads all, and lets what follows from it come to its end. */
    private List<Entry> range(ScanScope scope) {
        List<Entry> found = new ArrayList<>();
        ScanStream scan = n1.coordinator.scan(new byte[] {0}, null, TWO_OF_THREE, scope);
        Read read = new Read(found);
        while (!read.isOver) {
            scan.next(read);
            cluster.time.advanceMillis(1);
        }
        scan.close();
        cluster.time.advanceMillis(60_000);
        return found;
    }

    private long looks() {
        return n1.coordinator.figures().count("read_repairs", "mode", "later");
    }

    @Test
    void replicasThatLackAnEntryOrHaveAnOlderOneGetTheNewest() {
        Entry missed = entry(1, 3);
        Entry older = entry(2, 3);
        Entry newer = entry(2, 3);
        Entry deleted = Entry.tombstone(key(3), Objects.requireNonNull(n1.clock.next()), 3);
        hold(missed, n1, n2);
        hold(older, n1, n2, n3);
        hold(newer, n2);
        hold(deleted, n1, n2);
        assertThat(range(ScanScope.CLUSTER)).containsExactly(missed, newer);
        for (Node node : cluster.nodes) {
            assertThat(node.store.lookup(key(1)).toString()).contains(missed.timestamp() + "");
            assertThat(node.store.lookup(key(2)).toString()).contains(newer.timestamp() + "");
            assertThat(node.store.lookup(key(3)).toString()).contains(deleted.timestamp() + "");
        }
        assertThat(looks()).isEqualTo(3);
    }

    @Test
    void consistentKeysAreNotRepaired() {
        hold(entry(1, 3), n1, n2, n3);
        Entry forOne = entry(2, 1);
        hold(forOne, cluster.asked(key(2), 1, n1).getFirst());
        Entry forTwo = entry(3, 2);
        List<Node> owners = cluster.asked(key(3), 2, n1);
        hold(forTwo, owners.get(0), owners.get(1));
        assertThat(range(ScanScope.CLUSTER)).hasSize(3);
        assertThat(looks()).isZero();
    }

    @Test
    void aReplicaThatDoesNotAnswerIsNotOneThatDiffers() {
        hold(entry(1, 3), n1, n2);
        n3.condition = Condition.DOWN;
        assertThat(range(ScanScope.CLUSTER)).hasSize(1);
        assertThat(looks()).isZero();
        assertThat(range(ScanScope.NODE)).hasSize(1);
        assertThat(looks()).isZero();
    }

    @Test
    void aReplicaThatHasMissedMuchIsLeftToComparisons() {
        for (int i = 0; i < 2_000; i++) {
            hold(entry(i, 3), n1, n2);
        }
        assertThat(range(ScanScope.CLUSTER)).hasSize(2_000);
        assertThat(looks()).isEqualTo(256);
        assertThat(n1.coordinator.figures().count("read_repairs", "mode", "forgotten")).isZero();
    }

    private static final class Read implements ScanStream.ScanCallback {
        private final List<Entry> found;
        private boolean isOver;

        Read(List<Entry> found) {
            this.found = found;
        }

        @Override
        public void entries(List<Entry> entries) {
            found.addAll(entries);
        }

        @Override
        public void end() {
            isOver = true;
        }

        @Override
        public void failed(Outcome.QuorumFailed failed) {
            throw new AssertionError(failed);
        }
    }
}
