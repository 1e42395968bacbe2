package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import dev.quorate.router.transport.TransportOptions;
import dev.quorate.storage.Timestamp;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** How operations share exchanges and lanes on their way to a peer. */
final class PeerTransportTest extends TwoMembers {

    /** A connection carries one exchange at a time, and is used again. */
    @Test
    void smallExchangesShareAConnectionForEachLane() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        for (int i = 0; i < 100; i++) {
            peer.ask(read("k" + i), in(1000), answers);
            peer.ask(write("k" + i, 10), in(1000), answers);
            var _ = answers.await(2 * i + 2);
        }
        assertThat(door.accepted()).isBetween(1L, 3L);
    }

    /** The peer closes what is idle for long; a message that crosses with that would be lost. */
    @Test
    void aConnectionThatWasIdleForLongIsNotUsedAgain() {
        Peer peer = connectAndWait(with(512, 4096, 4 << 20)); // without probes
        Answers answers = new Answers();
        peer.ask(read("a"), in(1000), answers);
        var _ = answers.await(1);
        long before = door.accepted();
        time.advanceMillis(15_000);
        peer.ask(read("b"), in(1000), answers);
        var _ = answers.await(2);
        assertThat(door.accepted()).isEqualTo(before);
        time.advanceMillis(21_000);
        peer.ask(read("c"), in(1000), answers);
        assertThat(answers.await(3)).containsOnly(ReplicaAnswer.Absent.ABSENT);
        assertThat(door.accepted()).isEqualTo(before + 1);
    }

    /** The JDK's connections keep the request that opened them reachable. */
    @Test
    void noValueStaysInMemoryWithAConnection() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        List<WeakReference<byte[]>> values = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ReplicaRequest.Write large = write("k" + i, 1 << 20);
            values.add(new WeakReference<>(large.entry().value()));
            peer.ask(large, in(1000), answers);
            var _ = answers.await(i + 1);
        }
        assertThat(answers.failures()).isEmpty();
        Answers.until(
                () -> {
                    System.gc();
                    return values.stream().allMatch(value -> value.get() == null);
                });
    }

    @Test
    void aLoneOperationLeavesAtOnce() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        peer.ask(read("k"), in(1000), answers);
        assertThat(answers.await(1)).containsExactly(ReplicaAnswer.Absent.ABSENT);
        assertThat(door.batches).hasValue(1);
    }

    @Test
    void aLoneOperationThatIsNotNeededIsSentSoon() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        for (int i = 1; i <= 2; i++) {
            peer.ask(
                    write("k", 10),
                    in(1000),
                    new AnswerCallback() {
                        @Override
                        public void answered(ReplicaAnswer answer) {
                            answers.answered(answer);
                        }

                        @Override
                        public boolean isNeeded() {
                            return false;
                        }
                    });
            assertThat(door.batches).hasValue(i - 1);
            time.advanceMillis(1);
            answers.await(i);
        }
        assertThat(answers.failures()).isEmpty();
    }

    @Test
    void queuedOperationsAreSentTogether() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        door.shut();
        peer.ask(write("first", 10), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 100; i++) {
            peer.ask(write("k" + i, 100), in(1000), answers);
        }
        assertThat(peer.health().outstandingOperations()).isEqualTo(101);
        door.open();
        answers.await(101);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.batches).hasValue(2);
        Answers.until(() -> peer.health().outstandingOperations() == 0);
        assertThat(peer.health().outstandingBytes()).isZero();
        assertThat(peer.health().exchanges()).isEqualTo(2);
        assertThat(peer.health().operations()).isEqualTo(101);
    }

    @Test
    void aBatchIsBoundInOperationsAndInBytes() {
        Peer peer = connectAndWait(with(10, 4096, 4 << 20));
        Answers answers = new Answers();
        door.shut();
        peer.ask(write("first", 10), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 20; i++) {
            peer.ask(write("small" + i, 10), in(1000), answers);
        }
        for (int i = 0; i < 9; i++) {
            peer.ask(write("middle" + i, 60_000), in(1000), answers); // four fit into a batch
        }
        door.open();
        answers.await(30);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.batches).hasValue(1 + 2 + 3);
    }

    @Test
    void readsDoNotWaitForWritesNorSmallOnesForLargeOnes() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers stuck = new Answers();
        Answers answers = new Answers();
        store.holdLog();
        peer.ask(write("w", 10), in(1000), stuck);
        peer.ask(write("large", 1 << 20), in(1000), stuck);
        peer.ask(read("r"), in(1000), answers);
        answers.await(1);
        assertThat(stuck.count()).isZero();
        Answers.until(() -> door.batches.get() == 3);
        store.releaseLog();
        stuck.await(2);
        assertThat(stuck.failures()).isEmpty();
    }

    @Test
    void aLargeValueIsReadThroughTheBulkLane() {
        Peer peer = connectAndWait(DEFAULTS);
        Answers answers = new Answers();
        ReplicaRequest.Write large = write("large", 3 << 20);
        ReplicaRequest.Write small = write("small", 10);
        store.put(large.entry());
        store.put(small.entry());
        door.shut();
        peer.ask(read("small"), in(5000), answers);
        Answers.until(() -> door.waiting() == 1);
        for (int i = 0; i < 5; i++) {
            peer.ask(read("large"), in(5000), answers);
            peer.ask(read("small"), in(5000), answers);
        }
        door.open();
        List<ReplicaAnswer> all = answers.await(11);
        assertThat(all).filteredOn(new ReplicaAnswer.Found(large.entry())::equals).hasSize(5);
        assertThat(all).filteredOn(new ReplicaAnswer.Found(small.entry())::equals).hasSize(6);
        assertThat(door.mostHeld.get(2)).isEqualTo(1);
    }

    @Test
    void neverTwoExchangesOfALaneAtOnceAndEveryOperationIsAnsweredOnce() throws Exception {
        RandomGenerator random = Seed.random("PeerTransportTest.neverTwoExchanges");
        Peer peer = connectAndWait(DEFAULTS);
        int threads = 4;
        int each = 1000;
        List<AtomicInteger> answered = new ArrayList<>();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger outstanding = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                Random own = new Random(random.nextLong());
                List<AtomicInteger> mine = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    mine.add(new AtomicInteger());
                }
                answered.addAll(mine);
                executor.execute(
                        () -> {
                            for (AtomicInteger count : mine) {
                                while (outstanding.get() > 500) {
                                    Thread.onSpinWait();
                                }
                                outstanding.incrementAndGet();
                                peer.ask(
                                        any(own),
                                        in(60_000),
                                        answer -> {
                                            outstanding.decrementAndGet();
                                            count.incrementAndGet();
                                            if (answer instanceof Failed) {
                                                failed.incrementAndGet();
                                            }
                                        });
                            }
                        });
            }
        }
        Answers.until(() -> outstanding.get() == 0);
        assertThat(answered).allSatisfy(count -> assertThat(count).hasValue(1));
        assertThat(failed).hasValue(0);
        for (int lane = 0; lane < 3; lane++) {
            assertThat(door.mostHeld.get(lane)).isEqualTo(1);
        }
        assertThat(door.batches.get()).isLessThan(threads * each / 2);
        assertThat(peer.health().operations()).isGreaterThanOrEqualTo((long) threads * each);
    }

    private ReplicaRequest any(Random random) {
        String key = "k" + random.nextInt(1000);
        return switch (random.nextInt(20)) {
            case 0 -> write(key, 70_000);
            case 1 -> new ReplicaRequest.ScanPage(key.getBytes(US_ASCII), null, 1000);
            case 2, 3, 4, 5, 6, 7, 8, 9 -> write(key, random.nextInt(300));
            default -> read(key);
        };
    }

    @Test
    void operationsBeyondTheLimitFailAtOnce() {
        Peer peer = connectAndWait(with(512, 20, 10_000));
        Answers answers = new Answers();
        door.shut();
        for (int i = 0; i < 30; i++) {
            peer.ask(read("k"), in(1000), answers);
        }
        assertThat(answers.failures()).hasSize(10).containsOnly(Failure.OVERLOADED);
        for (int i = 0; i < 30; i++) {
            peer.ask(write("w", 900), in(1000), answers);
        }
        assertThat(answers.failures()).as("ten of about 1,000 bytes fit").hasSize(10 + 20);
        Answers.until(() -> door.waiting() >= 2);
        door.open();
        answers.await(60);
        assertThat(answers.failures()).hasSize(30);
    }

    @Test
    void anOversizeOperationIsTakenAlone() {
        Peer peer = connectAndWait(with(512, 100, 100));
        Answers answers = new Answers();
        peer.ask(write("w", 900), in(1000), answers);
        answers.await(1);
        assertThat(answers.failures()).isEmpty();
    }

    /** The write was stored, though nobody could say so: a client must not hear "not attempted". */
    @Test
    void aPeerWithoutRoomForItsAnswerLeavesAWriteUndecidedAndIsStillUp() {
        Peer peer = connectAndWait(DEFAULTS);
        door.noRoomForAnswers = true;
        for (int i = 0; i < 10; i++) {
            Answers answers = new Answers();
            peer.ask(write("k", 10), in(1000), answers);
            peer.ask(read("k"), in(1000), answers);
            peer.ask(
                    new ReplicaRequest.ToAcceptor(
                            "k".getBytes(US_ASCII),
                            3,
                            new Question.Deny(Timestamp.of(1, 0, 1), Timestamp.of(1, 0, 1), 0)),
                    in(1000),
                    answers);
            answers.await(3);
            assertThat(answers.failures())
                    .containsExactlyInAnyOrder(Failure.FAILED, Failure.OVERLOADED, Failure.FAILED);
        }
        assertThat(Failure.FAILED.isIndeterminate()).isTrue();
        door.noRoomForAnswers = false;
        Answers later = new Answers();
        peer.ask(read("k"), in(1000), later);
        assertThat(later.await(1).getFirst()).isInstanceOf(ReplicaAnswer.Found.class);
    }

    /** What came first was done, and its answer is lost. */
    @Test
    void whetherAnExchangeThatIsAReplayWasDoneIsUnknown() {
        Peer peer = connectAndWait(DEFAULTS);
        door.repeatsExchanges = true;
        Answers answers = new Answers();
        peer.ask(write("k", 10), in(1000), answers);
        answers.await(1);
        assertThat(answers.failures()).containsExactly(Failure.FAILED);
        door.repeatsExchanges = false;
        Answers later = new Answers();
        peer.ask(read("k"), in(1000), later);
        assertThat(later.await(1).getFirst()).isInstanceOf(ReplicaAnswer.Found.class);
    }

    /** The callback of each failure asks again: the stack must not grow with it. */
    @Test
    void failuresWithinTheCallDoNotNest() {
        TransportOptions options =
                new TransportOptions(
                        1,
                        DEFAULTS.maxBatchBytes(),
                        4096,
                        4 << 20,
                        4 << 20,
                        DEFAULTS.maxReplyBytes(),
                        DEFAULTS.quiet(),
                        Integer.MAX_VALUE);
        // Its address never becomes known.
        PeerTransport transport = transport(asking, options, door.port(), lookUp -> {});
        Peer peer = transport.peers().getFirst();
        AtomicInteger asked = new AtomicInteger();
        askAgain(peer, asked, 20_000);
        assertThat(asked).hasValue(20_000);
    }

    private void askAgain(Peer peer, AtomicInteger asked, int most) {
        if (asked.getAndIncrement() < most - 1) {
            peer.ask(read("k"), in(1000), answer -> askAgain(peer, asked, most));
        }
    }

    @Test
    void operationsOfAPeerThatHasLeftEndAtTheirDeadline() {
        try (PeerTransport transport = transport(asking, DEFAULTS, door.port(), Runnable::run)) {
            transport.start();
            Peer peer = transport.peers().getFirst();
            Answers.until(() -> peer.health().standing() == PeerStanding.UP);
            Answers answers = new Answers();
            door.shut();
            peer.ask(read("a"), in(1000), answers);
            Answers.until(() -> door.waiting() == 1);
            transport.moveTo(
                    new Topology(
                            asking.topology().members().stream()
                                    .filter(each -> !each.equals(peer.member()))
                                    .toList()));
            time.advance(Duration.ofSeconds(2));
            answers.await(1);
            assertThat(answers.failures()).containsExactly(Failure.TIMEOUT);
        }
    }

    @Test
    void closingFailsOperationsInFlight() {
        PeerTransport transport = transport(asking, DEFAULTS, door.port(), Runnable::run);
        transport.start();
        Peer peer = transport.peers().getFirst();
        Answers.until(() -> peer.health().standing() == PeerStanding.UP);
        Answers answers = new Answers();
        door.shut();
        peer.ask(read("a"), in(1000), answers);
        Answers.until(() -> door.waiting() == 1);
        peer.ask(read("b"), in(1000), answers);
        transport.close();
        answers.await(2);
        assertThat(answers.failures())
                .containsExactlyInAnyOrder(Failure.UNREACHABLE, Failure.STOPPING);
        peer.ask(read("c"), in(1000), answers);
        assertThat(answers.failures().getLast()).isEqualTo(Failure.STOPPING);
        PeerHealth health = peer.health();
        assertThat(health.asked()).isFalse();
    }
}
