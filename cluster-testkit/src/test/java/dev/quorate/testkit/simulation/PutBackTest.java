package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.simulated.FaultyDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An old copy of a disk is put back, and the one who has what was acknowledged since is away. In
 * random lives that is rare: replicas are repaired too soon.
 */
class PutBackTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    private static Outcome readAfterwards(Sabotage sabotage) {
        NodeSettings settings = new NodeSettings(Duration.ZERO, 256L << 10, Duration.ZERO);
        ThreeNodes three = new ThreeNodes(settings, sabotage);
        SimulatedNode first = three.nodes.get(0);
        SimulatedNode second = three.nodes.get(1);
        SimulatedNode restored = three.nodes.get(2);
        three.writeAll();
        FaultyDisk copy = restored.disk().afterKill();
        long generation = restored.generation();
        three.queue.run(11 * SECOND);
        assertThat(second.hasRecorded(restored, generation + 1)).isTrue();

        second.end(FaultyDisk::afterKill);
        List<Outcome> written = new ArrayList<>();
        first.after(
                1,
                () ->
                        core(first)
                                .coordinator()
                                .write(
                                        key(1),
                                        new NewValue(value(2), null, null),
                                        null,
                                        TWO_OF_THREE,
                                        false,
                                        written::add));
        three.queue.run(3 * SECOND);
        assertThat(written).singleElement().isInstanceOf(Outcome.Written.class);
        restored.putBack(copy);
        first.end(FaultyDisk::afterKill);
        second.start();
        restored.start();
        three.queue.run(3 * SECOND);

        List<Outcome> read = new ArrayList<>();
        second.after(1, () -> core(second).coordinator().read(key(1), TWO_OF_THREE, read::add));
        three.queue.run(10 * SECOND);
        assertThat(read).hasSize(1);
        return read.getFirst();
    }

    @Test
    void itDoesNotVote() {
        assertThat(readAfterwards(Sabotage.NONE)).isInstanceOf(Outcome.QuorumFailed.class);
    }

    @Test
    void ifItDidWhatWasAcknowledgedWouldBeHidden() {
        Outcome.Found found = (Outcome.Found) readAfterwards(Sabotage.OLD_COPY_VOTES);
        assertThat(found.entry().value()).isEqualTo(value(1));
    }
}
