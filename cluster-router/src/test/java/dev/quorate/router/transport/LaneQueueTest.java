package dev.quorate.router.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.health.Breaker;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.LaneQueue.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What leaves when. An operation is a read of a key, and is named by it. */
class LaneQueueTest {

    private static final int BYTES = read("a", 0).bytes;
    private static final ReplicaAnswer ANSWER = ReplicaAnswer.Absent.ABSENT;

    private static final Topology TOPOLOGY = Topology.parse("n1=http://a:1,n2=http://b:1");

    private final List<PendingRequest> stale = new ArrayList<>();
    private LaneQueue queue = queue(Lane.READ, 3, 1_024, 100, 1 << 20);

    private static LaneQueue queue(
            Lane lane, int batchOperations, int batchBytes, int operations, long laneBytes) {
        return new LaneQueue(
                lane,
                new TransportOptions(
                        batchOperations,
                        batchBytes,
                        operations,
                        laneBytes,
                        laneBytes,
                        TransportOptions.REPLY_SLACK_BYTES,
                        Duration.ofSeconds(1),
                        Breaker.USUAL_FAILURES));
    }

    private static PendingRequest read(String key, long deadlineNanos) {
        return new PendingRequest(
                new ReplicaRequest.Read(key.getBytes(UTF_8)),
                0,
                deadlineNanos,
                false,
                answer -> {});
    }

    /** A read whose answer its operation does not need. */
    private static PendingRequest spare(String key) {
        return new PendingRequest(
                new ReplicaRequest.Read(key.getBytes(UTF_8)),
                0,
                1_000,
                false,
                new AnswerCallback() {
                    @Override
                    public void answered(ReplicaAnswer answer) {}

                    @Override
                    public boolean isNeeded() {
                        return false;
                    }
                });
    }

    private PendingRequest add(String key, Admission expected) {
        PendingRequest request = read(key, 1_000);
        assertThat(queue.add(request)).as(key).isEqualTo(expected);
        return request;
    }

    private static String keys(List<PendingRequest> requests) {
        return requests.stream()
                .map(each -> new String(((ReplicaRequest.Read) each.request).key(), UTF_8))
                .collect(Collectors.joining(" "));
    }

    private List<PendingRequest> next(String expected) {
        List<PendingRequest> next = Objects.requireNonNull(queue.nextBatch(TOPOLOGY, stale));
        assertThat(keys(next)).isEqualTo(expected);
        return next;
    }

    private void end(List<PendingRequest> exchange, @Nullable ReplicaAnswer... answers) {
        queue.ended(exchange, Arrays.asList(answers), false);
    }

    @Test
    void oneLeavesAtOnceAndThoseThatComeMeanwhileLeaveTogether() {
        add("a", Admission.LEAVES);
        List<PendingRequest> first = next("a");
        add("b", Admission.WAITS);
        add("c", Admission.WAITS);
        end(first, ANSWER);
        end(next("b c"), ANSWER, ANSWER);
        assertThat(queue.nextBatch(TOPOLOGY, stale)).isNull();
        assertThat(queue.operations()).isZero();
        assertThat(queue.bytes()).isZero();
        assertThat(queue.exchangesSent()).isEqualTo(2);
        assertThat(queue.operationsSent()).isEqualTo(3);
        add("d", Admission.LEAVES);
    }

    @Test
    void operationsBetweenTwoExchangesWaitForTheSecond() {
        add("a", Admission.LEAVES);
        end(next("a"), ANSWER);
        add("b", Admission.WAITS);
        next("b");
    }

    @Test
    void whatIsNotNeededLeavesWithWhatIs() {
        assertThat(queue.add(spare("a"))).isEqualTo(Admission.LINGERS);
        add("b", Admission.LEAVES);
        List<PendingRequest> first = next("a b");
        assertThat(queue.add(spare("c"))).isEqualTo(Admission.WAITS);
        end(first, ANSWER, ANSWER);
        assertThat(queue.nextBatch(TOPOLOGY, stale)).as("c does not leave alone").isNull();
        add("d", Admission.LEAVES);
        next("c d");
    }

    @Test
    void whatIsNotNeededLeavesAloneWhenItsTimeIsOver() {
        assertThat(queue.startsTimer()).isFalse();
        assertThat(queue.add(spare("a"))).isEqualTo(Admission.LINGERS);
        assertThat(queue.startsTimer()).isTrue();
        assertThat(queue.add(spare("b"))).isEqualTo(Admission.LINGERS);
        assertThat(queue.startsTimer()).as("it runs").isFalse();
        assertThat(queue.sendAll()).isTrue();
        List<PendingRequest> first = next("a b");
        assertThat(queue.add(spare("c"))).isEqualTo(Admission.WAITS);
        assertThat(queue.sendAll()).as("an exchange is in flight").isFalse();
        end(first, ANSWER, ANSWER);
        end(next("c"), ANSWER);
        assertThat(queue.nextBatch(TOPOLOGY, stale)).isNull();
        assertThat(queue.sendAll()).as("nothing waits").isFalse();
    }

    /** At high rates others would only wait longer for the slower of two peers. */
    @Test
    void manyThatAreNotNeededLeaveAtOnce() {
        queue = queue(Lane.WRITE, 100, 1_024, 100, 1 << 20);
        for (int i = 0; i < 7; i++) {
            assertThat(queue.add(spare("a"))).isEqualTo(Admission.LINGERS);
        }
        assertThat(queue.add(spare("b"))).isEqualTo(Admission.LEAVES);
        List<PendingRequest> first = next("a a a a a a a b");
        for (int i = 0; i < 8; i++) {
            assertThat(queue.add(spare("c"))).isEqualTo(Admission.WAITS);
        }
        end(first, ANSWER, ANSWER, ANSWER, ANSWER, ANSWER, ANSWER, ANSWER, ANSWER);
        next("c c c c c c c c");
    }

    @Test
    void largeRequestsDoNotLinger() {
        queue = queue(Lane.BULK, 3, 1_024, 100, 1 << 20);
        assertThat(queue.add(spare("a"))).isEqualTo(Admission.LEAVES);
        next("a");
    }

    @Test
    void othersJoinWhileFewWait() {
        queue = queue(Lane.READ, 100, 1_024, 100, 1 << 20);
        assertThat(queue.isJoinable()).as("nothing leaves").isFalse();
        add("a", Admission.LEAVES);
        assertThat(queue.isJoinable()).isTrue();
        List<PendingRequest> first = next("a");
        for (String key : List.of("b", "c", "d")) {
            add(key, Admission.WAITS);
            assertThat(queue.isJoinable()).as(key).isTrue();
        }
        add("e", Admission.WAITS);
        assertThat(queue.isJoinable()).isFalse();
        end(first, ANSWER);
        next("b c d e");
        assertThat(queue.isJoinable()).isTrue();
    }

    @Test
    void anExchangeHasAMostOfOperationsAndBytes() {
        add("a", Admission.LEAVES);
        for (String key : List.of("b", "c", "d")) {
            add(key, Admission.WAITS);
        }
        end(next("a b c"), ANSWER, ANSWER, ANSWER);
        next("d");
        queue = queue(Lane.READ, 100, 1_024, 100, 1 << 20);
        String large = "x".repeat(1_020);
        add("a", Admission.LEAVES);
        add(large, Admission.WAITS);
        add(large, Admission.WAITS);
        end(next("a"), ANSWER);
        end(next(large), ANSWER);
        next(large);
    }

    @Test
    void thereIsAMostOfOperationsThatWaitOrAreInFlight() {
        queue = queue(Lane.READ, 100, 1_024, 2, 1 << 20);
        add("a", Admission.LEAVES);
        List<PendingRequest> first = next("a");
        add("b", Admission.WAITS);
        add("c", Admission.REFUSED);
        end(first, ANSWER);
        add("c", Admission.WAITS);
    }

    @Test
    void thereIsAMostOfBytesButForASingleLargerOperation() {
        queue = queue(Lane.READ, 100, 1_024, 100, 2L * BYTES);
        add("x".repeat(500), Admission.LEAVES);
        add("b", Admission.REFUSED);
        end(next("x".repeat(500)), ANSWER);
        add("b", Admission.WAITS);
        add("c", Admission.WAITS);
        add("d", Admission.REFUSED);
    }

    @Test
    void anAnswerThatDidNotFitIsAskedForInTheLaneOfLargeOnes() {
        PendingRequest request = add("a", Admission.LEAVES);
        List<PendingRequest> exchange = next("a");
        assertThat(queue.fate(request, null, false)).isEqualTo(LaneQueue.Fate.BULK);
        end(exchange, (ReplicaAnswer) null);
        assertThat(queue.nextBatch(TOPOLOGY, stale)).isNull();
        assertThat(queue.operations()).isZero();
    }

    @Test
    void inThatLaneItLeavesAgainBeforeThoseThatWait() {
        queue = queue(Lane.BULK, 3, 1_024, 100, 1 << 20);
        add("a", Admission.LEAVES);
        add("b", Admission.WAITS);
        add("c", Admission.WAITS);
        List<PendingRequest> exchange = next("a b c");
        add("d", Admission.WAITS);
        end(exchange, ANSWER, null, null);
        assertThat(queue.operations()).isEqualTo(3);
        next("b c d");
    }

    @Test
    void anExchangeForAnotherLifeIsSentAgain() {
        PendingRequest request = add("a", Admission.LEAVES);
        List<PendingRequest> exchange = next("a");
        assertThat(queue.fate(request, null, true)).isEqualTo(LaneQueue.Fate.AGAIN);
        queue.ended(exchange, Arrays.asList((ReplicaAnswer) null), true);
        next("a");
    }

    @Test
    void anOperationWhoseDeadlineHasPassedDoesNot() {
        queue = queue(Lane.BULK, 3, 1_024, 100, 1 << 20);
        PendingRequest request = add("a", Admission.LEAVES);
        List<PendingRequest> exchange = next("a");
        request.fail(Failure.TIMEOUT, "late");
        assertThat(queue.operations()).as("it still has its memory").isEqualTo(1);
        assertThat(queue.fate(request, null, false)).isEqualTo(LaneQueue.Fate.OVER);
        end(exchange, (ReplicaAnswer) null);
        assertThat(queue.operations()).isZero();
        assertThat(queue.nextBatch(TOPOLOGY, stale)).isNull();
    }

    @Test
    void operationsPastTheirDeadlineAreRemoved() {
        List<PendingRequest> all = new ArrayList<>();
        for (long deadline : new long[] {10, 30, 20}) {
            all.add(read("k" + deadline, deadline));
            assertThat(queue.add(all.getLast())).isNotEqualTo(Admission.REFUSED);
        }
        assertThat(keys(queue.removeExpired(9))).isEmpty();
        assertThat(keys(queue.removeExpired(20))).isEqualTo("k10 k20");
        assertThat(queue.operations()).isEqualTo(1);
        assertThat(LaneQueue.latestDeadline(next("k30"))).isEqualTo(30);
    }

    @Test
    void theDeadlineOfAnExchangeIsItsLatest() {
        for (long deadline : new long[] {10, 30, 20}) {
            assertThat(queue.add(read("k" + deadline, deadline))).isNotEqualTo(Admission.REFUSED);
        }
        assertThat(LaneQueue.latestDeadline(next("k10 k30 k20"))).isEqualTo(30);
    }

    @Test
    void onlyInsistingOperationsWaitForASuspectedPeer() {
        add("a", Admission.LEAVES);
        PendingRequest insisting =
                new PendingRequest(
                        new ReplicaRequest.Read("b".getBytes(UTF_8)), 0, 1_000, true, answer -> {});
        assertThat(queue.add(insisting)).isEqualTo(Admission.WAITS);
        assertThat(keys(queue.removeWaiting(true))).isEqualTo("a");
        assertThat(queue.operations()).isEqualTo(1);
        assertThat(keys(queue.removeWaiting(false))).isEqualTo("b");
        assertThat(queue.operations()).isZero();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void aFailureIsAnAnswer() {
        PendingRequest request = add("a", Admission.LEAVES);
        next("a");
        assertThat(queue.fate(request, new Failed(Failure.FAILED, ""), false))
                .isEqualTo(LaneQueue.Fate.ANSWERED);
    }
}
