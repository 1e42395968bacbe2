package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Topologies;
import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.replica.RecordedWrite;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Damage;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What others have promised and accepted binds a member that has lost its own records. */
class RecordCopyTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Duration KEPT = Duration.ofHours(4);
    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");

    private final ManualTime time = new ManualTime();
    private final Executor soon = task -> time.after(Duration.ZERO, task);
    private final NodeRuntime runtime = new NodeRuntime(time, time, new Random(1), soon);
    private final Ring ring = new Ring(THREE);
    private final MemoryStore lost = new MemoryStore();
    private final Other n2 = new Other(THREE.members().get(1));
    private final Other n3 = new Other(THREE.members().get(2));
    private final BulkCopy copy =
            BulkCopy.ofRecords(THREE.members().getFirst().number(), lost, 0, runtime);
    private final List<Boolean> done = new ArrayList<>();
    private final long start = time.wallMillis();

    private Timestamp at(int counter) {
        return Timestamp.of(start, counter, 1);
    }

    private LocalReplica replica(Member member, MemoryStore records) {
        HybridClock clock = HybridClock.volatileClock(time, member.number(), Duration.ofSeconds(1));
        Deadlines deadlines = new Deadlines(time, time);
        MemoryStore data = new MemoryStore();
        RecordedWrite both = MemoryStore.both(records, data);
        return PlainReplica.of(member, data, clock, time, deadlines, Runnable::run)
                .withRecords(records, both, KEPT, Duration.ofSeconds(1), new LiveTopology(THREE));
    }

    private AcceptorAnswer ask(Replica replica, Question question) {
        List<ReplicaAnswer> answers = new ArrayList<>();
        replica.ask(
                new ReplicaRequest.ToAcceptor(KEY, 3, question),
                time.nanos() + 1_000_000_000,
                answers::add);
        return ((ReplicaAnswer.FromAcceptor) answers.getFirst()).answer();
    }

    private Question.Prepare prepare(int ballot) {
        return new Question.Prepare(at(ballot), Set.of(), Timestamp.ZERO);
    }

    /** To succeed nothing. */
    private Question.Accept accept(int ballot) {
        Timestamp base = Timestamp.of(1, 0, 0);
        Timestamp result = base.withStep(at(ballot).hybrid());
        Current value = new Current(result, KEY, Entry.NEVER, 3, null);
        return new Question.Accept(
                at(ballot),
                new Proposal(at(ballot), false, base, true, false, result, value, 0),
                false);
    }

    private AcceptorAnswer copiedAndAsked(int ballot) {
        copy.begin(List.of(n2, n3), false, done::add);
        time.advanceMillis(5_000);
        assertThat(done).containsExactly(true);
        return ask(replica(THREE.members().getFirst(), lost), prepare(ballot));
    }

    @Test
    void theLatestPromiseOfAllOthersIsKept() {
        ask(n2.replica, prepare(5));
        ask(n3.replica, prepare(7));
        assertThat(copiedAndAsked(6)).isEqualTo(new AcceptorAnswer.Outbid(at(7)));
    }

    @Test
    void whatAnotherHasAcceptedIsShownAsACopy() {
        assertThat(ask(n2.replica, accept(5))).isEqualTo(AcceptorAnswer.Done.DONE);
        ask(n3.replica, prepare(6));
        assertThat(copiedAndAsked(8))
                .isInstanceOfSatisfying(
                        AcceptorAnswer.Promised.class,
                        promised -> {
                            assertThat(promised.pending()).isNotNull();
                            assertThat(promised.pending().isCopy()).isTrue();
                            assertThat(promised.pending().ballot()).isEqualTo(at(5));
                        });
    }

    @Test
    void withoutOneOfTheOthersItFails() {
        n3.isDown = true;
        copy.begin(List.of(n2, n3), false, done::add);
        time.advanceMillis(5_000);
        assertThat(done).containsExactly(false);
    }

    /** Whoever knows that it is superseded does not know it for others. */
    @Test
    void aNoteThatNothingIsPendingIsNotCopied() {
        byte[] last = {0, 1, 'k', 7, 3};
        assertThat(RecordStore.keyToBeCopied(Entry.tombstone(last, at(1), 3))).isNull();
        assertThat(RecordStore.keyToBeCopied(Entry.expiring(last, at(1), new byte[20], 3, 9)))
                .containsExactly('k');
    }

    /** A while after it was found: promises that are lost bind nobody any more. */
    @Test
    void damagedRecordsAreCopiedAgain() {
        ask(n2.replica, prepare(5));
        RecordHealing healing =
                new RecordHealing(
                        lost,
                        copy,
                        () -> List.of(n2, n3),
                        replica(THREE.members().getFirst(), lost));
        healing.start(time);
        time.advanceMillis(60_000);
        assertThat(lost.newestTimestamp()).isEqualTo(Timestamp.ZERO);
        Damage damage = new Damage("1.sst", List.of(), Timestamp.ZERO);
        lost.report(damage);
        time.advanceMillis(10_000);
        assertThat(lost.newestTimestamp()).isEqualTo(Timestamp.ZERO);
        lost.holdLog();
        time.advanceMillis(15_000);
        assertThat(n2.asked).as("before it is noted").isZero();
        lost.releaseLog();
        time.advanceMillis(5_000);
        assertThat(lost.healed).containsExactly(damage);
        assertThat(ask(replica(THREE.members().getFirst(), lost), prepare(4)))
                .isEqualTo(new AcceptorAnswer.Outbid(at(5)));
        healing.close();
    }

    /** Another member, which is asked for its records. */
    private final class Other implements Replica {

        private final MemoryStore records = new MemoryStore();
        private final Member member;
        private final LocalReplica replica;
        private boolean isDown;
        private int asked;

        Other(Member member) {
            this.member = member;
            this.replica = replica(member, records);
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            asked++;
            callback.answered(
                    isDown
                            ? new Failed(Failure.UNREACHABLE, "down")
                            : new StoreSource(
                                            records,
                                            records,
                                            Topologies.live(ring),
                                            member,
                                            time,
                                            () -> 0)
                                    .streamRecords((ReplicaRequest.StreamRecords) request));
        }
    }
}
