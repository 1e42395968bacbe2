package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.BulkCopy;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.directory.LifeRecorder;
import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.KnownLife;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
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
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a member with a past writes on its disk, and hears, before and while it votes. */
class LivesTest {

    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final Member SELF = THREE.members().getFirst();
    private static final long LIFE = 1;
    private static final long EARLIER_LIFE = 77;
    private static final long FOUND = 5;

    private final ManualTime time = new ManualTime();
    private final Executor soon = task -> time.after(Duration.ZERO, task);
    private final NodeRuntime runtime = new NodeRuntime(time, time, new Random(1), soon);
    private final Other n2 = new Other(THREE.members().get(1));
    private final Other n3 = new Other(THREE.members().get(2));
    private final Disk disk = new Disk();

    private Membership member(Condition condition) {
        return new Membership(
                new LiveTopology(THREE),
                SELF,
                new Past(condition, false, FOUND, List.of(), 0),
                LIFE,
                Duration.ofMinutes(1),
                time,
                () -> 10);
    }

    private Lives start(Membership membership) {
        MemoryStore store = new MemoryStore();
        HybridClock clock = HybridClock.volatileClock(time, 1, Duration.ofMillis(500));
        LocalReplica local =
                PlainReplica.of(SELF, store, clock, time, new Deadlines(time, time), soon);
        Announcements announcements =
                new Announcements(
                        membership,
                        () ->
                                List.of(
                                        new Announcements.OtherMember(n2, () -> n2.isUp),
                                        new Announcements.OtherMember(n3, () -> n3.isUp)),
                        time);
        Repairs repairs =
                new Repairs(
                        () -> List.of(n2, n3),
                        local,
                        store,
                        Topologies.live(new Ring(THREE)),
                        membership,
                        new Repairs.Options(Duration.ZERO, 0, 0),
                        runtime);
        Rebuild rebuild =
                new Rebuild(
                        membership,
                        new Gain(
                                membership,
                                announcements,
                                BulkCopy.ofEntries(local, store, () -> 0, runtime),
                                (from, gainsOnly, whenDone) -> whenDone.accept(true),
                                repairs,
                                time),
                        Topologies.live(new Ring(THREE)),
                        watermarkMillis -> {},
                        Duration.ofSeconds(20),
                        time,
                        soon);
        disk.membership = membership;
        Lives lives = new Lives(membership, announcements, rebuild, disk, time, soon);
        lives.start();
        return lives;
    }

    @Test
    void aRestartedMemberVotesWhenItsNextGenerationIsOnDiskAndKnown() {
        Membership membership = member(Condition.RETURNING);
        start(membership);
        time.advanceMillis(500);
        assertThat(membership.condition()).isEqualTo(Condition.WHOLE);
        assertThat(disk.advanced).containsExactly("6, without a vote");
        assertThat(n2.known).isEqualTo(new KnownLife(SELF.number(), LIFE, FOUND, 6));
    }

    @Test
    void oneOtherIsEnoughAndWithoutAnyItDoesNotVote() {
        n2.isUp = false;
        n3.isUp = false;
        Membership membership = member(Condition.RETURNING);
        start(membership);
        time.advance(Duration.ofMinutes(1));
        assertThat(membership.votes()).isFalse();
        assertThat(disk.advanced).isEmpty();
        n3.isUp = true;
        time.advanceMillis(1_000);
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void aGenerationThatCannotBeNotedIsTriedAgain() {
        disk.fails = true;
        Membership membership = member(Condition.RETURNING);
        start(membership);
        time.advance(Duration.ofMinutes(1));
        assertThat(membership.votes()).isFalse();
        disk.fails = false;
        time.advanceMillis(2_000);
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void anOldCopyDoesNotVoteAndIsRebuiltOnceThatIsOnDisk() {
        // n2 has not heard of it, and has answered: n3 has time to.
        n3.known = new KnownLife(SELF.number(), EARLIER_LIFE, FOUND, FOUND + 1);
        disk.fails = true;
        Membership membership = member(Condition.RETURNING);
        start(membership);
        time.advanceMillis(100);
        assertThat(membership.condition()).isEqualTo(Condition.REBUILDING);
        assertThat(membership.progress()).contains("it has not begun");
        disk.fails = false;
        time.advanceMillis(2_000);
        assertThat(disk.lostStanding).isEqualTo(1);
        assertThat(membership.progress()).doesNotContain("it has not begun");
        assertThat(membership.votes()).isFalse();
        assertThat(disk.advanced).isEmpty();
    }

    @Test
    void theGenerationOfAVotingMemberGrowsAndIsAnnounced() {
        Membership membership = member(Condition.WHOLE);
        start(membership);
        time.advanceMillis(10_100);
        assertThat(disk.advanced).containsExactly("6, with a vote", "7, with a vote");
        assertThat(n2.known).isEqualTo(new KnownLife(SELF.number(), LIFE, FOUND, 7));
        membership.become(Condition.REBUILDING);
        time.advance(Duration.ofMinutes(1));
        assertThat(disk.advanced).hasSize(2);
    }

    @Test
    void aGenerationIsOnDiskBeforeItIsAnnounced() {
        disk.fails = true;
        start(member(Condition.WHOLE));
        time.advance(Duration.ofMinutes(1));
        assertThat(n2.known).isNull();
    }

    @Test
    void onlyRecordedGenerationsAreAnnounced() {
        disk.fails = true;
        Membership membership = member(Condition.RETURNING);
        start(membership);
        time.advance(Duration.ofSeconds(10));
        assertThat(membership.stateFor(2).known()).isEmpty();
        disk.fails = false;
        time.advanceMillis(2_000);
        assertThat(disk.recorded).containsExactlyInAnyOrder(n2.life(), n3.life());
        assertThat(membership.stateFor(2).known()).containsExactlyInAnyOrder(n2.life(), n3.life());
        int records = disk.records;
        time.advance(Duration.ofMinutes(1));
        assertThat(disk.records).as("there is nothing new").isEqualTo(records);
    }

    /** Or a cluster of N members would write N * N records in five seconds. */
    @Test
    void advancesOfVotingMembersAreRecordedWithTheNextOwnOne() {
        Membership membership = member(Condition.WHOLE);
        start(membership);
        time.advanceMillis(9_900);
        assertThat(n3.known).isNotNull();
        assertThat(disk.records).isZero();
        time.advanceMillis(200);
        assertThat(disk.records).isEqualTo(1);
        assertThat(n2.heardOf).containsExactlyInAnyOrder(n2.life(), n3.life());
    }

    @Test
    void theGenerationOfAMemberThatWaitsForItIsRecordedAtOnce() {
        n2.condition = Condition.RETURNING;
        start(member(Condition.WHOLE));
        time.advanceMillis(5_100);
        assertThat(disk.recorded).contains(n2.life());
    }

    @Test
    void afterTheCloseNothingIsAskedOrWritten() {
        n2.isUp = false;
        n3.isUp = false;
        start(member(Condition.RETURNING)).close();
        start(member(Condition.WHOLE)).close();
        n2.isUp = true;
        n3.isUp = true;
        time.advance(Duration.ofMinutes(1));
        assertThat(n2.known).isNull();
        assertThat(disk.advanced).isEmpty();
    }

    private static final class Disk implements LifeRecorder {

        private final List<String> advanced = new ArrayList<>();
        private final List<KnownLife> recorded = new ArrayList<>();
        private @Nullable Membership membership;
        private int records;
        private int lostStanding;
        private boolean fails;

        private void work() throws IOException {
            if (fails) {
                throw new IOException("Input/output error");
            }
        }

        @Override
        public void advance(long generation) throws IOException {
            work();
            boolean votes = membership != null && membership.votes();
            advanced.add(generation + (votes ? ", with a vote" : ", without a vote"));
        }

        @Override
        public void record(Collection<KnownLife> known) throws IOException {
            work();
            records++;
            recorded.clear();
            recorded.addAll(known);
        }

        @Override
        public void loseStanding() throws IOException {
            work();
            lostStanding++;
        }
    }

    /** A whole member that notes at once how far this one has come. */
    private final class Other implements Replica {

        private final Member member;
        private boolean isUp = true;
        private Condition condition = Condition.WHOLE;
        private @Nullable KnownLife known;
        private List<KnownLife> heardOf = List.of();

        Other(Member member) {
            this.member = member;
        }

        @Override
        public Member member() {
            return member;
        }

        private KnownLife life() {
            return new KnownLife(member.number(), 100 + member.number(), 7, 9);
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            time.after(Duration.ofMillis(1), () -> callback.answered(answer(request)));
        }

        private ReplicaAnswer answer(ReplicaRequest request) {
            if (!(request instanceof ReplicaRequest.Announce(int from, MemberState state))) {
                return new Failed(Failure.REFUSED, "it only tells how it is");
            }
            KnownLife said = new KnownLife(from, state.life(), state.begunAt(), state.generation());
            known = known == null ? said : known.or(said);
            heardOf = state.known();
            KnownLife own = life();
            return new ReplicaAnswer.Announced(
                    MemberStates.of(
                            own.life(),
                            condition,
                            1,
                            time.wallMillis(),
                            0,
                            0,
                            own.begunAt(),
                            own.generation(),
                            List.of(known)));
        }
    }
}
