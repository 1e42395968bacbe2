package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.Repairs;
import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When the only member of a cluster may drop tombstones. */
class TombstoneGcTest {

    private static final Topology ONE = Topology.parse("n1=http://a:1");
    private static final Member SELF = ONE.members().getFirst();
    private static final Duration SLACK = Duration.ofMinutes(1);
    private static final Duration LONGEST_WRITE = Duration.ofSeconds(20);

    /** Whatever was read or sent before that is over then. */
    private static final Duration UNTIL_ALL_IS_OVER =
            LONGEST_WRITE.plus(Repairs.LONGEST_TRANSFER).multipliedBy(2);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();
    private final NodeRuntime runtime = new NodeRuntime(time, time, new Random(1), Runnable::run);
    private final List<Long> settled = new ArrayList<>();
    private boolean diskFails;
    private boolean noted = true;

    private TombstoneGc.Disk disk(Membership membership) {
        return new TombstoneGc.Disk() {
            @Override
            public void record(long millis) throws IOException {
                if (diskFails) {
                    throw new IOException("Input/output error");
                }
            }

            @Override
            public void collect(long millis) {
                assertThat(membership.watermark().gcWatermarkMillis())
                        .as("whoever finds nothing says up to when that may be")
                        .isEqualTo(millis);
                settled.add(millis);
            }
        };
    }

    private Membership member(Condition condition) {
        return new Membership(
                new LiveTopology(ONE),
                SELF,
                new Past(condition, false, 0, List.of(), 0),
                1,
                SLACK,
                time,
                () -> 10);
    }

    private TombstoneGc start(Membership membership) {
        MemoryStore store = new MemoryStore();
        HybridClock clock = HybridClock.volatileClock(time, 1, Duration.ofMillis(500));
        Repairs repairs =
                new Repairs(
                        List::of,
                        PlainReplica.of(
                                SELF, store, clock, time, new Deadlines(time, time), Runnable::run),
                        store,
                        Topologies.live(new Ring(ONE)),
                        membership,
                        new Repairs.Options(Duration.ZERO, 0, 0),
                        runtime);
        TombstoneGc settling =
                new TombstoneGc(
                        membership,
                        whenDone -> whenDone.accept(noted),
                        disk(membership),
                        LONGEST_WRITE,
                        Repairs.LONGEST_TRANSFER,
                        runtime);
        settling.start(repairs);
        return settling;
    }

    @Test
    void theWatermarkIsAppliedAfterEarlierReadsAreOver() {
        Membership membership = member(Condition.WHOLE);
        start(membership);
        time.advance(LOOK_EVERY);
        long known = time.wallMillis() - SLACK.toMillis();
        time.advance(UNTIL_ALL_IS_OVER.minusMillis(1));
        assertThat(settled).isEmpty();
        assertThat(membership.watermark().gcWatermarkMillis()).isZero();
        time.advanceMillis(1);
        assertThat(settled).containsExactly(known);
        assertThat(membership.watermark().gcWatermarkMillis()).isEqualTo(known);
        time.advance(UNTIL_ALL_IS_OVER.plus(LOOK_EVERY));
        assertThat(settled).as("and so on").hasSize(2).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aWatermarkThatCannotBeRecordedIsNotAppliedAndRetried() {
        diskFails = true;
        Membership membership = member(Condition.WHOLE);
        start(membership);
        time.advance(UNTIL_ALL_IS_OVER.plus(LOOK_EVERY));
        assertThat(membership.watermark().gcWatermarkMillis()).isZero();
        diskFails = false;
        time.advance(UNTIL_ALL_IS_OVER.plus(LOOK_EVERY));
        assertThat(membership.watermark().gcWatermarkMillis()).isPositive();
    }

    @Test
    void aWatermarkIsAppliedOnlyOnceAllIsNoted() {
        noted = false;
        Membership membership = member(Condition.WHOLE);
        start(membership);
        time.advance(UNTIL_ALL_IS_OVER.plus(LOOK_EVERY));
        assertThat(settled).isEmpty();
        assertThat(membership.watermark().gcWatermarkMillis()).isZero();
        noted = true;
        time.advance(UNTIL_ALL_IS_OVER.plus(LOOK_EVERY));
        assertThat(settled).isNotEmpty();
    }

    @Test
    void aMemberThatDoesNotVoteMovesNoWatermark() {
        start(member(Condition.REBUILDING));
        time.advance(UNTIL_ALL_IS_OVER.multipliedBy(3));
        assertThat(settled).isEmpty();
    }

    @Test
    void nothingIsCheckedAfterTheClose() {
        TombstoneGc settling = start(member(Condition.WHOLE));
        settling.close();
        time.advance(UNTIL_ALL_IS_OVER.multipliedBy(3));
        assertThat(settled).isEmpty();
    }
}
