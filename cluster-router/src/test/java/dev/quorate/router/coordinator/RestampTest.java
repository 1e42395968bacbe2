package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A write that meets a newer entry is restamped, and sent again. */
class RestampTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.get(0);
    private final Node n2 = cluster.nodes.get(1);

    /** Its result would be before the newer one, or as old. */
    @Test
    void aPlainWriteIsStampedAfterTheStepOfWhatItMeets() {
        n2.skewMillis = 200;
        Timestamp root = Objects.requireNonNull(n2.clock.next());
        Timestamp step = root.withStep(Objects.requireNonNull(n2.clock.next()).hybrid());
        n2.hold(Entry.value(KEY, step, "newer".getBytes(US_ASCII), 3));

        Outcomes outcomes = new Outcomes();
        NewValue value = new NewValue("v".getBytes(US_ASCII), null, "text/v");
        n1.coordinator.write(KEY, value, null, TWO_OF_THREE, false, outcomes);
        cluster.time.advanceMillis(1_000);

        Timestamp written = ((Outcome.Written) outcomes.only()).timestamp();
        assertThat(written.hasStep()).isFalse();
        assertThat(written.isAfter(step)).isTrue();
        assertThat(Long.compareUnsigned(written.madeAt(), step.madeAt())).isPositive();
        assertThat(((Lookup.Found) n1.store.lookup(KEY)).entry().contentType()).isEqualTo("text/v");
    }

    /**
     * Found by a simulation: a write that a client was told is refused, and that was read later.
     */
    @Test
    void aWriteStoredUnderItsFirstTimestampIsIndeterminate() {
        n2.skewMillis = 200;
        Timestamp later = Objects.requireNonNull(n2.clock.next());
        n2.hold(Entry.value(KEY, later, "newer".getBytes(US_ASCII), 3));
        cluster.delayNanos = () -> 1_000_000;

        Outcomes outcomes = new Outcomes();
        n1.coordinator.write(
                KEY,
                new NewValue("v".getBytes(US_ASCII), null, null),
                null,
                TWO_OF_THREE,
                false,
                outcomes);
        cluster.time.advance(Duration.ofNanos(1_500_000));
        assertThat(outcomes.isPending()).isTrue();
        for (Node node : cluster.nodes) { // all have it, and the answers are on their way
            node.store.failWrites(new StorageException.Full("no space", null));
        }
        cluster.time.advanceMillis(1_000);

        assertThat(outcomes.only()).isInstanceOf(Outcome.QuorumFailed.class);
    }
}
