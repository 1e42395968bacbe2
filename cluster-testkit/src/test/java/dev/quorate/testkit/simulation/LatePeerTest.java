package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member that is late is given up, but asked where there is no quorum without it. */
class LatePeerTest {

    private static final long MILLI = SECOND / 1000;

    private final ThreeNodes three = new ThreeNodes(ThreeNodes.HINTS_ALONE);
    private final SimulatedNode first = three.nodes.getFirst();
    private final SimulatedNode late = three.nodes.getLast();
    private final List<Outcome> outcomes = new ArrayList<>();

    private void put(QuorumSpec spec) {
        core(first)
                .coordinator()
                .write(
                        key(1),
                        new NewValue(value(1), null, null),
                        null,
                        spec,
                        false,
                        outcomes::add);
    }

    private void get(QuorumSpec spec) {
        core(first).coordinator().read(key(1), spec, outcomes::add);
    }

    private void pauseFor(long nanos) {
        late.pause();
        first.after(nanos / 2, () -> put(new QuorumSpec(2, 3)));
        three.queue.run(nanos);
        assertThat(outcomes).hasSize(1).allMatch(Outcome.Written.class::isInstance);
        outcomes.clear();
    }

    @Test
    void whatNeedsAMemberThatIsLateWaitsForIt() {
        pauseFor(6 * SECOND);
        assertThat(core(first).transport().health().getLast().standing())
                .isEqualTo(PeerStanding.DOWN);
        put(new QuorumSpec(3, 3));
        get(new QuorumSpec(3, 3));
        three.queue.run(50 * MILLI);
        assertThat(outcomes).isEmpty();
        late.resume();
        three.queue.run(SECOND);
        assertThat(outcomes).hasSize(2).noneMatch(Outcome.QuorumFailed.class::isInstance);
    }

    @Test
    void whatNeedsAMemberThatIsSilentForLongFailsAtOnce() {
        pauseFor(20 * SECOND);
        put(new QuorumSpec(3, 3));
        three.queue.run(50 * MILLI);
        assertThat(outcomes).hasSize(1).allMatch(Outcome.QuorumFailed.class::isInstance);
    }

    @Test
    void whatNeedsAMemberThatWasKilledFailsAtOnce() {
        late.end(FaultyDisk::afterKill);
        three.queue.run(6 * SECOND);
        put(new QuorumSpec(3, 3));
        three.queue.run(50 * MILLI);
        assertThat(outcomes).hasSize(1).allMatch(Outcome.QuorumFailed.class::isInstance);
    }
}
