package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A member that was away has everything again soon, though nobody kept hints for it, and the next
 * comparison by the clock is an hour away.
 */
class ReturnedMemberTest {

    /** From a return to the comparison, with room for the comparison itself. */
    private static final long SOON = 30 * SECOND;

    /** Since the start, after which all compare with each other. */
    private static final long QUIET = 80 * SECOND;

    private final ThreeNodes three =
            new ThreeNodes(new NodeSettings(Duration.ZERO, 256L << 10, Duration.ofHours(1)));
    private final SimulatedNode first = three.nodes.getFirst();
    private final SimulatedNode away = three.nodes.getLast();

    private int missing() {
        int missing = 0;
        for (int i = 0; i < KEYS; i++) {
            missing += store(away).lookup(key(i)) instanceof Lookup.Found ? 0 : 1;
        }
        return missing;
    }

    @Test
    void oneThatWasKilled() {
        three.queue.run(QUIET);
        away.end(FaultyDisk::afterKill);
        three.writeAllBy(first, new QuorumSpec(2, 3));
        away.start();
        three.queue.run(SECOND);
        assertThat(missing()).isEqualTo(KEYS);
        three.queue.run(SOON);
        assertThat(missing()).isZero();
    }

    @Test
    void oneThatWasCutOff() {
        three.queue.run(QUIET);
        for (SimulatedNode each : three.nodes) {
            if (each != away) {
                three.network.cut(each, away);
                three.network.cut(away, each);
            }
        }
        three.writeAllBy(first, new QuorumSpec(2, 3));
        three.network.heal();
        three.queue.run(SECOND);
        assertThat(missing()).isEqualTo(KEYS);
        three.queue.run(SOON);
        assertThat(missing()).isZero();
    }
}
