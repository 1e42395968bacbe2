package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.Announcements.OtherMember;
import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a node compares with a peer that is back. */
class RepairsOnReturnTest {

    private static final Duration SOON = Absences.FIRST.plusSeconds(2);

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1");
    private final Member self = topology.members().getFirst();
    private final Replica peer = new SilentPeer(topology.members().getLast());
    private final ManualTime time = new ManualTime();
    private final NodeRuntime runtime =
            new NodeRuntime(time, time, new Random(1), task -> time.after(Duration.ZERO, task));
    private final MemoryStore store = new MemoryStore();
    private final FixedProgress progress = new FixedProgress();
    private final Repairs repairs =
            new Repairs(
                    () -> List.of(peer),
                    PlainReplica.of(
                            self,
                            store,
                            HybridClock.volatileClock(time, 1, Duration.ofMillis(500)),
                            time,
                            new Deadlines(time, time),
                            Runnable::run),
                    store,
                    Topologies.live(new Ring(topology)),
                    progress,
                    new Repairs.Options(Duration.ZERO, 0, 0),
                    runtime);

    private record SilentPeer(Member member) implements Replica {
        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            callback.answered(new Failed(Failure.TIMEOUT, "silent"));
        }
    }

    @BeforeEach
    void start() {
        new RepairsOnReturn(
                        repairs,
                        () -> List.of(new OtherMember(peer, () -> true)),
                        progress,
                        runtime)
                .start();
    }

    @Test
    void itComparesWithAPeerThatIsThere() {
        time.advance(SOON);
        assertThat(repairs.lastRound()).isOne();
    }

    @Test
    void aMemberThatGetsDataComparesByItself() {
        progress.needsData = true;
        time.advance(SOON.multipliedBy(5));
        assertThat(repairs.lastRound()).isZero();
        progress.needsData = false;
        time.advance(Duration.ofSeconds(2));
        assertThat(repairs.lastRound()).isOne();
    }

    /** A repair would send it each of its keys, which it copies as well. */
    @Test
    void aPeerThatGetsDataIsNotThereYet() {
        progress.othersHaveTheirData = false;
        time.advance(SOON.multipliedBy(5));
        assertThat(repairs.lastRound()).isZero();
        progress.othersHaveTheirData = true;
        time.advance(SOON);
        assertThat(repairs.lastRound()).isOne();
    }
}
