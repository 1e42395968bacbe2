package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** How healing starts and ends its fetches; what a fetch decides is in {@link DamageFetchTest}. */
final class HealingTest {

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1");
    private final Member self = topology.members().getFirst();
    private final ManualTime time = new ManualTime();
    private final Executor soon = task -> time.after(Duration.ZERO, task);
    private final MemoryStore store = new MemoryStore();
    private final Peer peer = new Peer(topology.members().get(1));
    private final MemoryStore records = new MemoryStore();
    private final EventLog events = new EventLog(time);
    private final Healing healing = healing(List.of(peer));

    private Healing healing(List<Replica> peers) {
        LocalReplica local =
                PlainReplica.of(
                                self,
                                store,
                                HybridClock.volatileClock(time, 1, Duration.ofMillis(500)),
                                time,
                                new Deadlines(time, time),
                                soon)
                        .withRecords(
                                records,
                                MemoryStore.both(records, store),
                                Duration.ofHours(4),
                                Duration.ofSeconds(1),
                                new LiveTopology(topology));
        return new Healing(
                () -> peers,
                local,
                store,
                Topologies.live(new Ring(topology)),
                new FixedProgress(),
                0,
                new NodeRuntime(time, time, new Random(1), soon, events));
    }

    /** Does not answer, or has a bug. */
    private static final class Peer implements Replica {

        private final Member member;
        private boolean hasBug;
        private int asked;

        Peer(Member member) {
            this.member = member;
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            asked++;
            if (hasBug) {
                throw new IllegalStateException("a bug");
            }
        }
    }

    HealingTest() {
        store.report(
                new Damage(
                        "000007.sst",
                        List.of(new KeyRange(new byte[] {1}, null)),
                        Timestamp.of(50, 0, 0)));
    }

    @Test
    void aFetchThatEndsByABugIsRetriedOnceAMinute() {
        peer.hasBug = true;
        healing.start();
        time.advanceMillis(Duration.ofMinutes(10).toMillis());
        assertThat(peer.asked).isBetween(5, 11);
        healing.close();
        int before = peer.asked;
        time.advanceMillis(Duration.ofMinutes(10).toMillis());
        assertThat(peer.asked).isEqualTo(before);
    }

    @Test
    void afterTheCloseNothingIsFetched() {
        healing.start();
        healing.close();
        time.advanceMillis(Duration.ofMinutes(1).toMillis());
        assertThat(peer.asked).isZero();
    }

    /** What superseded an accepted value may be among what is lost. */
    @Test
    void damageIsHealedOnceThatIsNotedDurably() {
        Healing alone = healing(List.of());
        alone.start();
        time.advanceMillis(1_000);
        records.holdLog();
        alone.acceptLoss(Objects.requireNonNull(alone.loss()).name());
        time.advanceMillis(1_000);
        assertThat(store.healed).isEmpty();
        records.releaseLog();
        time.advanceMillis(1_000);
        assertThat(store.healed).hasSize(1);
        assertThat(events.since(0).stream().map(event -> event.level() + " " + event.text()))
                .containsExactly(
                        "ERROR 000007.sst: damaged ranges of keys: 1, and there is no other member"
                                + " to heal them from: reads of these keys fail. './quorate repair"
                                + " --accept-loss' gives them up",
                        "WARN 000007.sst: it was accepted that entries of 1 ranges of keys may be"
                                + " lost, none newer than "
                                + Timestamp.of(50, 0, 0),
                        "INFO The damage of 000007.sst is healed, ranges of keys: 1");
        alone.close();
    }
}
