package dev.quorate.node.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.BulkCopy;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.antientropy.StoreSource;
import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.AnswerCallback;
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
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which agreements count for a member that lost its disk, on simulated time. */
class RebuildRulesTest {

    private static final Duration LONGEST_WRITE = Duration.ofSeconds(20);
    private static final int KEYS = 1_000;
    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");

    private final ManualTime time = new ManualTime();
    private final Executor soon = task -> time.after(Duration.ZERO, task);
    private final NodeRuntime runtime = new NodeRuntime(time, time, new Random(1), soon);
    private final Ring ring = new Ring(THREE);
    private final LiveTopology topology = new LiveTopology(THREE);
    private final LivePlacement placement = new LivePlacement(topology, ring);
    private final Member self = THREE.members().getFirst();
    private final MemoryStore store = new MemoryStore();
    private final HybridClock clock =
            HybridClock.volatileClock(time, self.number(), Duration.ofMillis(500));
    private final LocalReplica local =
            PlainReplica.of(self, store, clock, time, new Deadlines(time, time), soon);
    private final Membership membership =
            new Membership(
                    topology,
                    self,
                    new Past(Condition.EMPTY, false, 0, List.of(), 0),
                    1,
                    Duration.ofMinutes(1),
                    time,
                    () -> 10);
    private final Other n2 = new Other(THREE.members().get(1));
    private final Other n3 = new Other(THREE.members().get(2));
    private final Repairs repairs =
            new Repairs(
                    () -> List.of(n2, n3),
                    local,
                    store,
                    Topologies.live(ring),
                    membership,
                    new Repairs.Options(Duration.ZERO, 0, 0),
                    runtime);
    private final Announcements announcements =
            new Announcements(
                    membership,
                    () ->
                            List.of(
                                    new Announcements.OtherMember(n2, () -> true),
                                    new Announcements.OtherMember(n3, () -> true)),
                    time);
    private Runnable whenRecordsAreCopied = () -> {};

    /** The GC watermarks with which it became whole. */
    private final List<Long> recorded = new ArrayList<>();

    private final Rebuild rebuild =
            new Rebuild(
                    membership,
                    new Gain(
                            membership,
                            announcements,
                            BulkCopy.ofEntries(local, store, () -> 0, runtime),
                            (from, gainsOnly, whenDone) -> {
                                whenRecordsAreCopied.run();
                                whenDone.accept(true);
                            },
                            repairs,
                            time),
                    placement,
                    recorded::add,
                    LONGEST_WRITE,
                    time,
                    soon);

    @Test
    void aMemberThatDoesNotVoteAnswersNoRead() {
        VotingReplica voting = new VotingReplica(local, membership, runtime);
        assertThat(membership.votes()).isFalse();
        byte[] key = "key1".getBytes(US_ASCII);
        for (ReplicaRequest request :
                List.of(
                        new ReplicaRequest.Read(key),
                        new ReplicaRequest.ReadDigest(key),
                        new ReplicaRequest.ScanPage(key, null, 1))) {
            List<ReplicaAnswer> answers = new ArrayList<>();
            voting.ask(request, time.nanos() + 1_000_000_000, answers::add);
            assertThat(answers)
                    .singleElement()
                    .satisfies(
                            answer ->
                                    assertThat(answer.failure().reason())
                                            .isEqualTo(Failure.REBUILDING));
        }
    }

    /** A whole member, whose answers may be held back. */
    private final class Other implements Replica {
        private final Member member;
        private final LocalReplica replica;
        private final StoreSource source;
        private final List<Runnable> held = new ArrayList<>();
        private boolean holds;
        private boolean isDown;
        private boolean announces = true;
        private long gcWatermarkMillis;
        private int given;
        private int compared;
        private int told;

        Other(Member member) {
            this.member = member;
            MemoryStore entries = new MemoryStore();
            for (int i = 0; i < KEYS; i++) {
                byte[] key = ("key" + i).getBytes(US_ASCII);
                entries.put(Entry.value(key, Timestamp.of(1_000 + i, 0, 1), key, 3));
            }
            HybridClock own =
                    HybridClock.volatileClock(time, member.number(), Duration.ofMillis(500));
            replica = PlainReplica.of(member, entries, own, time, new Deadlines(time, time), soon);
            source =
                    new StoreSource(entries, entries, Topologies.live(ring), member, time, () -> 0);
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            if (isDown) {
                ReplicaAnswer none = new Failed(Failure.UNREACHABLE, "it is down");
                time.after(Duration.ofMillis(1), () -> callback.answered(none));
                return;
            }
            switch (request) {
                case ReplicaRequest.Announce announce -> {
                    told++;
                    time.after(Duration.ofMillis(1), () -> callback.answered(announced()));
                }
                case ReplicaRequest.Compare compare -> {
                    compared++;
                    answer(callback, source.compare(compare));
                }
                case ReplicaRequest.StreamPage give -> {
                    given++;
                    answer(callback, source.streamPage(give));
                }
                case ReplicaRequest.Propose asked -> throw new IllegalArgumentException("decree");
                case ReplicaRequest.Watch watch -> throw new IllegalArgumentException("wait");
                case ReplicaRequest.Changed changed -> throw new IllegalArgumentException("wait");
                case ReplicaRequest.Tell told -> throw new IllegalArgumentException("topology");
                case ReplicaRequest.Traced traced -> throw new IllegalArgumentException("traced");
                case ReplicaRequest.Read read -> replica.ask(read, deadlineNanos, callback);
                case ReplicaRequest.ReadDigest read -> replica.ask(read, deadlineNanos, callback);
                case ReplicaRequest.Write write -> replica.ask(write, deadlineNanos, callback);
                case ReplicaRequest.ScanPage page -> replica.ask(page, deadlineNanos, callback);
                case ReplicaRequest.ScanReadable page -> replica.ask(page, deadlineNanos, callback);
                case ReplicaRequest.Inquire inquire ->
                        replica.ask(inquire, deadlineNanos, callback);
                case ReplicaRequest.StreamRecords give ->
                        replica.ask(give, deadlineNanos, callback);
                case ReplicaRequest.ToAcceptor asked -> replica.ask(asked, deadlineNanos, callback);
            }
        }

        private void answer(AnswerCallback callback, ReplicaAnswer answer) {
            Runnable answering = () -> callback.answered(answer);
            if (holds) {
                held.add(answering);
            } else {
                time.after(Duration.ofMillis(1), answering);
            }
        }

        private void letGo() {
            holds = false;
            held.forEach(answering -> time.after(Duration.ofMillis(1), answering));
            held.clear();
        }

        private ReplicaAnswer announced() {
            return announces
                    ? new ReplicaAnswer.Announced(
                            MemberStates.of(
                                    member.number(),
                                    Condition.WHOLE,
                                    100,
                                    time.wallMillis(),
                                    0,
                                    gcWatermarkMillis))
                    : new Failed(Failure.UNREACHABLE, "no answer");
        }
    }

    @BeforeEach
    void itFindsItsDiskEmpty() {
        announcements.start(repairs);
        rebuild.start();
        time.advanceMillis(100);
        assertThat(membership.condition()).isEqualTo(Condition.REBUILDING);
    }

    private boolean allAgree() {
        return repairs.status().agreed();
    }

    /** One that it acknowledged just before it lost its disk may not be where it is to be yet. */
    @Test
    void itComparesOnlyWhenNoEarlierWriteIsUnderWay() {
        time.advance(LONGEST_WRITE.minusMillis(200));
        assertThat(n2.given + n3.given).as("what it copies proves nothing").isPositive();
        assertThat(membership.copied()).isEqualTo(KEYS);
        assertThat(n2.compared + n3.compared).isZero();
        assertThat(membership.progress()).contains("comparing", "1,000 entries were copied");
        time.advanceMillis(2_000);
        assertThat(n2.compared).isPositive();
        assertThat(n3.compared).isPositive();
        assertThat(membership.votes()).isTrue();
        assertThat(membership.rebuilt()).isEqualTo(1);
    }

    @Test
    void anAgreementFromBeforeThatDoesNotCount() {
        repairs.begin();
        time.advanceMillis(5_000);
        assertThat(allAgree()).isTrue();
        assertThat(membership.votes()).isFalse();
        int before = n2.compared;
        time.advance(LONGEST_WRITE);
        assertThat(n2.compared).isGreaterThan(before);
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void aRoundThatBeganEarlierDoesNotCount() {
        time.advanceMillis(1_000);
        n3.holds = true;
        repairs.begin(); // an operator
        time.advance(LONGEST_WRITE);
        assertThat(repairs.status().running()).isTrue();
        n3.letGo();
        time.advanceMillis(10);
        assertThat(allAgree()).isTrue();
        assertThat(membership.votes()).isFalse();
        int before = n3.compared;
        time.advanceMillis(3_000);
        assertThat(n3.compared).as("a round of its own").isGreaterThan(before);
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void itVotesWhenItHasAgreedWithEachAndNotWithSome() {
        n3.holds = true;
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isFalse();
        assertThat(membership.rebuilt()).isLessThan(1);
        n3.letGo();
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isTrue();
    }

    /** If a hundred members return, each is compared in a round of its own. */
    @Test
    void onlyARoundThatChangesWhatItHasIsAnnounced() {
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isTrue();
        repairs.begin(List.of("n3"));
        time.advanceMillis(5_000);
        repairs.begin(List.of("n2"));
        time.advanceMillis(5_000);
        int before = n3.told;
        repairs.begin(List.of("n2"));
        time.advanceMillis(5_000);
        assertThat(allAgree()).isTrue();
        assertThat(n3.told).isEqualTo(before);
        int toldBefore = n2.told;
        repairs.begin(List.of("n3"));
        time.advanceMillis(5_000);
        assertThat(n2.told).as("it has agreed with both since").isGreaterThan(toldBefore);
    }

    @Test
    void itWaitsForAMemberThatIsDownUntilThatIsDeclaredLost() {
        n3.isDown = true;
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isFalse();
        topology.install(
                THREE.in(new UUID(1, 2))
                        .next(
                                THREE.members().stream()
                                        .map(m -> m.equals(n3.member) ? m.as(Member.Part.LOST) : m)
                                        .toList()));
        rebuild.moved();
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isTrue();
        assertThat(n3.compared).isZero();
    }

    /** They may have dropped tombstones, which it could not copy. */
    @Test
    void itHasTheHighestWatermarkOfTheOthersBeforeItVotes() {
        whenRecordsAreCopied =
                () -> {
                    n2.gcWatermarkMillis = 40;
                    n3.gcWatermarkMillis = 50;
                };
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(membership.votes()).isTrue();
        assertThat(recorded).containsExactly(50L);
        assertThat(membership.gcWatermarkMillis()).isEqualTo(50);
    }

    @Test
    void itDoesNotVoteBeforeEachHasAnnouncedItsWatermarkAfterTheCopy() {
        whenRecordsAreCopied = () -> n3.announces = false;
        time.advance(LONGEST_WRITE.multipliedBy(2));
        assertThat(allAgree()).isTrue();
        assertThat(membership.votes()).isFalse();
        n3.gcWatermarkMillis = 50;
        n3.announces = true;
        time.advanceMillis(5_000);
        assertThat(membership.votes()).isTrue();
        assertThat(recorded).containsExactly(50L);
    }
}
