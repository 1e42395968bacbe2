package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.coordinator.operation.ClusterReplicas;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.coordinator.operation.HintSink;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.PlainReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replicas that answer on threads of their own, all at the same moment. */
class LateAnswersTest {

    private static final int WRITES = 2_000;
    private static final Duration DRIFT = Duration.ofSeconds(1);
    private static final Failed REFUSED = new Failed(Failure.FAILED, "it accepts nothing");

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private final ExecutorScheduler scheduler = new ExecutorScheduler("timer");
    private final Deadlines deadlines = new Deadlines(SystemTicker.INSTANCE, scheduler);
    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    @AfterEach
    void close() {
        threads.shutdownNow();
        scheduler.close();
    }

    private LocalReplica replica(Member member) {
        HybridClock clock =
                HybridClock.volatileClock(SystemTicker.INSTANCE, member.number(), DRIFT);
        MemoryStore data = new MemoryStore();
        MemoryStore records = new MemoryStore();
        return PlainReplica.of(member, data, clock, SystemTicker.INSTANCE, deadlines, Runnable::run)
                .withRecords(
                        records,
                        MemoryStore.both(records, data),
                        Duration.ofHours(4),
                        Duration.ofSeconds(1),
                        new LiveTopology(topology));
    }

    /**
     * @param accepts whether it accepts proposals: without one of three, the other two must
     */
    private Replica answeringElsewhere(LocalReplica replica, boolean accepts) {
        return new Replica() {
            @Override
            public Member member() {
                return replica.member();
            }

            @Override
            public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
                boolean isAccept =
                        request instanceof ReplicaRequest.ToAcceptor asked
                                && asked.question() instanceof Question.Accept;
                threads.execute(
                        () -> {
                            if (isAccept && !accepts) {
                                callback.answered(REFUSED);
                            } else {
                                replica.ask(request, deadlineNanos, callback);
                            }
                        });
            }
        };
    }

    private Coordinator coordinator() {
        List<Member> members = topology.members();
        List<Replica> others = new ArrayList<>();
        others.add(answeringElsewhere(replica(members.get(1)), true));
        others.add(answeringElsewhere(replica(members.get(2)), false));
        Member self = members.getFirst();
        return new Coordinator(
                new ClusterReplicas(
                        new LiveTopology(topology),
                        new Ring(topology),
                        replica(self),
                        () -> others),
                HybridClock.volatileClock(SystemTicker.INSTANCE, self.number(), DRIFT),
                new NodeRuntime(SystemTicker.INSTANCE, scheduler, new Random(1), threads),
                deadlines,
                CoordinatorOptions.forTimeout(Duration.ofSeconds(5)),
                new ByteBudget(1L << 20),
                new HintSink() {
                    @Override
                    public void missed(Member member, Entry write) {}

                    @Override
                    public boolean isKept(Member member, Entry write) {
                        return true;
                    }
                });
    }

    /** The third promise, after two were enough, is no answer to what is asked next. */
    @Test
    void anAnswerToTheQuestionBeforeIsNone() throws Exception {
        Coordinator coordinator = coordinator();
        for (int i = 0; i < WRITES; i++) {
            byte[] key = ("key" + i).getBytes(US_ASCII);
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            coordinator.writeIf(
                    key,
                    new NewValue(key, null, null),
                    ConditionalRequest.Condition.Absent.ABSENT,
                    null,
                    new QuorumSpec(2, 3),
                    outcome::complete);
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Written.class);
        }
    }
}
