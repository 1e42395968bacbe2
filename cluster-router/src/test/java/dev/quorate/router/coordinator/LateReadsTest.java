package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.LateReads;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A read asks as few replicas as it needs, and another where one fails or is late. */
class LateReadsTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final long MILLI = 1_000_000;

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node reader = cluster.nodes.getFirst();
    private final List<Node> asked = cluster.asked(KEY, 3, reader);
    private final Node second = asked.get(1);
    private final Node third = asked.get(2);

    LateReadsTest() {
        cluster.delayNanos = () -> MILLI;
        Outcomes written = new Outcomes();
        reader.coordinator.write(
                KEY,
                new NewValue("value".getBytes(US_ASCII), null, null),
                null,
                new QuorumSpec(3, 3),
                false,
                written);
        cluster.time.advanceMillis(100);
        assertThat(written.only()).isInstanceOf(Outcome.Written.class);
        forgetAskedReplicas();
    }

    private void forgetAskedReplicas() {
        cluster.nodes.forEach(node -> node.timesAsked = 0);
    }

    /** Reads once; returns how long that took in milliseconds. */
    private long read(QuorumSpec spec) {
        Outcomes outcomes = new Outcomes();
        reader.coordinator.read(KEY, spec, outcomes);
        long millis = 0;
        while (outcomes.isPending()) {
            cluster.time.advanceMillis(1);
            millis++;
        }
        assertThat(outcomes.only()).isInstanceOf(Outcome.Found.class);
        return millis;
    }

    @Test
    void noMoreAreAskedThanHaveToAnswer() {
        assertThat(read(TWO_OF_THREE)).isEqualTo(2);
        cluster.time.advanceMillis(5_000);
        assertThat(second.timesAsked).isEqualTo(1);
        assertThat(third.timesAsked).isZero();
        assertThat(reader.coordinator.figures().count("read_hedges")).isZero();
    }

    @Test
    void anotherIsAskedAtOnceForOneThatFails() {
        second.condition = Condition.DOWN;
        assertThat(read(TWO_OF_THREE)).isEqualTo(2);
        assertThat(third.timesAsked).isEqualTo(1);
    }

    @Test
    void aFailureMakesTheReadAskAnotherReplicaAtOnce() {
        second.skewMillis = -10_000; // it refuses the reader's clock, when it is asked
        assertThat(read(TWO_OF_THREE)).isEqualTo(4);
        assertThat(third.timesAsked).isEqualTo(1);
        assertThat(reader.coordinator.figures().count("read_hedges")).isZero();
    }

    @Test
    void anotherIsAskedForOneThatIsLate() {
        second.slowNanos = 900 * MILLI;
        assertThat(read(TWO_OF_THREE)).isLessThan(50);
        assertThat(third.timesAsked).isEqualTo(1);
        assertThat(reader.coordinator.figures().count("read_hedges")).isEqualTo(1);
    }

    @Test
    void theRestIsAskedWhenItIsLateOnceMore() {
        SimulatedCluster five = new SimulatedCluster(5);
        five.delayNanos = () -> MILLI;
        List<Node> order = five.asked(KEY, 5, five.nodes.getFirst());
        for (Node deaf : order.subList(1, 3)) {
            deaf.condition = Condition.DEAF;
        }
        Outcomes outcomes = new Outcomes();
        five.nodes.getFirst().coordinator.read(KEY, new QuorumSpec(3, 5), outcomes);
        five.time.advanceMillis(100);
        assertThat(outcomes.only()).isInstanceOf(Outcome.Missing.class);
        assertThat(order.subList(1, 5)).extracting(node -> node.timesAsked).containsOnly(1);
    }

    @Test
    void aSlowReplicaIsAskedLast() {
        second.isSlow = true;
        assertThat(read(TWO_OF_THREE)).isEqualTo(2);
        assertThat(second.timesAsked).isZero();
        assertThat(third.timesAsked).isEqualTo(1);
    }

    @Test
    void nobodyIsLeftToBeAskedWhereAllHaveToAnswer() {
        second.slowNanos = 100 * MILLI;
        assertThat(read(new QuorumSpec(3, 3))).isEqualTo(202);
        assertThat(reader.coordinator.figures().count("read_hedges")).isZero();
        assertThat(List.of(second, third)).extracting(node -> node.timesAsked).containsOnly(1);
    }

    /** Times of 1 to 100 ms, each as likely: of a hundred reads one takes more than 99. */
    @Test
    void aReadIsLateBeyondTheNinetyNinthPercentile() {
        RandomGenerator random = Seed.random("LateReadsTest.lateIs");
        LateReads reads = new LateReads(2_000 * MILLI);
        int late = 0;
        int count = 200_000;
        for (int i = 0; i < 2 * count; i++) {
            long nanos = random.nextLong(MILLI, 100 * MILLI);
            if (i >= count && nanos > reads.nanos()) {
                late++;
            }
            reads.recordDuration(nanos);
        }
        assertThat(late).isBetween(count / 200, count / 50);
    }

    @Test
    void theLimitFollowsTheLoadWithinItsBounds() {
        LateReads reads = new LateReads(2_000 * MILLI);
        for (int i = 0; i < 10_000; i++) {
            reads.recordDuration(MILLI);
        }
        assertThat(reads.nanos()).isEqualTo(5 * MILLI);
        for (int i = 0; i < 1_000; i++) {
            reads.recordDuration(1_900 * MILLI);
        }
        assertThat(reads.nanos()).isEqualTo(500 * MILLI);
    }
}
